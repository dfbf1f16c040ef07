"""Columns: what a list of JSON values becomes as an array."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim._sweep._config import canonical
from cdgrab_sim._sweep._store import Row


def column(values: Sequence[Any]) -> NDArray[Any]:
    """Return values, None where a cell is missing, as an array.

    Whole numbers are int64, or uint64 where they need it, or text where they need more; floats are float64,
    strings str. A missing number is
    NaN, which turns whole numbers into floats; a missing string is empty. Lists and tables are JSON text, the
    same for equal ones.

    Examples
    --------
    >>> column([1, 2]), column([1, None]), column(["a", None])
    (array([1, 2]), array([ 1., nan]), array(['a', ''], dtype='<U1'))
    """
    kinds = {type(value) for value in values} - {type(None)}
    complete = all(value is not None for value in values)
    if kinds == {bool} and complete:
        return np.array(values, dtype=np.bool_)
    if kinds == {int} and (kind := _holding([value for value in values if value is not None])) is None:
        return np.array(["" if value is None else str(value) for value in values], dtype=np.str_)
    if kinds == {int} and complete:
        return np.array(values, dtype=kind)
    if kinds <= {int, float, bool}:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    written: dict[str, str] = {}
    texts = ["" if value is None else _text(value, written) for value in values]
    return np.array(texts, dtype=np.str_)


def _holding(values: Sequence[int]) -> type[np.integer[Any]] | None:
    """Return the type that holds all of these whole numbers, if there is one."""
    low, high = min(values), max(values)
    if low >= -(2**63) and high < 2**63:
        return np.int64
    return np.uint64 if low >= 0 and high < 2**64 else None


def _text(value: Any, written: dict[str, str]) -> str:
    """Return a value as text, lists and tables as the first one equal to them was written."""
    if isinstance(value, str):
        return value
    text = json.dumps(value)
    return written.setdefault(canonical(text), text)


def cells(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the table line of every run: fields, status, what was measured; see `apart`."""
    several = len({row.task for row in rows}) > 1
    fields = names([row.config for row in rows])
    return [_cells(row, {"task": row.task} if several else {}, fields) for row in rows]


def _cells(row: Row, task: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    results = {"status": row.word} | {k: v for k, v in row.measured.items() if k != "status"}
    before, after = ({apart(k, fields): v for k, v in own.items()} for own in (task, results))
    return {**before, **row.config, **after}


def apart(name: str, fields: Sequence[str]) -> str:
    """Return the name of a result: its own, unless a field of the configurations has it.

    Examples
    --------
    >>> apart("loss", ["n", "m"]), apart("loss", ["n", "loss"])
    ('loss', 'loss_result')
    """
    while name in fields:
        name += "_result"
    return name


def names(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return all names, in the order of their first appearance."""
    return list(dict.fromkeys(name for line in lines for name in line))
