"""Which rows of a table go to which worker: exactly n each, no row twice."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray, IntArray

_ROWS, _SHARES, _WITHIN = 16, 17, 18  # fields of the DATA role, apart from those of synthetic data


def iid(y: NDArray[Any], m: int, n: int, *, seed: int) -> IntArray:
    """Return random rows (m, n) without replacement; those of worker i do not depend on m."""
    return stream(seed, Role.DATA, _ROWS).permutation(len(y))[: m * n].reshape(m, n)


def by_target(y: NDArray[Any], m: int, n: int, *, seed: int) -> IntArray:
    """Return m n random rows, sorted by y and cut into one block per worker."""
    chosen = iid(y, m, n, seed=seed).reshape(-1)
    blocks = chosen[np.argsort(y[chosen], kind="stable")].reshape(m, n)
    return stream(seed, Role.DATA, _WITHIN).permuted(blocks, axis=1)


def dirichlet(labels: IntArray, m: int, n: int, *, concentration: float, seed: int) -> IntArray:
    """Return rows (m, n) where the classes of worker i have shares p_i ~ Dirichlet(concentration).

    Workers choose one after the other, see :func:`fill`; within a class rows are taken in random order.
    """
    order = stream(seed, Role.DATA, _ROWS).permutation(len(labels))
    waiting = [order[labels[order] == c] for c in range(int(labels.max()) + 1)]
    shares = _shares(concentration, len(waiting), m, stream(seed, Role.DATA, _SHARES))
    used = np.zeros(len(waiting), dtype=np.int64)
    sizes = np.array([len(rows) for rows in waiting])
    table = np.empty((m, n), dtype=np.int64)
    for i in range(m):
        counts = fill(shares[i], sizes - used, n)
        pieces = [rows[a : a + k] for rows, a, k in zip(waiting, used, counts, strict=True)]
        table[i] = np.concatenate(pieces)
        used += counts
    return stream(seed, Role.DATA, _WITHIN).permuted(table, axis=1)


def _shares(concentration: float, classes: int, m: int, rng: Generator) -> FloatArray:
    return rng.dirichlet(np.full(classes, concentration), size=m)


def fill(shares: FloatArray, available: IntArray, n: int) -> IntArray:
    """Return how many of n places each class gets: greedily, the class furthest below its share first.

    Parameters
    ----------
    shares : array (classes,)
        Nonnegative, summing to one.
    available : int array (classes,)
        Rows that each class has left; at least n together.
    n : int

    Examples
    --------
    >>> fill(np.array([0.5, 0.3, 0.2]), np.array([9, 9, 9]), 4)
    array([2, 1, 1])
    >>> fill(np.array([0.9, 0.1, 0.0]), np.array([1, 9, 9]), 4)
    array([1, 2, 1])
    """
    counts = np.minimum(np.floor(n * shares).astype(np.int64), available)
    for _ in range(n - int(counts.sum())):
        missing = np.where(counts < available, n * shares - counts, -np.inf)
        counts[np.argmax(missing)] += 1
    return counts
