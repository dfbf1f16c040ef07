"""Reading a table of numbers: what is wrong is said with its row and column, before any work."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from cdgrab_sim import _checks, problems
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_NO_NUMBERS = ("nan", "inf", "infinity")  # words to float(), but labels of nothing
TABLE = "table"  # the family of problems of a table, in cells
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of a file, ready for a loss."""

    features: FloatArray  # (N, columns)
    target: FloatArray  # (N,)
    digest: str  # SHA-256 of the file
    labels: tuple[str, ...] = ()  # the words that the target's numbers stand for, if it has words
    dropped: bool = False  # a first column without a name, which numbered the rows


def shipped(name: str) -> Path:
    """Return the path of a table that ships with the package, see ``cdgrab_sim/data/README.md``.

    Examples
    --------
    >>> shipped("digits.csv").is_file()
    True
    """
    return Path(str(files("cdgrab_sim"))) / "data" / name


@lru_cache(maxsize=8)
def problem_on(path: str, target: str, standardize: bool, digest: str, **sizes: Any) -> Problem:
    """Return the problem of a table, dealt by ``seed``; a file that changes has another `digest`."""
    table = _cached(path, target, standardize, digest)
    return problems.from_arrays(table.features, table.target, **sizes)


@lru_cache(maxsize=1)
def _cached(path: str, target: str, standardize: bool, digest: str) -> Columns:
    return read_table(Path(path), target, standardize=standardize)


def read_table(path: Path, target: str, *, standardize: bool) -> Columns:
    """Read a CSV file with a header line and numbers in every cell; the target may be words instead.

    Parameters
    ----------
    path : Path
    target : str
        The column to predict; all others are features, and a column of ones is added. A first column
        without a name that numbers the rows is left out.
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
    text = _decoded(path, raw)
    names, numbers, cells = _read(path, text, target)
    values, labels = _target(path, target, cells)
    counts = names[0] == "" and _counts(numbers[:, 0])
    features = numbers[:, 1:] if counts else numbers
    if standardize:
        features = features - features.mean(axis=0)
        deviations = features.std(axis=0)
        features = features / np.where(deviations > 0.0, deviations, 1.0)
    features = np.column_stack([features, np.ones(len(features))])
    return Columns(features, values, hashlib.sha256(raw).hexdigest(), labels, counts)


def _decoded(path: Path, raw: bytes) -> str:
    """Return the text of a file in UTF-8, in UTF-16 with its mark, or in Latin-1."""
    encodings = ("utf-16",) if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "latin-1")
    for encoding in encodings:
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if not _CONTROLS.search(text):
            return text
    raise ValueError(f"{path}: expected a CSV text file; got binary data")


def _read(path: Path, text: str, target: str) -> tuple[list[str], FloatArray, list[tuple[int, str]]]:
    """Return the names of the features, their numbers, and the line and cell of every target."""
    lines = _rows(path, text)
    names = [name.strip() for name in next(lines, (0, []))[1]]
    if not names:
        raise ValueError(f"{path}: expected a header line and rows of numbers; got an empty table")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{path}: expected different column names; {name!r} occurs twice; rename one")
        seen.add(name)
    _checks.choice("column", target, names)
    at, flat, cells = names.index(target), array("d"), []
    plain = text.isascii() and "_" not in text.partition("\n")[2]  # else float() takes what is no number here
    del names[at]
    if not names:
        raise ValueError(f"{path}: expected features beside the target {target!r}; got none")
    for line, row in lines:
        if len(row) != len(names) + 1:
            got = f"expected {len(names) + 1} cells, as in the header; got {len(row)}"
            raise ValueError(f"{path}, row {line}: {got}")
        cells.append((line, row.pop(at)))
        try:
            if not plain:
                raise ValueError  # look at each cell
            flat.extend(map(float, row))
        except ValueError:
            del flat[(len(cells) - 1) * len(names) :]
            flat.extend(_number(path, line, name, cell) for name, cell in zip(names, row, strict=True))
    if not cells:
        raise ValueError(f"{path}: expected a header line and rows of numbers; got an empty table")
    numbers = np.frombuffer(flat, dtype=np.float64).reshape(len(cells), len(names))
    if not np.isfinite(numbers).all():
        k, column = np.argwhere(~np.isfinite(numbers))[0]
        _refuse(path, cells[k][0], names[column], str(numbers[k, column]))
    return names, numbers, cells


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of every row that is not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise ValueError(f"{path}, row {reader.line_num}: expected CSV; {error}; mend the line") from None


def _target(path: Path, name: str, cells: list[tuple[int, str]]) -> tuple[FloatArray, tuple[str, ...]]:
    """Return numbers; or where the first cell is a word, places in sorted order, and the words."""
    words = [cell.strip() for _, cell in cells]
    if words[0] and not _NUMBER.fullmatch(words[0]) and words[0].lower().lstrip("+-") not in _NO_NUMBERS:
        for (line, _), word in zip(cells, words, strict=True):
            if not word or _NUMBER.fullmatch(word):
                got = repr(word) if word else "an empty cell"
                where = f"{path}, row {line}, column {name!r}"
                raise ValueError(f"{where}: expected a label as above; got {got}")
        labels, codes = np.unique(words, return_inverse=True)
        return codes.astype(np.float64), tuple(labels.tolist())
    return np.array([_number(path, line, name, cell) for line, cell in cells]), ()


def _counts(column: FloatArray) -> bool:
    """Tell whether a column numbers the rows, from 0 or from 1."""
    return bool((column - column[0] == np.arange(len(column))).all() and column[0] in (0.0, 1.0))


def _number(path: Path, line: int, name: str, cell: str) -> float:
    if not _NUMBER.fullmatch(cell.strip()):
        _refuse(path, line, name, cell.strip())
    number = float(cell)
    if not np.isfinite(number):
        _refuse(path, line, name, cell.strip())
    return number


def _refuse(path: Path, line: int, name: str, cell: str) -> NoReturn:
    got = repr(cell) if cell else "an empty cell"
    where = f"{path}, row {line}, column {name!r}"
    raise ValueError(f"{where}: expected a finite number; got {got}; encode or remove it")
