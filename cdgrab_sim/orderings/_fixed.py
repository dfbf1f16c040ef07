"""The same order every epoch: given, that of the data, or shuffled once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._records import Ordering, Problem
from cdgrab_sim._types import IntArray
from cdgrab_sim.orderings._orders import random_orders
from cdgrab_sim.orderings._registry import ORDERINGS


class FixedState(NamedTuple):
    """Orders that stay."""

    pi: IntArray  # (m, n)


@ORDERINGS.register
def fixed(pi: ArrayLike | None = None) -> Ordering:
    """Follow given orders in every epoch.

    Parameters
    ----------
    pi : int array (n,) or (m, n), optional
        One permutation for all workers, or one for each; the order of the data by default.

    Raises
    ------
    ValueError
        When the run starts, if a row is not a permutation of 0..n-1.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.quadratic(m=2, n=4, d=1)
    >>> run = cg.simulate(
    ...     problem, fixed([3, 1, 0, 2]), epochs=2, step_size=0.1, record=cg.Record(orders=True)
    ... )
    >>> run.orders[0, -1].tolist()
    [[3, 1, 0, 2], [3, 1, 0, 2]]
    """
    given = None if pi is None else np.array(_checks.array("pi", pi))  # a copy, which nobody changes

    def init(problem: Problem, rng: Generator) -> FixedState:
        rows = np.arange(problem.n) if given is None else given
        return FixedState(_checks.orders("pi", rows, problem.m, problem.n))

    return _staying("fixed", init, provenance="textbook")


@ORDERINGS.register
def ig() -> Ordering:
    """Incremental gradient: every worker follows the order of its data, in every epoch.

    References
    ----------
    Gurbuzbalaban, Ozdaglar, Parrilo, "Convergence Rate of Incremental Gradient and Newton Methods", arXiv
    1510.08562.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> cg.herding.order(np.zeros((4, 1)), ig(), rounds=3)
    array([0, 1, 2, 3])
    """
    return _staying(
        "ig",
        fixed().init,
        slopes="ig",
        provenance="arXiv 1510.08562, recalled",
        look=("#999999", "P", (0, (3, 1, 1, 1, 1, 1))),
    )


@ORDERINGS.register
def so() -> Ordering:
    """Shuffle once: every worker draws one permutation, independently, and keeps it.

    References
    ----------
    Safran, Shamir, "How Good is SGD with Random Shuffling?", arXiv 1908.00045, which calls it single
    shuffling.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> first, later = (cg.herding.order(np.zeros((16, 1)), so(), rounds) for rounds in (0, 3))
    >>> bool((first == later).all())
    True
    """
    return _staying(
        "so",
        lambda problem, rng: FixedState(random_orders(problem.m, problem.n, rng)),
        slopes="so",
        provenance="arXiv 1908.00045, read",
        look=("#CC79A7", "X", (0, (5, 1))),
    )


def _staying(name: str, init: Callable[[Problem, Generator], FixedState], **known: Any) -> Ordering:
    return Ordering(name, init, None, lambda state, rng: state, verified=True, family="fixed", **known)
