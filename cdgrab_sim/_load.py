"""load: runs that were saved, of every kind."""

from __future__ import annotations

from os import PathLike

from cdgrab_sim import _checks, _files
from cdgrab_sim._run import Run
from cdgrab_sim.asynchronous._run import AsyncRun


def load(path: str | PathLike[str]) -> Run | AsyncRun:
    """Read a run that `Run.save` or `AsyncRun.save` wrote.

    Raises
    ------
    ValueError
        In one line, for a file that is damaged, of another program, or of another version.
    OSError
        For a file that is not there or not readable.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> from tempfile import TemporaryDirectory
    >>> run = cg.simulate("quadratic", "rr", epochs=2, step_size=1e-3)
    >>> with TemporaryDirectory() as folder:
    ...     run.save(f"{folder}/run.npz")
    ...     again = cg.load(f"{folder}/run.npz")
    >>> bool((again.loss == run.loss).all())
    True
    """
    run: Run | AsyncRun = _files.read_run(_checks.path("path", path), {"Run": Run, "AsyncRun": AsyncRun})
    return run
