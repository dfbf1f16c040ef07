"""Kernel thinning: halve again and again, keep the best coreset, swap points while that helps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.thinning._functions import Kernel, make_kernel
from cdgrab_sim.thinning._halving import DELTA, as_points, split, walk_of
from cdgrab_sim.thinning._mmd import Distances


class Coreset(NamedTuple):
    """Points that stand for all points.

    Attributes
    ----------
    indices : int array (s,)
        Distinct, in no particular order.
    mmd : float
        Distance to the points that it was chosen from, by the target kernel.
    variance : float
        The largest sigma^2 of the walks on the way, see `Halves`.
    clips : int
        Clips of all walks.
    delta : float
        A bound on the chance of any clip.
    """

    indices: IntArray
    mmd: float
    variance: float
    clips: int
    delta: float


def thin(
    points: ArrayLike,
    halvings: int = 1,
    kernel: Kernel | str = "gaussian",
    *,
    split_kernel: Kernel | str | None = None,
    passes: int = 2,
    delta: float = DELTA,
    seed: int = 0,
) -> Coreset:
    r"""Thin n points to about n / 2^h of them, much closer to all points than a random choice is.

    Halve all points, halve both halves, and so on h times; of the 2^h coresets, and the one of every 2^h-th
    point, keep the one with the smallest MMD; then replace each point by the one that makes the MMD
    smallest, and do so in several `passes`. O(n^2) values of the kernels, and no matrix of them.

    Parameters
    ----------
    points : array (n, d)
    halvings : int
        h >= 0, with 2^h <= n. Coresets have n / 2^h points, rounded down or up.
    kernel : Kernel or str
        The target: what the MMD is measured with.
    split_kernel : Kernel or str, optional
        What the halving walks in; the target by default.
    passes : int
        Rounds of swaps; none worsens the MMD.
    delta : float
        Chance of a clip in any walk.
    seed : int

    References
    ----------
    Dwivedi, Mackey, "Kernel Thinning", arXiv 2105.05842, Algorithm 1 (split, then swap); "Generalized Kernel
    Thinning", arXiv 2110.01593 (any split kernel). Published, recalled.

    Examples
    --------
    >>> points = np.linspace(0.0, 1.0, 64)[:, None]
    >>> coreset = thin(points, 3, "gaussian", seed=0)
    >>> len(coreset.indices), coreset.mmd < 0.01
    (8, True)
    """
    table, target = as_points(points), make_kernel(kernel)
    walk_kernel = target if split_kernel is None else make_kernel(split_kernel, "split_kernel")
    rounds = _checks.integer("halvings", halvings, low=0, high=len(table).bit_length() - 1)
    count = _checks.integer("passes", passes, low=0)
    chance = _checks.chance("delta", delta)
    rng = stream(_checks.integer("seed", seed, low=0), Role.THINNING)
    return thinned(table, np.arange(len(table)), rounds, walk_kernel, target, count, chance, rng)


def thinned(
    table: FloatArray,
    rows: IntArray,
    halvings: int,
    walk_kernel: Kernel,
    target: Kernel,
    passes: int,
    delta: float,
    rng: Generator,
) -> Coreset:
    """Thin the points in `rows`."""
    X = table[rows]
    candidates, variance, clips = [np.arange(len(rows))], 0.0, 0
    for _ in range(halvings):
        halves: list[IntArray] = []
        for parent in candidates:
            walk = walk_of(X, parent, walk_kernel, delta / max(1, halvings * len(candidates)), rng)
            halves += split(parent, walk.eps)
            variance, clips = max(variance, walk.variance), clips + walk.clips
        candidates = halves
    distances = Distances(X, target)
    if halvings > 0:
        candidates.append(np.arange(2**halvings - 1, len(rows), 2**halvings))
    errors = [distances.mmd(one) for one in candidates]
    best, error = distances.refined(candidates[int(np.argmin(errors))], passes, rng)
    return Coreset(rows[best], error, variance, clips, delta)
