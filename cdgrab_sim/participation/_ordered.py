"""Cohorts one after the other from an order of the workers: any ordering can make it."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim import _checks, orderings
from cdgrab_sim._records import Ordering, Problem, Seen
from cdgrab_sim._rng import Role
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.orderings._states import states
from cdgrab_sim.participation._participation import PARTICIPATION, Cohorts, Participation
from cdgrab_sim.participation._uniform import fits


@PARTICIPATION.register
def ordered(*, cohort: int = 1, ordering: Ordering | str = "rr") -> Participation:
    r"""Let workers take part in an order, C of them in a round: m / C rounds are a meta-epoch.

    .. math:: \text{cohort } r = \{ \pi(rC), \dots, \pi(rC + C - 1) \}, \qquad r = 0, \dots, m / C - 1

    The order of the workers is one like any other: `ordering` sees one worker with m examples, whose
    gradients are the mean gradients of a round. "rr" is regularised participation: everybody once in a
    meta-epoch, in a new order each time. "ig" is cyclic participation, "sgd" draws with replacement, and
    balancing orderings herd what the workers show.

    Parameters
    ----------
    cohort : int
        C, a divisor of m.
    ordering : Ordering or str

    Raises
    ------
    ValueError
        For a cohort larger than m, or one that does not divide it (when the run starts).

    References
    ----------
    Regularised participation: Malinovsky, Horvath, Burlachenko, Richtarik, arXiv 2302.03662
    (recalled); cyclic: Cho, Sharma, Joshi, Xu, Kale, Zhang, arXiv 2302.03109 (recalled).

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.quadratic(m=4, n=2, d=1)
    >>> drawn = ordered(cohort=2).cohorts(problem, 0, 0)
    >>> [sorted(np.concatenate([next(drawn), next(drawn)]).tolist()) for _ in range(2)]
    [[0, 1, 2, 3], [0, 1, 2, 3]]
    """
    C, made = _checks.size("cohort", cohort), orderings.make(ordering)

    def cohorts(problem: Problem, seed: int, replicate: int) -> Cohorts:
        m = problem.m
        fits(C, m)
        if m % C:
            raise ValueError(f"cohort: expected a divisor of m = {m}; got {C}")
        for state in states(made, _as_examples(problem), seed, replicate, role=Role.COHORT):
            for k0 in range(0, m, C):
                chosen = np.array(state.pi[0, k0 : k0 + C])
                place = np.argsort(chosen, kind="stable")
                shown = yield chosen[place]
                if made.observe is not None and shown is not None:
                    G = shown[np.argsort(place)]  # back in the order of the workers
                    made.observe(state, Seen(k0, np.zeros(1, dtype=np.int64), chosen[:, None], G[:, None]))

    return Participation(
        "ordered",
        cohorts,
        looks=made.observe is not None,
        settings={"cohort": C, "ordering": made.name},
        provenance="arXiv 2302.03662 and 2302.03109, recalled; made here",
    )


def _as_examples(problem: Problem) -> Problem:
    """Return the problem of one worker whose m examples are the objectives of the workers."""

    def grads(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Any) -> None:
        out[:] = problem.gradients(x).mean(axis=1)[idx]

    return Problem(
        f"workers of {problem.name}",
        m=1,
        n=problem.m,
        d=problem.d,
        data=(),
        grads=grads,
        value=lambda x, data: problem.value(x, problem.arrays),
        x_star=problem.x_star,
    )
