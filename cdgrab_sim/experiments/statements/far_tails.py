"""Tails far out (V4, R4, R7): exponents of the bounds against exact laws of two values.

Where a bound is small its factors no longer matter, and the exponents show whether the constants inside are
right. The first examples of m workers are m independent draws.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from scipy.special import gammaln, logsumexp

from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments.statements._statement import Measured, ratio, upper
from theory import balancing, random_orders


def _choose(n: float | FloatArray, k: FloatArray) -> FloatArray:
    """Return the logarithms of binomial coefficients."""
    return np.asarray(gammaln(np.add(n, 1.0)) - gammaln(k + 1.0) - gammaln(np.subtract(n, k) + 1.0))


def _at_least(m: int, p: float, count: float) -> float:
    """Return log P(Bin(m, p) >= count)."""
    x = np.arange(math.ceil(count - 1e-9), m + 1, dtype=np.float64)
    return float(logsumexp(_choose(m, x) + x * math.log(p) + (m - x) * math.log1p(-p)))


@upper("V4", "quantiles of fair coins on the line, by reflection, over the bounds", cases=6, tight=0.9)
def coins(rng: Generator, number: int) -> Measured:
    # P(max_k S_k >= t) >= P(S_n >= t): one sign of the two, and half of the walks that reach t.
    n, delta = 40_000, 10.0 ** -(10 + 20 * number)
    low, high = n // 2, n  # ups, with P(S_n >= 2 ups - n) above delta and below
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _at_least(n, 0.5, middle) >= math.log(delta) else (low, middle)
    in_inf = balancing.random_signs_inf_bound(float(n), 1, delta)
    return (2 * low - n) / np.array([in_inf, balancing.random_signs_l2_bound(np.ones(n), delta)])


@upper("R4", "exponent of the tail over that of fair coins", cases=6, tight=0.97)
def hoeffding(rng: Generator, number: int) -> Measured:
    m, t = 40_000, 1000.0 + 250.0 * number
    bound = random_orders.hoeffding_tail(t, 2, m, 1.0)[0]  # of 0 and 1, one each
    return ratio(math.log(bound), math.log(2.0) + _at_least(m, 0.5, m / 2 + t))  # both sides


@upper("R4'", "exponent of the radius over that of equally many of two values", cases=6, tight=0.9)
def serfling(rng: Generator, number: int) -> Measured:
    n, k, delta = 4000, 400 * (1 + number), 1e-40
    t = k * random_orders.hoeffding_serfling_radius(n, 1.0, delta)[k - 1]
    x = np.arange(math.ceil(k / 2 + t), min(k, n // 2) + 1, dtype=np.float64)
    beyond = logsumexp(_choose(n // 2, x) + _choose(n // 2, k - x)) - _choose(n, np.array(float(k)))
    return ratio(math.log(delta), beyond)


@upper("R7", "exponent of the tail over that of rare ones", cases=6, tight=0.97)
def bernstein(rng: Generator, number: int) -> Measured:
    # One 1 among a hundred: t so large that the term in B t counts, m so large that a power of t does not.
    n, m, share = 100, 600_000, 0.3 + 0.03 * number
    p, t = 1 / n, share * m / n
    bound = random_orders.bernstein_tail(t, n, m, p * (1 - p), 1 - p)[0]
    return ratio(math.log(bound), _at_least(m, p, m * p + t))
