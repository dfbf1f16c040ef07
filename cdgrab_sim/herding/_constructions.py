"""Signs that come with a proof, and the moves that they and the Steinitz order are made of.

Both constructions keep weights of which about d are strictly between their ends, and move them along linear
relations of their vectors until one more reaches an end. The relations come from elimination, coordinate by
coordinate, so that the result has the same bits everywhere.
"""

from __future__ import annotations

import numpy as np

from cdgrab_sim._types import FloatArray, IntArray

_NOTHING = 1e-12  # pivots below this part of the largest entry are rounding


def relation(columns: FloatArray) -> FloatArray:
    """Return w != 0 with ``columns @ w`` = 0, for more columns than rows.

    Gauss-Jordan elimination with the largest pivot of each row.

    Examples
    --------
    >>> relation(np.array([[1.0, 2.0]])).tolist()
    [1.0, -0.5]
    """
    rows = columns.copy()
    pivots: list[int] = []
    for r in range(len(rows)):
        p = int(np.argmax(np.abs(rows[r])))
        scale = np.abs(columns[r]).max()
        if not np.abs(rows[r, p]) > _NOTHING * scale:
            rows[r] = 0.0
            pivots.append(-1)
            continue
        rows[r] = rows[r] / rows[r, p]
        for other in range(len(rows)):
            if other != r and rows[other, p] != 0.0:
                rows[other] = rows[other] - rows[other, p] * rows[r]
                rows[other, p] = 0.0
        pivots.append(p)
    free = next(q for q in range(columns.shape[1]) if q not in pivots)
    w = np.zeros(columns.shape[1])
    w[free] = 1.0
    for r, p in enumerate(pivots):
        if p >= 0:
            w[p] = -rows[r, free]
    return w


def move_to_an_end(weights: FloatArray, inside: list[int], w: FloatArray, low: float) -> int:
    """Move ``weights[inside]`` along w until one reaches `low` or 1; return which, and set it exactly."""
    here = weights[inside]
    ends = np.where(w > 0.0, 1.0, low)
    moving = np.abs(w) > _NOTHING * np.abs(w).max()
    steps = np.full(len(w), np.inf)
    np.divide(ends - here, w, out=steps, where=moving)
    hit = int(np.argmin(steps))
    weights[inside] = np.clip(here + steps[hit] * w, low, 1.0)
    weights[inside[hit]] = ends[hit]
    return inside[hit]


def prefix_signs(z: FloatArray) -> IntArray:
    r"""Sign vectors z (n, d) so that all signed prefix sums stay below 2 d max \|z\|, in every norm at once.

    Weights in [-1, 1] with sum of weight z equal to 0: a new vector starts with weight 0; while more than d
    weights are strictly inside, move along a relation. A weight that reaches an end is a sign for good.
    """
    n, d = z.shape
    weights, inside = np.zeros(n), []
    for k in range(n):
        inside.append(k)
        if len(inside) > d:
            inside.remove(move_to_an_end(weights, inside, relation(z[inside].T), low=-1.0))
    return np.where(weights >= 0.0, 1, -1)
