"""Herding bounds (H, R) and quadratics with one Hessian (Q): worst lists, orders and signs."""

from __future__ import annotations

import itertools
from itertools import pairwise

import numpy as np

from cdgrab_sim import balancing, herding, problems
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.experiments._orders import last
from cdgrab_sim.experiments.statements._instances import (
    largest,
    pair_differences,
    pair_signs,
    prefixes,
)
from cdgrab_sim.experiments.tightness.bounds import between, bound, geometric, whole
from cdgrab_sim.experiments.tightness.signs import DELTA, SAYS, directions
from theory import herding as theory
from theory import quadratics, random_orders


def _centred(p: FloatArray, m: int, d: int = 1) -> FloatArray:
    """Return vectors (m, n, d) whose sum over everything is zero."""
    z = directions(p, d).reshape(m, -1, d)
    return np.asarray(z - z.mean(axis=(0, 1)))


def _share(measured: float, predicted: float) -> float:
    return measured / predicted if predicted > 1e-9 else 0.0


@bound("H1", "herding error after a reorder", 12)
def reorder(p: FloatArray) -> float:
    z, eps = _centred(p[:6], 1)[0], np.where(p[6:] < 0.5, -1, 1)
    pi = np.arange(6)
    signed = balancing.prefix_discrepancy(z, eps, "l2")
    after = herding.error(z, pi[herding.reorder(eps)], "l2")
    return _share(after, theory.reorder_bound(herding.error(z, pi, "l2"), signed))


@bound("H1", "herding error after a reorder, sum not zero", 12)
def reorder_with_sum(p: FloatArray) -> float:
    z, eps = directions(p[:6], 1), np.where(p[6:] < 0.5, -1, 1)
    pi, total = np.arange(6), float(abs(z.sum()))
    signed = balancing.prefix_discrepancy(z, eps, "l2")
    after = herding.error(z, pi[herding.reorder(eps)], "l2")
    return _share(after, theory.reorder_bound(herding.error(z, pi, "l2"), signed, total))


@bound("H2", "herding error after balancing around a stale mean", 13)
def stale_mean(p: FloatArray) -> float:
    z, eps, shift = _centred(p[:6], 1)[0], np.where(p[6:12] < 0.5, -1, 1), between(p[12], -1.0, 1.0)
    pi, sums = np.arange(6), float(np.abs(np.cumsum(eps)).max())
    signed = balancing.prefix_discrepancy(z + shift, eps, "l2")
    predicted = theory.stale_mean_bound(herding.error(z, pi, "l2"), signed, sums, abs(shift))
    return _share(herding.error(z, pi[herding.reorder(eps)], "l2"), predicted)


def _pairs(z: FloatArray, ordering: str) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the orders before and after a round, and the signed differences (m, pairs, d)."""
    pi = np.tile(np.arange(z.shape[1]), (len(z), 1))
    after = herding.order(z, ordering, 1, pi)
    return pi, after, pair_signs(pi, after)[..., None] * pair_differences(z, pi)


def _after_pairs(z: FloatArray) -> float:
    pi, after, signed = _pairs(z, "cd-grab")
    even = largest(prefixes(z, pi)[1::2], "l2")
    predicted = theory.reorder_bound(even, largest(np.cumsum(signed.sum(axis=0), axis=0), "l2"))
    return _share(herding.error(z, after, "l2"), predicted)


@bound("H3", "herding error after a round of pairs", 8)
def pairs_of_one(p: FloatArray) -> float:
    return _after_pairs(_centred(p, 1))


@bound("H4", "herding error after a round of coordinated pairs", 12)
def pairs_of_many(p: FloatArray) -> float:
    return _after_pairs(_centred(p, 3))


@bound("H4", "herding error after a round of independent pairs", 12)
def pairs_alone(p: FloatArray) -> float:
    z = directions(p, 1).reshape(3, 4, 1)
    z = z - z.mean(axis=1, keepdims=True)
    pi, after, signed = _pairs(z, "d-grab-pair")
    old = [herding.error(one, order, "l2") for one, order in zip(z, pi, strict=True)]
    own = [largest(one, "l2") for one in np.cumsum(signed, axis=1)]
    return _share(herding.error(z, after, "l2"), theory.independent_reorder_bound(old, own))


@bound("H5", "herding errors of repeated rounds", 12)
def repeated(p: FloatArray) -> float:
    z, pi = _centred(p, 2), np.tile(np.arange(6), (2, 1))
    orders = [herding.order(z, "cd-grab", t, pi) for t in range(4)]
    signed = [
        largest(np.cumsum((pair_signs(a, b)[..., None] * pair_differences(z, a)).sum(axis=0), axis=0), "l2")
        for a, b in pairwise(orders)
    ]
    errors = herding.curve(z, "cd-grab", 3, pi, norm="l2")
    predicted = theory.repeated_reorder_bound(errors[0], signed)
    return max(_share(a, b) for a, b in zip(errors[2:], predicted[2:], strict=True))


@bound("H6", "herding error of the Steinitz order", 9)
def steinitz(p: FloatArray) -> float:
    z = _centred(p, 1)[0]
    return _share(
        herding.error(z, herding.steinitz_order(z), "l2"), theory.steinitz_bound(1, largest(z, "l2"))
    )


@bound("H6", "least herding error of one list", 6)
def least(p: FloatArray) -> float:
    z = _centred(p, 1)[0]
    errors = [herding.error(z, np.array(pi), "l2") for pi in list(itertools.permutations(range(6)))[::37]]
    return _share(theory.herding_lower_bound(np.linalg.norm(z, axis=1)), min(errors))


@bound("H9", "pair balancing with the 2-norm, Lemma 1 of arXiv 2302.00845", 16)
def pair_lemma(p: FloatArray) -> float:
    z = _centred(p, 1, 2)
    pi, after, signed = _pairs(z, "cd-grab")
    balance = largest(np.cumsum(signed.sum(axis=0), axis=0), "inf") / max(2.0 * largest(z, "l2"), 1e-9)
    predicted = theory.pair_balancing_published(herding.error(z, pi), 0.0, largest(z, "l2"), balance)
    return _share(herding.error(z, after), predicted)


@bound("H10", "least herding error of Harvey and Samadi's list", 1)
def no_good_order(p: FloatArray) -> float:
    z = theory.harvey_samadi_vectors(whole(p[0], 2, 8))
    found = herding.curve(z, "d-grab-pair", 20, norm="l2").min()
    return theory.harvey_samadi_bound(z.shape[1]) / float(found)


@bound("R2", "prefixes of any order", 8)
def any_order(p: FloatArray) -> float:
    z = directions(p, 1).reshape(2, 4, 1)
    z = z - z.mean(axis=1, keepdims=True)
    sigma = float(np.sum(z**2) / 8)
    predicted = random_orders.any_order_bound(4, 2, sigma)
    measured = np.linalg.norm(prefixes(z, np.tile(np.arange(4), (2, 1))), axis=1)[:-1]
    return float((measured / np.maximum(predicted[:-1], 1e-9)).max())


def _all_prefixes(z: FloatArray) -> FloatArray:
    """Return |S_k| (n!, n) of a list on the line."""
    orders = np.array(list(itertools.permutations(range(len(z)))))
    return np.asarray(np.abs(np.cumsum(z[orders], axis=1)))


@bound(
    "R3",
    "expected squared maximum of a random order, from above",
    6,
    "Doob's inequality twice: a factor 4 and halves",
)
def maximum_above(p: FloatArray) -> float:
    z = _centred(p, 1)[0, :, 0]
    measured = float(np.mean(_all_prefixes(z).max(axis=1) ** 2))
    return _share(measured, random_orders.maximum_second_moment_bounds(6, 1, float(np.mean(z**2)))[1])


@bound("R3", "expected squared maximum of a random order, from below", 6)
def maximum_below(p: FloatArray) -> float:
    z = _centred(p, 1)[0, :, 0]
    measured = float(np.mean(_all_prefixes(z).max(axis=1) ** 2))
    return _share(random_orders.maximum_second_moment_bounds(6, 1, float(np.mean(z**2)))[0], measured)


@bound("R4", "largest prefix of a random order, 90 % quantile", 6)
def maximum_quantile(p: FloatArray) -> float:
    z = _centred(p, 1)[0, :, 0]
    found = np.sort(_all_prefixes(z).max(axis=1))[::-1]
    quantile = found[int(np.ceil(DELTA * len(found))) - 1]
    return _share(float(quantile), random_orders.maximum_inf_bound(6, 1, 1, float(np.ptp(z)), DELTA))


def _tail(p: FloatArray, predicted: FloatArray, t: float) -> float:
    z = _centred(p[:8], 1)[0, :, 0]
    shares = [np.mean([abs(sum(s)) >= t for s in itertools.combinations(z.tolist(), k)]) for k in range(1, 8)]
    return float(np.where(predicted[:7] <= SAYS, np.array(shares) / predicted[:7], 0.0).max())


@bound("R4", "tails of one prefix", 9)
def hoeffding(p: FloatArray) -> float:
    z = _centred(p[:8], 1)[0, :, 0]
    t = between(p[8], 0.5, 4.0) * float(np.std(z)) + 1e-9
    return _tail(p, random_orders.hoeffding_tail(t, 8, 1, float(np.ptp(z)) + 1e-9), t)


@bound("R7", "tails of one prefix by its variance", 9)
def bernstein(p: FloatArray) -> float:
    z = _centred(p[:8], 1)[0, :, 0]
    t = between(p[8], 0.5, 4.0) * float(np.std(z)) + 1e-9
    variance, size = float(np.mean(z**2)), float(np.abs(z).max())
    return _tail(p, random_orders.bernstein_tail(t, 8, 1, variance + 1e-12, size + 1e-9), t)


def _one_hessian(z: FloatArray) -> Problem:
    """Return examples x^2/2 + z x (1, n) with the minimum of their mean at 0."""
    return problems.from_hessians(np.ones((*z.shape, 1, 1)), -z[..., None])


@bound("Q9", "limit of a given order, by its mean prefix norm", 7)
def standing(p: FloatArray) -> float:
    z = _centred(p[:6], 1)[..., 0]
    alpha = geometric(p[6], 0.02, 0.999) / 6
    e = last(_one_hessian(z), [np.arange(6)[None]], alpha, [0.0], round(8 / alpha))
    predicted = quadratics.mean_prefix_bound(alpha, np.ones(1), np.cumsum(z[0])[:, None])
    return _share(float(np.abs(e).max()), predicted)


@bound("Q10", "errors of changing orders, by their largest prefix", 20)
def changing(p: FloatArray) -> float:
    z, alpha, e0 = _centred(p[:6], 1)[..., 0], geometric(p[6], 0.02, 1.0), between(p[7], -2.0, 2.0)
    orders = [np.argsort(p[8:14])[None], np.argsort(p[14:20])[None]]
    e = last(_one_hessian(z), orders, alpha, [e0], 4)
    Z = max(float(np.abs(np.cumsum(z[0, pi[0]])).max()) for pi in orders)
    predicted = quadratics.changing_orders_bound(alpha, np.ones(1), 6, np.array([Z]), np.array([e0]), 4)
    return float((np.abs(e) / np.maximum(predicted, 1e-9)).max())
