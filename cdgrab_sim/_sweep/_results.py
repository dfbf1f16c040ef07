"""Sweep: what a store holds, as columns, curves, labelled arrays and text."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim import _checks
from cdgrab_sim._files import written_whole
from cdgrab_sim._sweep._columns import cells, column, names
from cdgrab_sim._sweep._config import meaning
from cdgrab_sim._sweep._open import reading
from cdgrab_sim._sweep._store import Store

if TYPE_CHECKING:
    import xarray


class Sweep:
    """The runs of a sweep, in the order in which they were planned.

    Made by `sweep` and `open_sweep`. Every call looks at the file anew, so that the numbers grow while a
    sweep runs elsewhere.
    """

    def __init__(self, source: str | PathLike[str] | Store) -> None:
        self._source = source

    @contextmanager
    def _store(self) -> Iterator[Store]:
        if isinstance(self._source, Store):
            yield self._source
        else:
            with reading(self._source) as store:
                yield store

    def __repr__(self) -> str:
        status = self.status()
        counts = ", ".join(f"{count} {name}" for name, count in status.items() if name != "runs")
        return f"<Sweep of {status['runs']} runs: {counts}>"

    def status(self) -> dict[str, int]:
        """Return the number of runs, and of those that completed, diverged, failed, ...

        ``done`` and words of the task's own, such as ``completed`` or ``diverged``: has a result.
        ``failed``: raised an exception. ``lost``: its worker died whenever it ran alone. ``pending``: has
        not run. The last three run when the sweep is run again.
        """
        with self._store() as store:
            found = store.counts()
        return {"runs": sum(found.values()), **found}

    def table(self) -> dict[str, NDArray[Any]]:
        """Return equal-length columns: the fields of the configurations, status, measured numbers.

        A missing number is NaN, a missing string is empty. A result that is called like a field has its name
        with ``_result``.
        """
        with self._store() as store:
            lines = cells(store.rows())
        return {name: column([line.get(name) for line in lines]) for name in names(lines)}

    def messages(self) -> list[str]:
        """Return one line for every run that failed or was lost: its configuration, and why."""
        with self._store() as store:
            return [f"{row.config} {row.word}: {row.message}" for row in store.rows() if row.message]

    def curves(self, name: str, /, **fields: Any) -> NDArray[Any]:
        """Return one curve of the runs whose fields have these values, stacked in the order of the table.

        Parameters
        ----------
        name : str
            For example ``"loss"``.
        **fields
            For example ``ordering="rr", m=8``.

        Returns
        -------
        array (runs, ...)

        Raises
        ------
        ValueError
            For an unknown name, no such run, or curves of different shapes.
        """
        with self._store() as store:
            _checks.choice("curve", name, store.curve_names())
            found = store.curves(name)
            rows = [row for row in store.rows() if row.position in found]
        wanted = {key: meaning(key, value) for key, value in fields.items()}
        chosen = [
            row
            for row in rows
            if all(meaning(key, row.config.get(key)) == value for key, value in wanted.items())
        ]
        if not chosen:
            asked = ", ".join(f"{key!r}: {_checks.brief(value)}" for key, value in fields.items())
            raise ValueError(f"curves: no run with {name!r} and {{{asked}}}; see table() for what there is")
        shapes = {found[row.position].shape for row in chosen}
        if len(shapes) > 1:
            raise ValueError(
                f"curves: expected runs of one shape; got {sorted(shapes)}; select runs, or use to_xarray()"
            )
        return np.stack([found[row.position] for row in chosen])

    def to_xarray(self, dims: list[str] | None = None) -> xarray.Dataset:
        """Return everything as labelled arrays (needs the extra ``xarray``).

        Parameters
        ----------
        dims : list of str, optional
            Fields that become dimensions; by default those that vary independently. Other fields become
            coordinates along the dimension that determines them, or variables.

        Raises
        ------
        ValueError
            When two runs share a cell.

        Notes
        -----
        Write it with ``to_netcdf(path, engine="h5netcdf")``. Missing cells are NaN, or empty strings.
        """
        from cdgrab_sim._sweep._labelled import dataset

        with self._store() as store:
            return dataset(store, dims)

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Return the table as CSV, and write it to `path`, whole or not at all. Missing cells are empty."""
        with self._store() as store:
            lines = cells(store.rows())
        file = io.StringIO()
        writer = csv.DictWriter(file, names(lines), restval="", lineterminator="\n")
        writer.writeheader()
        for line in lines:
            writer.writerow({k: json.dumps(v) if isinstance(v, list | dict) else v for k, v in line.items()})
        return _written(file.getvalue(), path)

    def to_jsonl(self, path: str | PathLike[str] | None = None, *, curves: bool = False) -> str:
        """Return one JSON object per run, and write them to `path`, whole or not at all.

        NaN and inf, which JSON does not know, become null. With `curves` the arrays are there as lists.
        """
        curves = _checks.flag("curves", curves)
        with self._store() as store:
            rows = store.rows()
            arrays = {name: store.curves(name) for name in store.curve_names()} if curves else {}
        lines = []
        for row in rows:
            own = {
                name: found[row.position].tolist() for name, found in arrays.items() if row.position in found
            }
            line = {
                "config": row.config,
                "status": row.word,
                "measured": row.measured,
                "message": row.message,
            }
            lines.append(
                json.dumps(_strict(line | ({"curves": own} if curves else {})), allow_nan=False) + "\n"
            )
        return _written("".join(lines), path)


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _strict(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_strict(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _written(text: str, path: str | PathLike[str] | None) -> str:
    if path is not None:
        with written_whole(_checks.path("path", path)) as file:
            file.write(text.encode())
    return text


def open_sweep(path: str | PathLike[str]) -> Sweep:
    """Open what a sweep stored, also while it is running.

    Raises
    ------
    ValueError
        In one line, for a file that is damaged, of another program, or of a newer format.
    OSError
        For a file that is not there or not readable.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> fixed = {"problem": "skewed", "epochs": 2, "step_size": 1e-3}
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "study.sqlite"
    ...     _ = cg.sweep(fixed=fixed, grid={"ordering": ["rr", "cd-grab"], "m": [1, 2]}, store=path)
    ...     study = cg.open_sweep(path)
    ...     print(study.status(), study.curves("loss", ordering="rr").shape)
    {'runs': 4, 'completed': 4} (2, 3)
    """
    with reading(path, pages=True):
        return Sweep(path)
