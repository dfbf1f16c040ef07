"""Herding (H): what reorders do to prefix sums, measured with `cdgrab_sim.herding`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.random import Generator

from cdgrab_sim import balancing, herding, orderings, problems
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.experiments.statements._instances import (
    NORMS,
    centred,
    largest,
    one_round,
    pair_differences,
    pair_signs,
    prefixes,
    random_orders,
    vectors,
)
from cdgrab_sim.experiments.statements._statement import (
    Measured,
    difference,
    identity,
    lower,
    mean,
    ratio,
    upper,
)
from cdgrab_sim.orderings._sketched import project
from cdgrab_sim.orderings._states import states
from theory import herding as theory

SIZE = 10.0  # of the numbers that are summed: what is left of sums that vanish is rounding of these


def _one_list(rng: Generator, number: int) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Draw vectors, an order, signs for it (greedy or coins) and the order they ask for."""
    z = vectors(rng, number, int(rng.integers(2, 12)), int(rng.integers(1, 4)))
    pi = rng.permutation(len(z))
    rule = ("greedy", "random")[number % 2]
    eps = balancing.signs(z[pi], rule, seed=int(rng.integers(2**31)))
    return z, pi, eps, pi[herding.reorder(eps)]


@identity("H1", "prefix sums after a reorder", cases=300, tol=1e-12)
def reordered(rng: Generator, number: int) -> Measured:
    z, pi, eps, after = _one_list(rng, number)
    S, R = np.cumsum(z[pi], axis=0), np.cumsum(eps[:, None] * z[pi], axis=0)
    return difference(np.cumsum(z[after], axis=0), theory.reordered_prefixes(S, R, eps), SIZE)


@identity("H1", "herding errors and discrepancies are norms of prefix sums", cases=200, tol=1e-12)
def prefix_norms(rng: Generator, number: int) -> Measured:
    z, pi, eps, _ = _one_list(rng, number)
    S, R, norm = np.cumsum(z[pi], axis=0), np.cumsum(eps[:, None] * z[pi], axis=0), ("inf", "l2")[number % 2]
    return [
        difference(herding.error(z, pi, norm), largest(S, norm), SIZE),
        difference(balancing.prefix_discrepancy(z[pi], eps, norm), largest(R, norm), SIZE),
    ]


@upper("H1", "herding error after a reorder", cases=600, tight=0.99)
def reorder(rng: Generator, number: int) -> Measured:
    z, pi, eps, after = _one_list(rng, number)
    z = centred(z) if number % 3 else z
    norm = ("inf", "l2")[number // 3 % 2]
    old, signed = herding.error(z, pi, norm), balancing.prefix_discrepancy(z[pi], eps, norm)
    total = largest(z.sum(axis=0), norm) if number % 3 == 0 else 0.0
    return ratio(herding.error(z, after, norm), theory.reorder_bound(old, signed, total), SIZE)


def _stale(rng: Generator, number: int) -> tuple[FloatArray, FloatArray, IntArray, IntArray, IntArray]:
    z, pi, _, _ = _one_list(rng, number)
    shift = vectors(rng, number, z.shape[1])
    eps = balancing.signs(z[pi] - z.mean(axis=0) + shift)  # the stale mean is off by `shift`
    return z - z.mean(axis=0), shift, pi, eps, pi[herding.reorder(eps)]


@identity("H2", "signed sums around another centre", cases=200, tol=1e-12)
def stale_mean(rng: Generator, number: int) -> Measured:
    z, shift, pi, eps, _ = _stale(rng, number)
    stale, exact = (np.cumsum(eps[:, None] * v, axis=0) for v in (z[pi] + shift, z[pi]))
    return difference(exact, theory.recentred_signed_sums(stale, eps, shift), SIZE)


@upper("H2", "herding error after balancing around a stale mean", cases=600, tight=0.9)
def stale_mean_bound(rng: Generator, number: int) -> Measured:
    z, shift, pi, eps, after = _stale(rng, number)
    norm = ("inf", "l2")[number // 3 % 2]
    bound = theory.stale_mean_bound(
        herding.error(z, pi, norm),
        balancing.prefix_discrepancy(z[pi] + shift, eps, norm),
        float(np.abs(np.cumsum(eps)).max()),
        largest(shift, norm),
    )
    return ratio(herding.error(z, after, norm), bound, SIZE)


def _pairs(
    rng: Generator, number: int, m: int
) -> tuple[FloatArray, IntArray, IntArray, FloatArray, FloatArray]:
    """Draw vectors of m workers with total zero, orders before and after one round of pairs; S and Rp."""
    n, d = int(rng.integers(2, 12)), int(rng.integers(1, 4))
    z = centred(vectors(rng, number, m, n, d) + 3.0 * rng.standard_normal((m, 1, d)), (0, 1))
    pi = random_orders(rng, m, n)
    after = one_round(z, "cd-grab", pi)
    signed = pair_signs(pi, after)[..., None] * pair_differences(z, pi)
    return z, pi, after, prefixes(z, pi), np.cumsum(signed.sum(axis=0), axis=0)


def _pair_identity(rng: Generator, number: int, m: int) -> float:
    z, _, after, S, Rp = _pairs(rng, number, m)
    return difference(prefixes(z, after), theory.pair_reordered_prefixes(S, Rp), SIZE)


def _pair_bound(rng: Generator, number: int, m: int) -> FloatArray:
    z, _, after, S, Rp = _pairs(rng, number, m)
    norm = ("inf", "l2")[number % 2]
    bound = theory.reorder_bound(largest(S[1::2], norm), largest(Rp, norm))
    return ratio(herding.error(z, after, norm), bound, SIZE)


@identity("H3", "prefix sums after a round of pairs", cases=300, tol=1e-12)
def pairs_of_one(rng: Generator, number: int) -> Measured:
    return _pair_identity(rng, number, 1)


@upper("H3", "herding error after a round of pairs", cases=600, tight=0.99)
def bound_of_one(rng: Generator, number: int) -> Measured:
    return _pair_bound(rng, number, 1)


@identity("H4", "prefix sums after a round of coordinated pairs", cases=300, tol=1e-12)
def pairs_of_many(rng: Generator, number: int) -> Measured:
    return _pair_identity(rng, number, int(rng.integers(2, 6)))


@upper("H4", "herding error after a round of coordinated pairs", cases=600, tight=0.95)
def bound_of_many(rng: Generator, number: int) -> Measured:
    return _pair_bound(rng, number, int(rng.integers(2, 6)))


@upper("H4", "herding error after a round of independent pairs", cases=300, tight=0.9)
def independent_pairs(rng: Generator, number: int) -> Measured:
    m, n, d = (int(k) for k in rng.integers((1, 2, 1), (5, 10, 4)))
    z, pi = centred(vectors(rng, number, m, n, d), (1,)), random_orders(rng, m, n)
    after = one_round(z, "d-grab-pair", pi)
    signed = np.cumsum(pair_signs(pi, after)[..., None] * pair_differences(z, pi), axis=1)
    norm = ("inf", "l2")[number % 2]
    old = [herding.error(one, order, norm) for one, order in zip(z, pi, strict=True)]
    bound = theory.independent_reorder_bound(old, [largest(one, norm) for one in signed])
    return ratio(herding.error(z, after, norm), bound, SIZE)


@lower("H4", "without pairs some instance breaks the joint bound", cases=5, loose=3.0)
def unpaired(rng: Generator, number: int) -> Measured:
    worst = 0.0
    for k in range(100):
        z, pi = centred(vectors(rng, k, 2, 3, 1), (0, 1)), random_orders(rng, 2, 3)
        ordered = np.take_along_axis(z, pi[..., None], axis=1)
        eps = balancing.signs(ordered, scope="coordinated")
        after = np.take_along_axis(pi, herding.reorder(eps), axis=1)
        signed = balancing.prefix_discrepancy(ordered, eps, "l2")
        bound = theory.reorder_bound(herding.error(z, pi, "l2"), signed)
        worst = max(worst, herding.error(z, after, "l2") / max(bound, 1e-9))
    return worst


@upper("H5", "herding errors of repeated rounds", cases=60, tight=0.95)
def repeated(rng: Generator, number: int) -> Measured:
    rounds, m, n, d = 6, *(int(k) for k in rng.integers((1, 2, 1), (5, 16, 4)))
    z, pi = centred(vectors(rng, number, m, n, d), (0, 1)), random_orders(rng, m, n)
    norm = ("inf", "l2")[number % 2]
    orders = [herding.order(z, "cd-grab", t, pi) for t in range(rounds + 1)]
    signed = [
        np.cumsum((pair_signs(a, b)[..., None] * pair_differences(z, a)).sum(axis=0), axis=0)
        for a, b in pairwise(orders)
    ]
    errors = herding.curve(z, "cd-grab", rounds, pi, norm=norm)
    bounds = theory.repeated_reorder_bound(errors[0], [largest(R, norm) for R in signed])
    return ratio(errors[1:], bounds[1:], SIZE)


@upper("H6", "herding error of the Steinitz order", cases=40, tight=0.6)
def steinitz(rng: Generator, number: int) -> Measured:
    z = centred(vectors(rng, number, int(rng.integers(3, 16)), int(rng.integers(1, 4))))
    pi = herding.steinitz_order(z)
    return np.concatenate(
        [
            ratio(herding.error(z, pi, norm), theory.steinitz_bound(z.shape[1], largest(z, norm)), SIZE)
            for norm in NORMS
        ]
    )


@lower("H6", "herding error of one list, whatever the order", cases=200, loose=1.01)
def at_least_half(rng: Generator, number: int) -> Measured:
    z = centred(vectors(rng, number, int(rng.integers(2, 12)), int(rng.integers(1, 4))))
    pi = herding.order(z, "d-grab-pair", rounds=int(rng.integers(0, 6)), first=rng.permutation(len(z)))
    if number % 20 == 0:  # attained: one large vector between two halves that undo it
        z, pi = np.array([[2.0], [-1.0], [-1.0]]) * rng.random(), np.array([1, 0, 2])
    bound = theory.herding_lower_bound(np.linalg.norm(z, axis=1))
    return ratio(herding.error(z, pi, "l2"), bound, SIZE)


@upper("H7", "signed sums of the constructed signs", cases=100, tight=0.5)
def constructed_signs(rng: Generator, number: int) -> Measured:
    z = vectors(rng, number, int(rng.integers(2, 60)), int(rng.integers(1, 4)))
    eps = balancing.signs(z, "prefix")
    return np.concatenate(
        [
            ratio(
                balancing.prefix_discrepancy(z, eps, norm),
                theory.prefix_signing_bound(z.shape[1], largest(z, norm)),
            )
            for norm in NORMS
        ]
    )


@upper("H8", "herding error after the rounds that transference asks for", cases=30, tight=0.3)
def transferred(rng: Generator, number: int) -> Measured:
    z = centred(vectors(rng, number, int(rng.integers(4, 20)), int(rng.integers(1, 4))))
    d, excess = z.shape[1], 0.01 * largest(z, "l2") or 1.0  # centred copies of one vector are zero
    A = theory.prefix_signing_bound(d, largest(z, "l2"))
    pi = np.argsort(z[:, 0], kind="stable")  # sorted: the worst first order
    for _ in range(theory.transference_rounds(herding.error(z, pi, "l2"), A, excess)):
        pi = pi[herding.reorder(balancing.signs(z[pi], "prefix"))]
    return ratio(herding.error(z, pi, "l2"), A + excess)


@mean("H11", "signed sums where sketches were balanced, less what was seen", cases=150, margin=0.06)
def sketched(rng: Generator, number: int) -> Measured:
    d, K, runs, seed = 6 + number % 5, 16, 128, int(rng.integers(2**31))
    alone = orderings.d_grab_pair(first=np.arange(2 * K))
    ordering = orderings.sketched(alone, 1 + number % 4, ("count", "columns")[number % 2])
    B = rng.standard_normal((d, d))
    stream = np.zeros((runs, 2 * K, d))
    v = stream[:, ::2] = rng.standard_normal((runs, K, d)) @ B.T  # the second of each pair is zero
    first = next(states(ordering, problems.quadratic(m=runs, n=2 * K, d=d), seed))
    S = np.zeros((d, 1 + number % 4))
    project(first, S, np.eye(d), 0)
    new = herding.order(stream, ordering, seed=seed)
    eps = np.where(np.argsort(new, axis=1)[:, ::2] < K, 1.0, -1.0)
    s = np.einsum("rk,rkd->rd", eps, v)
    C = B @ B.T
    seen = s @ S @ np.linalg.pinv(S.T @ C @ S) @ S.T @ C
    chance = K * float(np.trace(theory.left_to_chance(C, S.T)))
    return float(((s**2).sum(axis=1) - (seen**2).sum(axis=1)).mean() / chance)
