"""Kernel herding and nested coresets: orders of points whose beginnings stand for all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import IntArray
from cdgrab_sim.thinning._functions import Kernel, make_kernel
from cdgrab_sim.thinning._halving import DELTA, as_points, split, walk_of
from cdgrab_sim.thinning._mmd import Distances


def herd(points: ArrayLike, size: int, kernel: Kernel | str = "gaussian") -> IntArray:
    r"""Choose points one after the other, each the one that the mean misses most (kernel herding).

    .. math:: x_{t+1} = \arg\max_x \; \frac1n \sum_y k(x, y) - \frac{1}{t + 1} \sum_{r \le t} k(x, x_r)

    The first of equals is taken, and no point twice.

    Parameters
    ----------
    points : array (n, d)
    size : int
        At most n.
    kernel : Kernel or str

    References
    ----------
    Chen, Welling, Smola, "Super-Samples from Kernel Herding", arXiv 1203.3472, equation 8. Published,
    recalled.

    Examples
    --------
    The middle has the largest mean; then the far end is missing most.

    >>> herd([[-3.0], [0.0], [1.0]], 2).tolist()
    [1, 0]
    """
    table, kernel = as_points(points), make_kernel(kernel)
    count = _checks.integer("size", size, low=1, high=len(table))
    distances = Distances(table, kernel)
    near, chosen = np.zeros(len(table)), np.empty(count, dtype=np.int64)
    free = np.zeros(len(table))
    for t in range(count):
        chosen[t] = np.argmax(distances.mean - near / (t + 1) + free)
        free[chosen[t]] = -np.inf
        near += distances.sums(table[chosen[t] : chosen[t] + 1])
    return chosen


def nested_order(
    points: ArrayLike, kernel: Kernel | str = "gaussian", *, delta: float = DELTA, seed: int = 0
) -> IntArray:
    """Return an order whose first half, first quarter, ... are halvings of the points.

    Halve the points, put the first half ahead, and order it in the same way.

    Parameters
    ----------
    points : array (n, d)
    kernel : Kernel or str
    delta : float
        Chance of a clip in any walk.
    seed : int

    Examples
    --------
    >>> order = nested_order(np.random.RandomState(0).standard_normal((8, 2)), seed=0)
    >>> sorted(order.tolist()) == list(range(8))
    True
    """
    table, kernel = as_points(points), make_kernel(kernel)
    rng = stream(_checks.integer("seed", seed, low=0), Role.THINNING)
    ahead, behind, share = np.arange(len(table)), [], _checks.chance("delta", delta)
    while len(ahead) > 1:
        share *= 0.5
        ahead, second = split(ahead, walk_of(table, ahead, kernel, share, rng).eps)
        behind.append(second)
    return np.concatenate([ahead, *behind[::-1]])
