"""Orders that look at nothing: with replacement, and random reshuffling."""

from __future__ import annotations

from typing import NamedTuple

from numpy.random import Generator

from cdgrab_sim._types import IntArray, Ordering, Problem
from cdgrab_sim.orderings._orders import random_orders


class DrawnState(NamedTuple):
    """Orders drawn anew every epoch."""

    pi: IntArray  # (m, n)


def sgd() -> Ordering:
    """SGD with replacement: worker i visits n examples drawn independently and uniformly.

    Examples
    --------
    >>> sgd().replacement
    True
    """

    def draw(shape: tuple[int, int], rng: Generator) -> DrawnState:
        return DrawnState(rng.integers(shape[1], size=shape))

    return Ordering(
        "sgd",
        init=lambda problem, rng: draw((problem.m, problem.n), rng),
        observe=None,
        advance=lambda state, rng: draw(state.pi.shape, rng),
        replacement=True,
        verified=True,
    )


def rr() -> Ordering:
    """Random reshuffling: every worker draws a new permutation every epoch, independently.

    On m workers this is D-RR of arXiv 2302.00845. The prefix sums of a random order are of size sqrt(n) in
    one worker and sqrt(m n) in all together.

    References
    ----------
    Mishchenko, Khaled, Richtarik, "Random Reshuffling: Simple Analysis with Vast Improvements", arXiv
    2006.05988; on m workers Yun, Rajput, Sra, arXiv 2110.10342.

    Examples
    --------
    >>> rr().observe is None
    True
    """

    def init(problem: Problem, rng: Generator) -> DrawnState:
        return DrawnState(random_orders(problem.m, problem.n, rng))

    def advance(state: DrawnState, rng: Generator) -> DrawnState:
        m, n = state.pi.shape
        return DrawnState(random_orders(m, n, rng))

    return Ordering("rr", init, None, advance, verified=True)
