"""Epochs of `simulate` over orders of one's own, one after the other or all that exist."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim._records import Ordering, Problem, Record
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.synchronous._simulate import simulate


class _Given(NamedTuple):
    pi: IntArray  # (m, n)
    epoch: int


def given(orders: Sequence[ArrayLike]) -> Ordering:
    """Return the ordering that uses these orders (m, n), one per epoch, over and over; repeats allowed."""
    rows = [np.array(pi, dtype=np.int64) for pi in orders]

    def advance(state: _Given, rng: Any) -> _Given:
        return _Given(rows[(state.epoch + 1) % len(rows)], state.epoch + 1)

    return Ordering("given", lambda problem, rng: _Given(rows[0], 0), None, advance, replacement=True)


def last(
    problem: Problem, orders: Sequence[ArrayLike], alpha: float, x0: ArrayLike, epochs: int = 0
) -> FloatArray:
    """Return where `simulate` ends after these orders, or after more epochs of them."""
    run = simulate(
        problem,
        given(orders),
        epochs=epochs or len(orders),
        step_size=alpha,
        x0=x0,
        record=Record(every=10**9, loss=False, grad_norm=False),
    )
    x: FloatArray = run.x[0]
    return x


def permutations(m: int, n: int) -> Iterator[IntArray]:
    """Yield every m-tuple of orders."""
    rows = list(itertools.permutations(range(n)))
    return (np.array(pi) for pi in itertools.product(rows, repeat=m))


def draws(m: int, n: int) -> Iterator[IntArray]:
    """Yield every m-tuple of n draws with replacement."""
    rows = list(itertools.product(range(n), repeat=n))
    return (np.array(pi) for pi in itertools.product(rows, repeat=m))
