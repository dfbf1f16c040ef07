"""Drawing orders: the first ones of every ordering, and all of those of random reshuffling."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim._types import IntArray


def random_orders(m: int, n: int, rng: Generator) -> IntArray:
    """Draw one permutation per worker, in worker order: row i does not depend on m."""
    rows = np.tile(np.arange(n, dtype=np.int64), (m, 1))  # C order, which a broadcast view would lose
    return rng.permuted(rows, axis=1, out=rows)


def first_orders(first: ArrayLike | None, problem: Problem, rng: Generator) -> IntArray:
    """Return the given first orders, checked, or draw them."""
    if first is None:
        return random_orders(problem.m, problem.n, rng)
    return _checks.orders("first", first, problem.m, problem.n)
