"""Herding of the gradients at one point: the order that nobody can know in advance, as a reference."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._records import Ordering, Problem
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.orderings._fixed import FixedState
from cdgrab_sim.orderings._registry import ORDERINGS


@ORDERINGS.register
def herding(at: ArrayLike | None = None) -> Ordering:
    r"""Follow the greedy herding order of the gradients at one point, in every epoch.

    With z the gradients there, each less its worker's mean: for the steps k and within a step for the workers
    i, take the example left whose z gives the shortest sum of all z so far. An ideal reference: it costs
    O(m d n^2) and all gradients at a point that is not known before the run.

    Parameters
    ----------
    at : array (d,), optional
        The point; by default the problem's minimiser x_star where it is known, else the origin, from which
        `simulate` starts.

    Returns
    -------
    Ordering

    References
    ----------
    Greedy example selection: Lu, Meng, De Sa, "A General Analysis of Example-Selection for Stochastic
    Gradient Descent", ICLR 2022; herding: arXiv 2205.10733.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> z = [[2.0], [1.0], [-1.0], [-2.0]]  # gradients that are the same at every point
    >>> cg.herding.order(z, herding())
    array([1, 2, 0, 3])
    """

    def init(problem: Problem, rng: Generator) -> FixedState:
        if at is not None:
            x = _checks.vector("at", at, problem.d)
        else:
            x = np.zeros(problem.d) if problem.x_star is None else problem.x_star
        z = problem.gradients(x)
        return FixedState(greedy_order(z - (np.cumsum(z, axis=1)[:, -1:] / problem.n)))

    return Ordering(
        "herding",
        init,
        provenance="Lu, Meng, De Sa, ICLR 2022, recalled",
        observe=None,
        advance=lambda state, rng: state,
        verified=True,
        family="ideal",
    )


def greedy_order(z: FloatArray) -> IntArray:
    r"""Order the vectors (m, n, d) of m workers step by step and within a step worker by worker.

    Each time take the vector that is left with the smallest \|s + z\|_2, the first of them on a tie, with s
    the sum of all vectors taken before. O(m n^2 d).
    """
    m, n, d = z.shape
    pi, s = np.empty((m, n), dtype=np.int64), np.zeros(d)
    left = [np.arange(n) for _ in range(m)]
    for k in range(n):
        for i in range(m):
            ahead = s + z[i, left[i]]
            at = int(np.argmin(np.cumsum(ahead * ahead, axis=1)[:, -1]))
            s, pi[i, k] = ahead[at], left[i][at]
            left[i] = np.delete(left[i], at)
    return pi
