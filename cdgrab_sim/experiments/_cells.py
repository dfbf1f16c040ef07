"""Cells: the independent parts of an experiment, as plain-JSON configurations of one task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any


def grid(axes: Mapping[str, Sequence[Any]], shared: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Multiply axes, the last one fastest, and give every cell the shared values.

    Examples
    --------
    >>> grid({"m": [1, 2], "seed": [0]}, {"n": 8})
    [{'m': 1, 'seed': 0, 'n': 8}, {'m': 2, 'seed': 0, 'n': 8}]
    """
    return [dict(zip(axes, values, strict=True)) | dict(shared) for values in product(*axes.values())]
