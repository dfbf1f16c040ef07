"""Who takes part, step by step: the rounds of an update, one after the other, whatever epochs do."""

from __future__ import annotations

from collections.abc import Iterator
from types import GeneratorType

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem, Seen, Update
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.participation import Participation


class Rounds:
    """The rounds of one chain.

    Parameters
    ----------
    participation : Participation
    update : Update
    problem : Problem
    seed, replicate : int

    Raises
    ------
    ValueError
        For an update that remembers something about single workers, or cohorts that are none.
    """

    def __init__(
        self, participation: Participation, update: Update, problem: Problem, seed: int, replicate: int
    ) -> None:
        if not update.stateless:
            raise ValueError(
                f"update {update.name!r}: expected one that is stateless where workers are absent; got one "
                "that remembers single workers"
            )
        self._participation, self._problem = participation, problem
        self._length: int = update.settings.get("steps", 1) or problem.n
        self._cohorts = _checks.instance(
            f"participation {participation.name!r}: cohorts",
            participation.cohorts(problem, seed, replicate), GeneratorType, "a generator of cohorts",
        )  # fmt: skip
        self._begin(None)

    def pieces(self, batch: int) -> Iterator[tuple[int, int, IntArray]]:
        """Yield (k0, k1, who) for an epoch: steps in which the same workers are there."""
        n, k0 = self._problem.n, 0
        while k0 < n:
            if self._left == 0:
                self._begin(self._shown / self._steps if self._participation.looks else None)
            k1 = min(n, k0 + self._left * batch)
            yield k0, k1, self._who
            self._left -= -(-(k1 - k0) // batch)
            k0 = k1

    def see(self, G: FloatArray) -> None:
        """Collect what the workers (steps, w, d) showed, where that decides who comes next."""
        if self._participation.looks:
            for g in G:  # one step after the other, whatever the pieces are
                self._shown += g
            self._steps += len(G)

    def _begin(self, shown: FloatArray | None) -> None:
        where, m = f"participation {self._participation.name!r}: cohorts:", self._problem.m
        try:
            who = _checks.array(where, self._cohorts.send(shown))
        except StopIteration:
            raise ValueError(f"{where} expected a cohort for every round; got no more") from None
        fits = who.ndim == 1 and who.dtype.kind in "iu" and 1 <= len(who) <= m
        if not (fits and who[0] >= 0 and who[-1] < m and (who[1:] >= who[:-1]).all()):
            raise ValueError(f"{where} expected 1 to m = {m} workers in ascending order; got {who.tolist()}")
        self._who, self._left = np.array(who, dtype=np.int64), self._length
        self._shown, self._steps = np.zeros((len(who), self._problem.d)), 0


def once(seen: Seen) -> Seen:
    """Return what an ordering is shown: a worker that stands in a cohort twice shows its examples once.

    Examples
    --------
    >>> G = np.zeros((2, 3, 1))
    >>> once(Seen(0, np.array([4, 4, 7]), np.array([[1, 1, 2], [3, 3, 5]]), G)).at.tolist()
    [[1, 2], [3, 5]]
    """
    who, first = np.unique(seen.who, return_index=True)
    if len(who) == len(seen.who):
        return seen
    return Seen(seen.k0, who, np.ascontiguousarray(seen.at[:, first]), np.ascontiguousarray(seen.G[:, first]))
