"""Cells: the independent parts of an experiment, as plain-JSON configurations of one task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from cdgrab_sim._sweep import execute
from cdgrab_sim.experiments._experiment import Options


def grid(axes: Mapping[str, Sequence[Any]], shared: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Multiply axes, the last one fastest, and give every cell the shared values.

    Examples
    --------
    >>> grid({"m": [1, 2], "seed": [0]}, {"n": 8})
    [{'m': 1, 'seed': 0, 'n': 8}, {'m': 2, 'seed': 0, 'n': 8}]
    """
    return [dict(zip(axes, values, strict=True)) | dict(shared) for values in product(*axes.values())]


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
