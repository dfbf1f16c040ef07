"""Balancing (V): what signs do to prefix sums, measured with `cdgrab_sim.balancing`."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.random import Generator

from cdgrab_sim import balancing
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments.statements._instances import (
    one_round,
    pair_differences,
    pair_signs,
    random_orders,
    vectors,
)
from cdgrab_sim.experiments.statements._statement import (
    Measured,
    difference,
    identity,
    mean,
    ratio,
    reference,
    upper,
)
from theory import balancing as theory
from theory.balancing import LAWS
from theory.herding import prefix_signing_bound

DELTA = 0.1  # failure probability of bounds that hold with high probability; far from it, as they are loose


def upper_quantile(values: FloatArray) -> float:
    """Return what only a share `DELTA` of the values exceeds; infinite where more of them are."""
    return float(np.quantile(values, 1.0 - DELTA, method="inverted_cdf"))


def _greedy_sums(z: FloatArray) -> FloatArray:
    return np.cumsum(balancing.signs(z)[:, None] * z, axis=0)


@identity("V1", "squared norms of greedy sums", cases=300)
def greedy_squares(rng: Generator, number: int) -> Measured:
    z = vectors(rng, number, int(rng.integers(1, 40)), int(rng.integers(1, 20)))
    return greedy_difference(balancing.signs(z)[:, None] * z)


@identity("V1", "squared norms of the running sums of cd-grab and d-grab-pair", cases=200)
def running_squares(rng: Generator, number: int) -> Measured:
    m, n, d = (int(k) for k in rng.integers((1, 2, 1), (6, 20, 6)))
    z, pi = vectors(rng, number, m, n, d), random_orders(rng, m, n)
    ordering = ("cd-grab", "d-grab-pair")[number % 2]
    signed = pair_signs(pi, one_round(z, ordering, pi))[..., None] * pair_differences(z, pi)
    if ordering == "cd-grab":  # one sum: step by step, within a step worker by worker
        signed = signed.swapaxes(0, 1).reshape(1, -1, d)
    return [greedy_difference(one) for one in signed]


def greedy_difference(signed: FloatArray) -> float:
    """Hold signed vectors (k, d), in the order of their sum, against the identity of the greedy rule."""
    sums = np.cumsum(signed, axis=0)
    inner = np.sum(np.vstack([np.zeros_like(sums[:1]), sums[:-1]]) * signed, axis=1)
    predicted = theory.greedy_squared_norms(np.linalg.norm(signed, axis=1), inner)
    return difference(np.sum(sums**2, axis=1), predicted, float(np.sum(signed**2, axis=1).max()))


@upper("V1", "greedy sums", cases=300, tight=0.999)
def greedy_prefixes(rng: Generator, number: int) -> Measured:
    k, d = int(rng.integers(2, 40)), int(rng.integers(2, 20))
    z = vectors(rng, number, k, d) if number % 10 else theory.greedy_worst_case(k, d)
    bounds = theory.greedy_prefix_bound(np.linalg.norm(z, axis=1))
    return ratio(np.linalg.norm(_greedy_sums(z), axis=1), bounds)[1:]  # the first is an equality


@identity("V2", "greedy reaches sqrt(k)", cases=10, tol=1e-8)
def greedy_worst(rng: Generator, number: int) -> Measured:
    k, d = int(rng.integers(2, 2000)), int(rng.integers(2, 12))
    z = theory.greedy_worst_case(k, d)
    return difference(balancing.prefix_discrepancy(z, balancing.signs(z), "l2"), math.sqrt(k))


@upper("V2", "greedy sums on the line", cases=200, tight=0.99)
def greedy_line(rng: Generator, number: int) -> Measured:
    z = vectors(rng, number, 50, 1)
    return ratio(np.abs(_greedy_sums(z)[:, 0]), theory.greedy_line_bound(np.abs(z[:, 0])))[1:]


@mean("V3", "long-run mean norm of greedy sums", cases=24, margin=0.01)
def greedy_stationary(rng: Generator, number: int) -> Measured:
    d, law = (2, 5, 16, 64)[number % 4], LAWS[number // 4 % 2]
    z = rng.standard_normal((20_000, d))
    if law == "sphere":
        z /= np.linalg.norm(z, axis=1, keepdims=True)
    return np.linalg.norm(_greedy_sums(z), axis=1).mean() / theory.greedy_stationary_norm(d, law)


@mean("V3", "sum of the expected greedy norms", cases=24, margin=0.01)
def greedy_norm_sum(rng: Generator, number: int) -> Measured:
    # From r_0 = 0, where the stationary mean is not yet reached: 4000 workers are 4000 repetitions.
    n, d = 12, 2 + number % 4
    z = rng.standard_normal((4000, n, d))
    sums = np.cumsum(balancing.signs(z)[..., None] * z, axis=1)
    measured = np.linalg.norm(sums[:, :-1], axis=2).sum(axis=1).mean()
    last = float(np.sum(sums[:, -1] ** 2, axis=1).mean())
    return measured / theory.greedy_norm_sum(n, d, theory.mean_projection(d, "gaussian"), last)


def _all_signed_sums(z: FloatArray) -> FloatArray:
    eps = np.array(list(itertools.product((1.0, -1.0), repeat=len(z))))
    return np.cumsum(eps[..., None] * z, axis=1)


@identity("V4", "second moment under fair coins, by enumeration", cases=30)
def coins_second_moment(rng: Generator, number: int) -> Measured:
    z = vectors(rng, number, int(rng.integers(1, 9)), int(rng.integers(1, 5)))
    measured = np.mean(np.sum(_all_signed_sums(z) ** 2, axis=2), axis=0)
    return difference(measured, theory.random_signs_second_moment(np.linalg.norm(z, axis=1)))


@upper("V4", "expected squared maximum under fair coins, by enumeration", cases=30, tight=0.25)
def coins_maximum(rng: Generator, number: int) -> Measured:
    z = vectors(rng, number, int(rng.integers(1, 9)), int(rng.integers(1, 5)))
    measured = np.mean(np.sum(_all_signed_sums(z) ** 2, axis=2).max(axis=1))
    return ratio(measured, 4.0 * theory.random_signs_second_moment(np.linalg.norm(z, axis=1))[-1])


def _coins(rng: Generator, z: FloatArray, repetitions: int) -> FloatArray:
    """Return the signed sums (repetitions, n, d) of the rule "random" on the same vectors."""
    same = np.broadcast_to(z, (repetitions, *z.shape))
    eps = balancing.signs(same, "random", seed=int(rng.integers(2**31)))
    return np.cumsum(eps[..., None] * z, axis=1)


@mean("V4", "second moment of the rule 'random'", cases=24, margin=0.02)
def coins_of_the_rule(rng: Generator, number: int) -> Measured:
    z = vectors(rng, number, 20, 3)
    squares = np.sum(_coins(rng, z, 6000) ** 2, axis=2)
    return np.mean(squares.mean(axis=0) / theory.random_signs_second_moment(np.linalg.norm(z, axis=1)))


@upper("V4", "run that only one in ten exceeds, over the bounds", cases=10, tight=0.5)
def coins_tails(rng: Generator, number: int) -> Measured:
    z = vectors(rng, number, 30, 4)
    sums = _coins(rng, z, 1000)
    in_inf = theory.random_signs_inf_bound(float(np.sum(z**2, axis=0).max()), z.shape[1], DELTA)
    in_l2 = theory.random_signs_l2_bound(np.linalg.norm(z, axis=1), DELTA)
    return [
        upper_quantile(np.abs(sums).max(axis=(1, 2))) / in_inf,
        upper_quantile(np.linalg.norm(sums, axis=2).max(axis=1)) / in_l2,
    ]


@reference("V9", "Banaszczyk's prefixes over those of the walk (V6), inf-norm")
def banaszczyk(rng: Generator, number: int) -> Measured:
    N, d, delta = 1000, 8, 0.05
    return ratio(theory.banaszczyk_prefix_bound(N, d, "inf"), theory.self_balancing_bound(N, d, delta, "inf"))


@reference("V9", "Barany and Grinberg's signs over those of H7")
def barany_grinberg(rng: Generator, number: int) -> Measured:
    return ratio(theory.barany_grinberg_bound(8), prefix_signing_bound(8))


@reference("V9", "Spencer's signs over fair coins (V4), n sets of n")
def spencer(rng: Generator, number: int) -> Measured:
    n = 1000
    return ratio(theory.spencer_bound(n), theory.random_signs_inf_bound(n, n, 0.5))
