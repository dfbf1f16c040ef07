"""Cohorts drawn anew for every round: by size, or by the chances of the workers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, Stream
from cdgrab_sim._types import FloatArray
from cdgrab_sim.participation._participation import PARTICIPATION, Cohorts, Participation


def fits(cohort: int, m: int) -> None:
    """Refuse a cohort larger than m."""
    _checks.integer("cohort", cohort, low=1, high=m)


@PARTICIPATION.register
def uniform(*, cohort: int = 1) -> Participation:
    r"""Draw cohorts of C workers anew for every round, all subsets alike.

    Their mean gradient is that of all in expectation, with the variance

    .. math:: \frac{m - C}{m - 1} \, \frac{\sigma^2}C

    per round, sigma^2 that of the workers' mean gradients: a floor of order alpha, whatever orders the
    examples have (note L7).

    Parameters
    ----------
    cohort : int
        C, 1..m.

    Raises
    ------
    ValueError
        For a cohort larger than m (when the run starts).

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.quadratic(m=4, n=2, d=1)
    >>> drawn = uniform(cohort=2).cohorts(problem, 0, 0)
    >>> [len(set(next(drawn).tolist())) for _ in range(3)]
    [2, 2, 2]
    """
    C = _checks.size("cohort", cohort)

    def cohorts(problem: Problem, seed: int, replicate: int) -> Cohorts:
        fits(C, problem.m)
        draws = Stream(seed, Role.COHORT, replicate)
        for r in count():
            yield np.sort(draws.at(r).permutation(problem.m)[:C])

    return Participation("uniform", cohorts, settings={"cohort": C}, provenance="textbook")


_RAREST = 1e-6  # rounds that find somebody: fewer are a wait without an end


@PARTICIPATION.register
def available(*, chances: ArrayLike | Callable[[Problem], ArrayLike] = 0.5) -> Participation:
    r"""Every worker is there by chance, each by itself; chances may depend on the data.

    Rounds that find nobody are passed over. Where workers with other data have other chances, the mean of
    those who are there is biased: as alpha -> 0 a run ends where

    .. math:: \sum_i \omega_i \nabla f_i(x) = 0, \qquad \omega_i = E \frac{[i \text{ there}]}{\#\text{there}}

    and no order mends it.

    Parameters
    ----------
    chances : float, array (m,), or function of the problem
        In (0, 1].

    Raises
    ------
    ValueError
        For chances outside (0, 1], or not one for each worker (when the run starts).

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> drawn = available(chances=[1.0, 0.5]).cohorts(cg.problems.quadratic(m=2, n=2, d=1), 0, 0)
    >>> sorted({tuple(next(drawn).tolist()) for _ in range(20)})
    [(0,), (0, 1)]
    """
    if callable(chances):
        _checks.takes("chances", chances, "problem")
    given = chances if callable(chances) else _checks.array("chances", chances).tolist()

    def cohorts(problem: Problem, seed: int, replicate: int) -> Cohorts:
        p = _chances(given(problem) if callable(given) else given, problem.m)
        draws = Stream(seed, Role.COHORT, replicate)
        for r in count():
            rng, there = draws.at(r), np.zeros(0, dtype=np.int64)
            while len(there) == 0:
                there = np.flatnonzero(rng.random(problem.m) < p)
            yield there

    said = f"function {getattr(given, '__name__', type(given).__name__)}" if callable(given) else given
    return Participation("available", cohorts, settings={"chances": said}, provenance="textbook")


def _chances(given: ArrayLike, m: int) -> FloatArray:
    p = _checks.floats("chances", given, 1)  # a number is a row of one
    if p.shape not in ((1,), (m,)):
        raise ValueError(f"chances: expected a number, or one for each of m = {m} workers; got {p.shape}")
    if not ((p > 0.0) & (p <= 1.0)).all():
        raise ValueError(f"chances: expected numbers in (0, 1]; got {p.tolist()}")
    together = float(np.broadcast_to(p, m).sum())
    if together < _RAREST:
        raise ValueError(
            f"chances: expected somebody in one of a million rounds; got {together:g} together; raise them"
        )
    return p
