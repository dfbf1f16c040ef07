"""Random orders (R): moments and tails of prefix sums, by enumeration and in the orders `simulate` uses."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.random import Generator

from cdgrab_sim import herding, problems
from cdgrab_sim._records import Ordering, Record
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.experiments.statements._instances import centred, largest, prefixes, random_orders, vectors
from cdgrab_sim.experiments.statements._statement import (
    Measured,
    difference,
    identity,
    lower,
    mean,
    ratio,
    upper,
)
from cdgrab_sim.experiments.statements.balancing import DELTA, upper_quantile
from cdgrab_sim.synchronous._simulate import simulate
from theory import random_orders as theory


def used_orders(ordering: Ordering | str, m: int, n: int, epochs: int, seed: int) -> IntArray:
    """Return the orders (epochs, m, n) that an ordering really uses."""
    problem = problems.quadratic(m=m, n=n, d=1)
    record = Record(loss=False, grad_norm=False, orders=True)
    run = simulate(problem, ordering, epochs=epochs, step_size=1e-3, seed=seed, record=record)
    assert run.orders is not None
    orders: IntArray = run.orders[0]
    return orders


def _within(z: FloatArray) -> float:
    return float(np.sum(centred(z, (1,)) ** 2) / (z.shape[0] * z.shape[1]))


def _all_prefixes(z: FloatArray) -> FloatArray:
    """Return the prefixes (orders, n, d) of all m-tuples of orders."""
    rows = list(itertools.permutations(range(z.shape[1])))
    return np.array([prefixes(z, np.array(pi)) for pi in itertools.product(rows, repeat=len(z))])


def _small(rng: Generator, number: int) -> FloatArray:
    m, n = ((1, 2), (1, 5), (2, 3), (3, 3), (2, 2), (1, 4))[number % 6]
    z = vectors(rng, number, m, n, 2) + rng.standard_normal((m, 1, 2))  # the workers' means differ
    return centred(z, (0, 1))


@identity("R1", "covariance of two prefixes, by enumeration", cases=30, tol=1e-11)
def covariances(rng: Generator, number: int) -> Measured:
    z = _small(rng, number)
    m, n, d = z.shape
    S = _all_prefixes(z)
    S = S - S.mean(axis=0)
    within = centred(z, (1,)).reshape(-1, d)
    sigma = within.T @ within / (m * n)
    pairs = itertools.combinations_with_replacement(range(n), 2)
    return [
        difference(
            np.einsum("op,oq->pq", S[:, first], S[:, second]) / len(S),
            theory.prefix_covariance(n, m, sigma, first + 1, second + 1),
            1.0,
        )
        for first, second in pairs
    ]


@identity("R1", "mean squares over an epoch and of the mean prefix, by enumeration", cases=30)
def epoch_means(rng: Generator, number: int) -> Measured:
    z = _small(rng, number)
    z = centred(z, (1,))
    m, n, _ = z.shape
    S, variance = _all_prefixes(z), _within(z)
    square = np.sum(S**2, axis=2).mean()
    of_mean = np.sum(S.mean(axis=1) ** 2, axis=1).mean()
    return [
        difference(square, theory.mean_square_prefix(n, m, variance), 1.0),
        difference(of_mean, theory.mean_prefix_second_moment(n, m, variance), 1.0),
    ]


@identity("R2", "second moments over workers, by enumeration", cases=30)
def over_workers(rng: Generator, number: int) -> Measured:
    z = centred(_small(rng, number), (1,))
    m, n, _ = z.shape
    rows = [np.tile(pi, (m, 1)) for pi in itertools.permutations(range(n))]
    alone = np.mean(np.sum(_all_prefixes(z) ** 2, axis=2), axis=0)
    shared = np.mean([np.sum(prefixes(z, pi) ** 2, axis=1) for pi in rows], axis=0)
    return [
        difference(alone, theory.prefix_second_moment(n, m, _within(z)), 1.0),
        difference(shared, theory.same_order_second_moment(z), 1.0),
    ]


@identity("R2", "second moments of one pool, by enumeration", cases=10)
def pooled(rng: Generator, number: int) -> Measured:
    m, n = ((2, 2), (3, 2), (2, 3), (1, 5))[number % 4]
    z = centred(vectors(rng, number, m * n, 2))
    orders = np.array(list(itertools.permutations(range(m * n))))
    S = np.cumsum(z[orders].reshape(len(orders), n, m, 2).sum(axis=2), axis=1)
    variance = float(np.sum(z**2) / (m * n))
    return difference(np.mean(np.sum(S**2, axis=2), axis=0), theory.pooled_second_moment(n, m, variance), 1.0)


@mean("R2", "second moments in the orders of rr, so and flipflop", cases=12, margin=0.05)
def sampled(rng: Generator, number: int) -> Measured:
    m, n = (1, 4)[number % 2], 12
    ordering = ("rr", "flipflop", "so")[number % 3]
    z = centred(vectors(rng, number, m, n, 2), (1,))
    if ordering == "so":
        draws = [used_orders("so", m, n, 1, int(rng.integers(2**31)))[0] for _ in range(300)]
    else:
        draws = list(used_orders(ordering, m, n, 1000, int(rng.integers(2**31))))
        draws = draws[:: 2 if ordering == "flipflop" else 1]
    squares = np.array([np.sum(prefixes(z, pi)[:-1] ** 2, axis=1) for pi in draws])
    return np.mean(squares.mean(axis=0) / theory.prefix_second_moment(n, m, _within(z))[:-1])


@upper("R2", "prefixes of any order", cases=100, tight=0.999)
def any_order(rng: Generator, number: int) -> Measured:
    m, n = int(rng.integers(1, 5)), 2 * int(rng.integers(1, 8))
    if number % 4 == 0:  # sorted signs, the same on all workers
        z, pi = (
            np.tile(np.repeat((1.0, -1.0), n // 2)[None, :, None], (m, 1, 1)),
            np.tile(np.arange(n), (m, 1)),
        )
    else:
        z, pi = centred(vectors(rng, number, m, n, 2), (0, 1)), random_orders(rng, m, n)
    bounds = theory.any_order_bound(n, m, _within(z))
    return ratio(np.linalg.norm(prefixes(z, pi), axis=1), bounds, largest(z, "l2"))


def _expected_maximum(rng: Generator, number: int) -> tuple[float, tuple[float, float]]:
    z = centred(_small(rng, number), (1,)) + 1e-3
    z = centred(z + 1e-3 * rng.standard_normal(z.shape), (1,))  # without ties no variance vanishes
    maximum = np.sum(_all_prefixes(z) ** 2, axis=2).max(axis=1).mean()
    return float(maximum), theory.maximum_second_moment_bounds(z.shape[1], z.shape[0], _within(z))


@upper("R3", "expected squared maximum, by enumeration", cases=30, tight=0.03)
def maximum_above(rng: Generator, number: int) -> Measured:
    measured, (_, bound) = _expected_maximum(rng, number)
    return measured / bound


@lower("R3", "expected squared maximum from below, by enumeration", cases=30, loose=1.01)
def maximum_below(rng: Generator, number: int) -> Measured:
    measured, (bound, _) = _expected_maximum(rng, number)
    return measured / bound


def _maxima(rng: Generator, number: int) -> FloatArray:
    m, n, d = (1, 4)[number % 2], 32, (1, 5)[number // 2 % 2]
    z = centred(vectors(rng, number, m, n, d), (1,))
    width = float(np.ptp(z, axis=1).max())
    bound = theory.maximum_inf_bound(n, m, d, width, DELTA)
    orders = used_orders("rr", m, n, 400, int(rng.integers(2**31)))
    return np.array([largest(prefixes(z, pi), "inf") for pi in orders]) / bound


@upper("R4", "order of rr that only one in ten exceeds, over the bound", cases=6, tight=0.2)
def maximum_tails(rng: Generator, number: int) -> Measured:
    return upper_quantile(_maxima(rng, number))


def _subset_sums(z: FloatArray) -> list[FloatArray]:
    """Return the sums of all subsets of size 1, ..., n - 1: the exact laws of the prefixes of one worker."""
    return [np.array([sum(s) for s in itertools.combinations(z.tolist(), k)]) for k in range(1, len(z))]


def _line(rng: Generator, number: int) -> FloatArray:
    z = centred(vectors(rng, (0, 2, 3)[number % 3], 12, 1))[:, 0]
    if number % 4 == 3:
        z = np.repeat((1.0, -1.0), 6)
    return z


def _threshold(z: FloatArray, rng: Generator, number: int) -> float:
    """Return where a tail begins, once so low that any bound must be near, whatever is drawn."""
    return float(np.std(z)) * max(0.5, float(rng.uniform(0.5, 6.0)) * (number > 0))


@upper("R4", "tails of one prefix, by enumeration", cases=20, tight=0.2)
def hoeffding(rng: Generator, number: int) -> Measured:
    z = _line(rng, number)
    sums, t = _subset_sums(z), _threshold(z, rng, number)
    bounds = theory.hoeffding_tail(t, len(z), 1, float(np.ptp(z)))
    return ratio([np.mean(np.abs(s) >= t) for s in sums], bounds[:-1])


@upper("R4'", "share of prefix means outside the radius, by enumeration", cases=20, tight=0.1)
def serfling(rng: Generator, number: int) -> Measured:
    z, delta = _line(rng, number), float(rng.uniform(0.02, 0.5))
    radii = theory.hoeffding_serfling_radius(len(z), float(np.ptp(z)), delta)
    shares = [np.mean(s / k > radii[k - 1]) for k, s in enumerate(_subset_sums(z), 1)]
    return ratio(shares, delta)


@upper("R7", "tails of one prefix by its variance, by enumeration", cases=20, tight=0.2)
def bernstein(rng: Generator, number: int) -> Measured:
    z = _line(rng, number)
    sums, t = _subset_sums(z), _threshold(z, rng, number)
    bounds = theory.bernstein_tail(t, len(z), 1, float(np.mean(z**2)), float(np.abs(z).max()))
    return ratio([np.mean(np.abs(s) >= t) for s in sums], bounds[:-1])


def _paths(rng: Generator, n: int, count: int) -> FloatArray:
    """Return the sizes of the prefixes (count, n) in the orders of rr, in units of sigma sqrt(n)."""
    z = centred(rng.standard_normal((n, 1)))[:, 0]
    S = np.cumsum(z[used_orders("rr", 1, n, count, int(rng.integers(2**31)))[:, 0]], axis=1)
    return np.asarray(np.abs(S) / (np.std(z) * n**0.5))


def _largest(rng: Generator, n: int = 1000, count: int = 400) -> FloatArray:
    """Return the largest prefixes; among n points of a bridge they are 0.5826 / sqrt(n) below its maximum."""
    return np.asarray(_paths(rng, n, count).max(axis=1) + 0.5826 / n**0.5)


@mean("R5", "mean of the largest prefix in the orders of rr", cases=16, margin=0.03)
def bridge_maximum(rng: Generator, number: int) -> Measured:
    return _largest(rng).mean() / theory.BRIDGE_MAXIMUM_MEAN


@mean("R5", "mean square of the largest prefix in the orders of rr", cases=16, margin=0.05)
def bridge_square(rng: Generator, number: int) -> Measured:
    return np.mean(_largest(rng) ** 2) / theory.BRIDGE_MAXIMUM_SECOND_MOMENT


@mean("R5", "mean of the average prefix in the orders of rr", cases=24, margin=0.03)
def bridge_area(rng: Generator, number: int) -> Measured:
    return _paths(rng, 1000, 1000).mean() / theory.BRIDGE_AREA_MEAN


@mean("R5", "share of largest prefixes below a size, against the law", cases=16, margin=0.05)
def bridge_law(rng: Generator, number: int) -> Measured:
    found, at = _largest(rng), np.linspace(0.5, 1.8, 14)
    shares = np.array([np.mean(found <= x) for x in at])
    return np.sum(shares) / np.sum([theory.bridge_maximum_cdf(x) for x in at])


@identity("R6", "identical workers in identical orders", cases=20)
def identical(rng: Generator, number: int) -> Measured:
    m, z, pi = 1 + number % 6, rng.standard_normal((9, 3)), rng.permutation(9)
    single = herding.error(z, pi)
    measured = herding.error(np.broadcast_to(z, (m, 9, 3)), np.broadcast_to(pi, (m, 9)))
    return difference(measured, theory.workers_herding([single] * m, "identical"))
