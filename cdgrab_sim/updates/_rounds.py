"""Rounds, in which every worker moves by itself: what the updates that have them share.

A round is H steps. In between, worker i is at ``X[i]``; at its end the workers communicate. The server moves
by the mean of what it collected, not to a mean of points: nothing cancels, and rounds of one step have the
bits of plain SGD.
"""

from __future__ import annotations

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray, IntArray


@kernel(small=True)
def ends(c: IntArray) -> bool:
    """Count a step in c[0], and tell whether it ends a round of c[1]."""
    c[0] += 1
    if c[0] < c[1]:
        return False
    c[0] = 0
    return True


@kernel(small=True)
def add_mean(out: FloatArray, mean: FloatArray, alpha: float, g: FloatArray) -> None:
    """Add alpha times the mean of the rows of `g`, summed first in `mean`, in the order of plain SGD."""
    m, d = g.shape
    for q in range(d):
        mean[q] = 0.0
    for i in range(m):
        for q in range(d):
            mean[q] += g[i, q]
    share = 1.0 / m
    for q in range(d):
        out[q] += alpha * (share * mean[q])


@kernel(small=True)
def move(x: FloatArray, X: FloatArray, scale: float, moved: FloatArray) -> None:
    """Move x against `scale` times what was collected, forget it, and send x to all workers."""
    for q in range(x.shape[0]):
        x[q] -= scale * moved[q]
        moved[q] = 0.0
    for i in range(X.shape[0]):
        for q in range(x.shape[0]):
            X[i, q] = x[q]
