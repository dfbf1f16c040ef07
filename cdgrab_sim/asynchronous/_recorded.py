"""Job times of a real cluster: a file of its jobs."""

from __future__ import annotations

from itertools import chain
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import JobTimes

COLUMNS = ("worker", "start", "duration")


def recorded(jobs: str | PathLike[str] | ArrayLike) -> JobTimes:
    """Return the times of jobs that were measured: each worker walks its own, in the order of their starts.

    A worker that comes to the end of its jobs begins again. Gaps between jobs are left out, since workers of
    a simulation are never without work; workers without a job in the record do not exist.

    Parameters
    ----------
    jobs : path or array (jobs, 3)
        Columns worker (any whole numbers), start and duration (> 0, in any unit). A file is .npy, or CSV
        whose header names these columns, in any order and among others.

    Raises
    ------
    ValueError
        In one line with the row, for a file without these columns and for what is no time.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> times = recorded([[7, 0.0, 1.0], [7, 5.0, 2.0], [3, 0.0, 4.0]])
    >>> run = cg.simulate_async(
    ...     cg.problems.quadratic(m=1, n=4, d=1), "vanilla", workers=2, updates=5, step_size=0.1,
    ...     job_times=times, record=cg.asynchronous.AsyncRecord(events=True),
    ... )
    >>> run.events["worker"].tolist(), run.events["time"].tolist()  # 3 is worker 0, and 7 worker 1
    ([1, 1, 0, 1, 1], [1.0, 3.0, 4.0, 4.0, 6.0])
    """
    is_file = isinstance(jobs, str | PathLike)
    table = _read(Path(jobs)) if is_file else _checks.floats("jobs", jobs, 2)  # type: ignore[arg-type]
    name = str(jobs) if is_file else "jobs"
    if table.ndim != 2 or table.shape[1] != len(COLUMNS) or len(table) == 0:
        raise ValueError(f"{name}: expected shape (jobs, 3) for {', '.join(COLUMNS)}; got {table.shape}")
    worker, start, duration = table.T
    wrong = ~((worker == np.floor(worker)) & np.isfinite(start) & (duration > 0.0) & np.isfinite(duration))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"{name}, job {row}: expected a whole worker, a start and a duration > 0; got "
            f"{table[row].tolist()}"
        )
    order = np.lexsort((start, worker))
    firsts = np.flatnonzero(np.diff(worker[order])) + 1
    return JobTimes("recorded", tuple(np.split(duration[order], firsts)))


def _read(path: Path) -> FloatArray:
    if path.suffix == ".npy":
        try:
            table = np.load(path, allow_pickle=False)
            return np.asarray(table, dtype=np.float64)
        except (ValueError, TypeError, EOFError) as error:
            raise ValueError(f"{path}: expected a .npy file of numbers (jobs, 3); {error}") from None
    with path.open(encoding="utf-8-sig") as file:
        try:
            header = [name.strip().strip('"') for name in file.readline().split(",")]
            missing = [name for name in COLUMNS if name not in header]
            if missing:
                raise ValueError(f"no column {missing[0]!r} in its header, {', '.join(header)[:80]!r}")
            use = [header.index(name) for name in COLUMNS]
            first = file.readline()
            if not first.strip():
                raise ValueError("no row follows its header")
            return np.loadtxt(chain([first], file), delimiter=",", usecols=use, ndmin=2, comments=None)
        except ValueError as error:
            raise ValueError(f"{path}: expected a CSV file of {', '.join(COLUMNS)}; {error}") from None
