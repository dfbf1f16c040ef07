"""The best signs there are, found among all of them."""

from __future__ import annotations

import numpy as np

from cdgrab_sim._kernels.sums import dots_twin
from cdgrab_sim._types import FloatArray, IntArray

MOST = 20  # vectors: 2^19 cases up to the common sign


def optimal_signs(z: FloatArray, counts: FloatArray, norm: str, start: float) -> IntArray:
    """Return signs (N,) with the smallest largest norm of the signed prefix sums that count.

    Of several optima the one that has + first.

    Parameters
    ----------
    z : array (N, d)
    counts : bool array (N,)
        Which prefixes count.
    norm : {"inf", "l2"}
    start : float
        A value that some signs are known to reach: cases beyond it are dropped at once.
    """
    sums, largest = z[:1].copy(), np.zeros(1)
    choices = np.ones((1, 1), dtype=np.int64)  # all signs may flip together
    largest = _raised(largest, sums, norm) if counts[0] else largest
    for k in range(1, len(z)):
        sums = np.repeat(sums, 2, axis=0)
        sums[::2] += z[k]
        sums[1::2] -= z[k]
        largest = np.repeat(largest, 2)
        if counts[k]:
            largest = _raised(largest, sums, norm)
        both = np.tile([1, -1], len(choices))
        choices = np.column_stack((np.repeat(choices, 2, axis=0), both))
        keep = largest <= start
        sums, largest, choices = sums[keep], largest[keep], choices[keep]
    best: IntArray = choices[np.argmin(largest)]
    return best


def _raised(largest: FloatArray, sums: FloatArray, norm: str) -> FloatArray:
    now = np.abs(sums).max(axis=1) if norm == "inf" else np.sqrt(dots_twin(sums, sums))
    return np.maximum(largest, now)
