"""The functions as Python runs them: on arrays of eight."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cdgrab_sim._types import FloatArray

LANES = 8

Where = tuple[int, ...]


def aligned(shape: tuple[int, ...]) -> FloatArray:
    """Return an array of zeros that begins at a cache line.

    Eight doubles fill a line. NumPy begins at any sixteenth byte, so that nearly every vector lies in two
    lines and is loaded twice; at d = 64 that was a quarter of the time of a sign.
    """
    size = math.prod(shape)
    room = np.zeros(size + LANES)
    start = -(room.ctypes.data // room.itemsize) % LANES
    return room[start : start + size].reshape(shape)


def zeros() -> FloatArray:
    """Return eight zeros."""
    return np.zeros(LANES)


def spread(value: float) -> FloatArray:
    """Return eight times the same number."""
    return np.full(LANES, value)


def load(a: FloatArray, where: Where) -> FloatArray:
    """Return the eight numbers of `a` that begin at the index `where` and go on along the last axis."""
    *rows, p = where
    eight: FloatArray = a[tuple(rows)][p : p + LANES].copy()
    return eight


def store(a: FloatArray, where: Where, lanes: FloatArray) -> None:
    """Write eight numbers where :func:`load` reads them."""
    *rows, p = where
    a[tuple(rows)][p : p + LANES] = lanes


def larger(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the larger of each two numbers."""
    return np.maximum(a, b)


def total(lanes: FloatArray) -> float:
    """Add the lanes in pairs: ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7))."""
    t: Any = lanes
    return float(((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7])))
