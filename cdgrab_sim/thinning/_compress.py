"""Compress: halve small pieces, join them, halve again: thinning in nearly linear time."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.thinning._functions import Kernel, make_kernel
from cdgrab_sim.thinning._halving import DELTA, as_points, split, walk_of
from cdgrab_sim.thinning._mmd import Distances
from cdgrab_sim.thinning._thin import Coreset, thinned


def compress(
    points: ArrayLike,
    kernel: Kernel | str = "gaussian",
    *,
    split_kernel: Kernel | str | None = None,
    oversampling: int = 4,
    delta: float = DELTA,
    seed: int = 0,
) -> Coreset:
    r"""Thin n points to about sqrt(n) of them with O(4^g n log n) values of the kernel (Compress++).

    .. math::

        C(X) &= X \text{ if } |X| \le 4^g, \text{ else a half of } C(X_1) \cup \dots \cup C(X_4) \\
        S &= g \text{ halvings of } C(X)

    with the quarters X_1, ..., X_4 of X, and swaps after each halving, as in `thin`. For n = 4^k the coreset
    has 2^k points.

    Parameters
    ----------
    points : array (n, d)
        In an order that tells nothing: quarters are taken as they come.
    kernel, split_kernel : Kernel or str
        As for `thin`. `Coreset.mmd` is the distance to the 2^g sqrt(n) points that are thinned at the end.
    oversampling : int
        g >= 0: larger is closer and slower.
    delta : float
    seed : int

    References
    ----------
    Shetty, Dwivedi, Mackey, "Distribution Compression in Near-linear Time", arXiv 2111.07941, Algorithms 1
    and 2. Published, recalled.

    Examples
    --------
    >>> points = np.random.RandomState(0).standard_normal((1024, 2))
    >>> len(compress(points, oversampling=2, seed=0).indices)
    32
    """
    table, target = as_points(points), make_kernel(kernel)
    walk_kernel = target if split_kernel is None else make_kernel(split_kernel, "split_kernel")
    g = _checks.integer("oversampling", oversampling, low=0, high=30)
    rng = stream(_checks.integer("seed", seed, low=0), Role.THINNING)
    chance = _checks.chance("delta", delta)
    first = _compressed(table, np.arange(len(table)), g, (walk_kernel, target), 0.5 * chance, rng)
    rounds = min(g, len(first.indices).bit_length() - 1)
    last = thinned(table, first.indices, rounds, walk_kernel, target, 2, 0.5 * chance, rng)
    return Coreset(
        last.indices, last.mmd, max(first.variance, last.variance), first.clips + last.clips, chance
    )


def _compressed(
    table: FloatArray, rows: IntArray, g: int, kernels: tuple[Kernel, Kernel], delta: float, rng: Generator
) -> Coreset:
    """Compress the points in `rows`; each level of the recursion spends half of `delta`."""
    if len(rows) <= 4**g:
        return Coreset(rows, 0.0, 0.0, 0, delta)
    quarters = [_compressed(table, part, g, kernels, delta / 8.0, rng) for part in np.array_split(rows, 4)]
    joined = np.concatenate([part.indices for part in quarters])
    walk = walk_of(table, joined, kernels[0], 0.5 * delta, rng)
    half, error = Distances(table[joined], kernels[1]).refined(
        split(np.arange(len(joined)), walk.eps)[0], 1, rng
    )
    if rng.random() < 0.5:  # what is left is as close, and either of the two makes the mean unbiased
        half = np.setdiff1d(np.arange(len(joined)), half)
    variance = max(walk.variance, *(part.variance for part in quarters))
    return Coreset(joined[half], error, variance, walk.clips + sum(part.clips for part in quarters), delta)
