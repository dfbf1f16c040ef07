"""Drawing orders: the first ones of every ordering, and all of those that look at no gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._records import Ordering, Problem
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


class DrawnState(NamedTuple):
    """Orders drawn anew, every epoch or every other one."""

    pi: IntArray  # (m, n)
    backwards: bool = False  # they are the reverse of those before


def drawn(
    name: str, draw: Callable[[int, int, Generator], IntArray], *, reverse: bool = False, **known: Any
) -> Ordering:
    """Return the ordering that draws orders (m, n) by ``draw(m, n, rng)`` in every epoch.

    With `reverse` every other epoch reverses the one before instead.
    """

    def init(problem: Problem, rng: Generator) -> DrawnState:
        return DrawnState(draw(problem.m, problem.n, rng))

    def advance(state: DrawnState, rng: Generator) -> DrawnState:
        if reverse and not state.backwards:
            return DrawnState(np.ascontiguousarray(state.pi[:, ::-1]), backwards=True)
        m, n = state.pi.shape
        return DrawnState(draw(m, n, rng))

    return Ordering(name, init, None, advance, verified=True, family="drawn", **known)
