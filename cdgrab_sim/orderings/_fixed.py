"""The same order every epoch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._types import IntArray, Ordering, Problem


class FixedState(NamedTuple):
    """Orders that stay."""

    pi: IntArray  # (m, n)


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

    def init(problem: Problem, rng: Generator) -> FixedState:
        rows = np.arange(problem.n) if pi is None else pi
        return FixedState(_checks.orders("pi", rows, problem.m, problem.n))

    return Ordering("fixed", init, None, lambda state, rng: state, verified=True)
