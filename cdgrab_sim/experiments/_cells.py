"""Cells: the independent parts of an experiment, as plain-JSON configurations of one task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from cdgrab_sim._sweep import execute
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._experiment import Options


def grid(axes: Mapping[str, Sequence[Any]], shared: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Multiply axes, the last one fastest, and give every cell the shared values.

    Examples
    --------
    >>> grid({"m": [1, 2], "seed": [0]}, {"n": 8})
    [{'m': 1, 'seed': 0, 'n': 8}, {'m': 2, 'seed': 0, 'n': 8}]
    """
    return [dict(zip(axes, values, strict=True)) | dict(shared) for values in product(*axes.values())]


def held(sizes: Mapping[str, Any], variable: str) -> dict[str, Any]:
    """Return the sizes that stay as they are while a variable moves.

    Examples
    --------
    >>> held({"m": [1, 2, 4], "n": 256}, "m")
    {'n': 256}
    """
    return {letter: size for letter, size in sizes.items() if letter != variable}


def in_words(sizes: Mapping[str, Any]) -> str:
    """Return sizes as a title says them.

    Examples
    --------
    >>> in_words({"m": 4, "n": 256})
    'm = 4, n = 256'
    """
    return ", ".join(f"{letter} = {size}" for letter, size in sizes.items())


def run_cells(
    task: Callable[[dict[str, Any]], dict[str, Any]], cells: Sequence[dict[str, Any]], options: Options
) -> list[dict[str, Any]]:
    """Measure all cells, where and how the options say, and return them in order."""
    return execute(
        task,
        cells,
        store=options.store,
        jobs=options.jobs,
        executor=options.scheduler,
        progress=options.progress,
        label="cells",
    )


def table(values: Sequence[Mapping[str, Any]], key: str, *shape: int) -> FloatArray:
    """Arrange one number per cell of a grid by its axes; the last may be left to -1.

    Examples
    --------
    >>> table([{"error": 1.0}, {"error": 2.0}], "error", 1, -1)
    array([[1., 2.]])
    """
    return np.array([cell[key] for cell in values], dtype=np.float64).reshape(shape)


def by_ordering(
    values: Sequence[Mapping[str, Any]], key: str, names: Sequence[str], seeds: int
) -> dict[str, FloatArray]:
    """Arrange one number per cell of a grid orderings x seeds x sizes as (seeds, sizes) per ordering."""
    return dict(zip(names, table(values, key, len(names), seeds, -1), strict=True))
