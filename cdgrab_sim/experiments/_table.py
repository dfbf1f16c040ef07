"""Reading a table of numbers: what is wrong is said with its row and column, before any work."""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of a file, ready for a loss."""

    features: FloatArray  # (N, columns)
    target: FloatArray  # (N,)
    digest: str  # SHA-256 of the file


def shipped(name: str) -> Path:
    """Return the path of a table that ships with the package, see ``cdgrab_sim/data/README.md``.

    Examples
    --------
    >>> shipped("digits.csv").is_file()
    True
    """
    return Path(str(files("cdgrab_sim"))) / "data" / name


def read_table(path: Path, target: str, *, standardize: bool) -> Columns:
    """Read a CSV file with a header line and numbers in every cell.

    Parameters
    ----------
    path : Path
    target : str
        The column to predict; all others are features, and a column of ones is added.
    standardize : bool
        Give every feature mean 0 and standard deviation 1 over the whole file; constant ones become 0.

    Returns
    -------
    Columns

    Raises
    ------
    ValueError
        For a file that is empty, not text, or without the target; for a name that occurs twice, and for a
        cell that is missing or no finite number, with its row and column.
    """
    raw = path.read_bytes()
    names, rows = _cells(path, raw)
    _checks.choice("column", target, names)
    values = np.array([[_number(path, k, name, cell) for name, cell in row] for k, row in rows])
    at = names.index(target)
    features = np.delete(values, at, axis=1)
    if standardize:
        features = features - features.mean(axis=0)
        deviations = features.std(axis=0)
        features = features / np.where(deviations > 0.0, deviations, 1.0)
    features = np.column_stack([features, np.ones(len(features))])
    return Columns(features, values[:, at].copy(), hashlib.sha256(raw).hexdigest())


def _cells(path: Path, raw: bytes) -> tuple[list[str], list[tuple[int, list[tuple[str, str]]]]]:
    """Return the column names, and each row's line number with its named cells."""
    try:
        lines = raw.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{path}: expected a CSV text file; got binary data") from None
    if "\0" in "".join(lines[:1]):
        raise ValueError(f"{path}: expected a CSV text file; got binary data")
    reader = csv.reader(lines)
    names = [name.strip() for name in next(reader, [])]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"{path}: expected different column names; {twice[0]!r} occurs twice; rename one")
    rows = []
    for row in reader:
        if len(row) not in (0, len(names)):
            where = f"{path}, row {reader.line_num}"
            raise ValueError(f"{where}: expected {len(names)} cells, as in the header; got {len(row)}")
        if row:
            rows.append((reader.line_num, list(zip(names, row, strict=True))))
    if not rows:
        raise ValueError(f"{path}: expected a header line and rows of numbers; got an empty table")
    return names, rows


def _number(path: Path, row: int, name: str, cell: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        got = f"{cell.strip()!r}" if cell.strip() else "an empty cell"
        raise ValueError(
            f"{path}, row {row}, column {name!r}: expected a finite number; got {got}; encode or remove it"
        )
    return number
