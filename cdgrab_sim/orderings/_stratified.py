"""Stratified rounds: one example of each stratum after the other."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from cdgrab_sim import _checks
from cdgrab_sim._records import Ordering
from cdgrab_sim._types import IntArray
from cdgrab_sim.orderings._orders import drawn
from cdgrab_sim.orderings._registry import ORDERINGS


@ORDERINGS.register
def stratified(*, strata: int = 8) -> Ordering:
    """Stratified rounds: every round shows one example of each stratum, in random order.

    Strata are ranges of neighbours, as where the data of each worker is sorted by its label; each has a new
    random order every epoch. Where sizes differ, the larger ones fill the last rounds.

    Parameters
    ----------
    strata : int
        Their number.

    References
    ----------
    theory/notes, R10.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> order = cg.herding.order(np.zeros((12, 1)), stratified(strata=3))
    >>> [len(set(round // 4)) for round in order.reshape(4, 3)]
    [3, 3, 3, 3]
    """
    q = _checks.size("strata", strata)

    def draw(m: int, n: int, rng: Generator) -> IntArray:
        stratum = np.arange(n) * min(q, n) // n
        u = rng.random((m, 2 * n))  # worker by worker, so that row i does not depend on m
        inside = np.argsort(np.argsort(stratum + u[:, :n], axis=1), axis=1)
        turn = inside - np.searchsorted(stratum, stratum)
        return np.argsort(turn + u[:, n:], axis=1)

    return drawn("stratified", draw, provenance="textbook; R10 proved here")
