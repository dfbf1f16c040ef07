"""Grids: three tables in, a list of configurations out."""

from __future__ import annotations

import builtins
import itertools
import tomllib
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from cdgrab_sim import _checks
from cdgrab_sim._sweep._config import Config, plain

TABLES = ("fixed", "grid", "zip")


def configurations(
    fixed: Mapping[str, Any] | None = None,
    grid: Mapping[str, Sequence[Any]] | None = None,
    zip: Mapping[str, Sequence[Any]] | None = None,
) -> list[Config]:
    """Return the product of the lists in `grid`, with those in `zip` side by side, and `fixed` in all.

    Parameters
    ----------
    fixed : mapping of field to value, optional
    grid : mapping of field to list, optional
        The first field varies slowest.
    zip : mapping of field to list, optional
        Lists of one length; they vary fastest.

    Raises
    ------
    ValueError, TypeError
        For a field in two tables, values that are no list, empty lists, zipped lists of unequal length.

    Examples
    --------
    >>> for one in configurations({"n": 64}, {"m": [1, 2]}, {"d": [2, 3], "epochs": [20, 30]}):
    ...     print(one)
    {'n': 64, 'm': 1, 'd': 2, 'epochs': 20}
    {'n': 64, 'm': 1, 'd': 3, 'epochs': 30}
    {'n': 64, 'm': 2, 'd': 2, 'epochs': 20}
    {'n': 64, 'm': 2, 'd': 3, 'epochs': 30}
    """
    fixed, grid, zip = (
        {} if one is None else _checks.mapping(name, one)
        for name, one in builtins.zip(TABLES, (fixed, grid, zip), strict=True)
    )
    crossed = {name: _list("grid", name, values) for name, values in grid.items()}
    paired = {name: _list("zip", name, values) for name, values in zip.items()}
    _check_names(fixed, crossed, paired)
    lengths = {name: len(values) for name, values in paired.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"zip: expected lists of one length; got {lengths}")
    count = next(iter(lengths.values()), 1)
    together = [{name: values[k] for name, values in paired.items()} for k in range(count)]
    return [
        fixed | dict(builtins.zip(crossed, row, strict=True)) | last
        for row in itertools.product(*crossed.values())
        for last in together
    ]


def _list(table: str, name: str, values: Any) -> list[Any]:
    if hasattr(values, "__array__"):
        values = plain({f"[{table}] {name}": values})[f"[{table}] {name}"]
    if isinstance(values, str | Mapping) or not isinstance(values, Sequence):
        raise TypeError(
            f"[{table}] {name}: expected a list; got {_checks.brief(values)}; single values belong to [fixed]"
        )
    if len(values) == 0:
        raise ValueError(f"[{table}] {name}: expected at least one value; got an empty list")
    return list(values)


def _check_names(*tables: Mapping[str, Any]) -> None:
    for first, second in itertools.combinations(range(len(tables)), 2):
        for name in tables[first].keys() & tables[second].keys():
            raise ValueError(
                f"{name}: expected in one table; got it in [{TABLES[first]}] and [{TABLES[second]}]"
            )


def read_toml(path: str | PathLike[str]) -> list[Config]:
    """Return the configurations of a TOML file with the tables ``fixed``, ``grid`` and ``zip``.

    Raises
    ------
    ValueError
        For a file that is not TOML, or has other tables; see `configurations` for the rest.
    """
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: expected a TOML file; {error}") from None
    for name, table in tables.items():
        _checks.choice("table", name, TABLES)
        if not isinstance(table, dict):
            raise ValueError(f"{path}: {name}: expected a table [{name}]; got {_checks.brief(table)}")
    return configurations(**tables)
