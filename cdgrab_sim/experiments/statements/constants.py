"""Constants of the proofs (T, R, V), recomputed from the steps that they come from.

No instance comes near most of them, since a proof adds up worst cases that never meet: a row that measures
would let a constant be halved. What is shown must therefore be what the proof yields, rounded up a little.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from cdgrab_sim.experiments.statements._statement import Measured, difference, identity
from theory import balancing, convergence, random_orders

CAP = 1 / 12  # the largest alpha n L of T5 and T6
DRIFT = 1 / (1 - 1.5 / 4)  # T1: the drift inside an epoch at alpha n L = 1/2, over 1
SPREAD = 2 * (1 + 1 / 0.28)  # T5: of the square of the recursion of T4
OPTIMUM = 3 / 2 ** (2 / 3)  # min over alpha of a / alpha + b alpha^2, over a^{2/3} b^{1/3}
BALANCE, SLOPE = SPREAD / 4, SPREAD * 1.5**2
GAIN = (1 - 1.6 * CAP**2) / 2 - 2.4 * 2 * SLOPE * CAP**4
PL_GAIN = 2 * ((1 - 1.6 * CAP**2) / 2 - 8 * SLOPE * CAP**4)
STEP: dict[str, Any] = {"alpha": 0.01, "n": 1, "L": 1.0}
ONE: dict[str, Any] = STEP | {"m": 1, "T": 1}


def excess(shown: float, exact: float) -> float:
    """Return by what share a constant is rounded up; infinite where it is below the exact one."""
    share = shown / exact - 1.0
    return max(share, 0.0) if share > -1e-12 else math.inf


@identity("T1", "constants of the proof, rounded up by at most 2 %", cases=1, tol=0.02)
def any_order(rng: Generator, number: int) -> Measured:
    one: dict[str, Any] = {"F0": 0.0, "V": 0.0, "T": 1} | STEP
    return [
        excess(1 - DRIFT / 4, -2 * convergence.epoch_descent_bound(0, 1, 0, 0.5, 1, 1) / 0.5),
        excess(convergence.epoch_descent_bound(0, 0, 1, **STEP) / 0.01**3, 1.5 * DRIFT),
        excess(convergence.nonconvex_bound(**one | {"F0": 1}) * 0.01, 2 / (1 - DRIFT / 4)),
        excess(convergence.nonconvex_bound(**one | {"V": 1}) / 0.01**2, 3 * DRIFT / (1 - DRIFT / 4)),
        excess(convergence.nonconvex_rate(1, 1, 1, 1, 1) - 20 / 3, OPTIMUM * (10 / 3) ** (2 / 3) * 2),
        excess(convergence.nonconvex_rate(1, 1, 0, 1, 1), 2 * 10 / 3),
    ]


@identity("T1", "bound of random reshuffling from its mean-square prefix", cases=10)
def reshuffled(rng: Generator, number: int) -> Measured:
    sigma, m, n = float(rng.uniform(0.5, 2.0)), 1 + number % 3, int(rng.integers(2, 20))
    k = np.arange(n)
    V = sigma**2 / m * np.mean(k * (n - k)) / (n - 1)  # R1, over the m workers
    plain = convergence.nonconvex_bound(1.0, 2.0, V, 0.1 / n, n, 7)
    return difference(convergence.rr_nonconvex_bound(1.0, 2.0, sigma, 0.1 / n, m, n, 7), plain)


@identity("T2", "constants of the proof, rounded up by at most 2 %", cases=1, tol=0.02)
def polyak(rng: Generator, number: int) -> Measured:
    after = convergence.pl_bound(1.0, 1.0, 0.0, 1.0, 0.5, 1, 1)[1]
    return [
        excess(after, 1 - 0.5 * (1 - DRIFT / 4)),
        excess(convergence.pl_bound(0.0, 1.0, 1.0, 1.0, 0.01, 1, 1)[1] / 0.01**3, 1.5 * DRIFT),
        excess(convergence.pl_floor(1, 1, 1, 1), 1.5 * DRIFT / (1 - DRIFT / 4)),
        excess(convergence.rr_pl_floor(0.01, 1, 1, 1, 1, 5) * 1e4, DRIFT * 1.5 / (1 - DRIFT / 4)),
    ]


@identity("T4", "constants of the proof", cases=1)
def herding(rng: Generator, number: int) -> Measured:
    def bound(H: float, balance: float, grad_norm: float) -> float:
        return convergence.cd_grab_herding_bound(H, balance, grad_norm, **STEP, m=1)

    motion = (1 / 2 + 1) / 2 * 2 * 0.01  # half of the drift to the mean, all of it to the end, both ways
    return [
        difference(bound(0, 0, 1), motion),
        difference(bound(1, 0, 0), 1 / 2 + motion),
        difference(bound(0, 1, 0), 1 / 2),
    ]


@identity("T5", "constants of the proof, rounded up by at most 2 %", cases=1, tol=0.02)
def coordinated(rng: Generator, number: int) -> Measured:
    def bound(F0: float, H0: float, balance: float) -> float:
        return convergence.cd_grab_nonconvex_bound(F0=F0, H0=H0, balance=balance, **ONE)

    rate = OPTIMUM * (1 / GAIN) ** (2 / 3) * (4.8 * BALANCE / GAIN) ** (1 / 3)
    return [
        excess(bound(1, 0, 0) * 0.01, 1 / GAIN),
        excess(bound(0, 1, 0) * 1e4, 4.8 / GAIN),
        excess(bound(0, 0, 1) * 1e4, 4.8 * BALANCE / GAIN),
        excess(convergence.cd_grab_nonconvex_rate(1, 1, 1, 1, 1, 1) - 24.6, rate),
        excess(convergence.cd_grab_nonconvex_rate(1, 1, 0, 1, 1, 1), 12 / GAIN),
    ]


@identity("T6", "constants of the proof, rounded up by at most 2 %", cases=1, tol=0.02)
def coordinated_polyak(rng: Generator, number: int) -> Measured:
    start = convergence.cd_grab_pl_bound(0, 1, 1, 0, 1, 0.01, 1, 1, 1) / (1 - 0.0097) * 1e6
    return [
        excess(convergence.cd_grab_pl_floor(1, 1, 1, 1, 1), 8 * BALANCE / PL_GAIN),
        excess(start, 8),
        excess(convergence.cd_grab_pl_bound(1, 1, 0, 0, 1, CAP, 1, 1, 1), 1 - PL_GAIN * CAP),
    ]


@identity("T7", "constants of the proof", cases=1)
def stale(rng: Generator, number: int) -> Measured:
    ones = np.eye(5)
    terms = [convergence.grab_herding_bound(H, A, 1, 8, *rest) for H, A, *rest in ones.tolist()]
    return difference(terms, [1 / 2, 1 / 2, 8 / 2 / 2, 1 / 2, 8 / 2])


@identity("R3", "upper bound: Doob's four for each half", cases=10)
def doob(rng: Generator, number: int) -> Measured:
    n, m, variance = 2 * int(rng.integers(1, 30)), 1 + number % 4, float(rng.uniform(0.5, 2.0))
    half = random_orders.prefix_second_moment(n, m, variance)[n // 2 - 1]
    _, bound = random_orders.maximum_second_moment_bounds(n, m, variance)
    return difference(bound, 2 * 4 * n**2 * half / (n - n // 2) ** 2)


@identity("R4", "bound on the largest prefix: the tail half-way at half the size, for each half", cases=10)
def half_way(rng: Generator, number: int) -> Measured:
    n, m, d = 2 * int(rng.integers(1, 30)), 1 + number % 4, 1 + number % 3
    width, delta = float(rng.uniform(0.5, 2.0)), float(rng.uniform(1e-9, 1e-2))
    t = random_orders.maximum_inf_bound(n, m, d, width, delta)
    return difference(2 * d * random_orders.hoeffding_tail(t / 2, n, m, width)[n // 2 - 1], delta)


@identity("R7", "empirical radius, term by term as printed", cases=1)
def empirical(rng: Generator, number: int) -> Measured:
    n, delta = 6, 10 * math.exp(-5)  # the logarithm is 5
    zero, one = (random_orders.empirical_bernstein_radius(n, np.full(n, s), 2.0, delta) for s in (0.0, 1.0))
    k = np.arange(1, n + 1)
    rho = [1, 5 / 6, 4 / 6, 1 / 3 * 5 / 4, 1 / 6 * 6 / 5, 0]
    return [
        difference(zero, (7 / 3 + 3 / math.sqrt(2)) * 2 * 5 / k),
        difference(one - zero, np.sqrt(2 * np.array(rho) * 5 / k)),
    ]


@identity("V6", "probabilities to fall back and to leave the bounds add up to delta", cases=20)
def failures(rng: Generator, number: int) -> Measured:
    N, d = int(rng.integers(1, 1000)), int(rng.integers(1, 30))
    delta, B = float(rng.uniform(1e-4, 0.5)), float(rng.uniform(0.1, 10.0))
    a = balancing.self_balancing_threshold(N, delta, B)
    s2 = balancing.self_balancing_variance_limit(a, B)
    clips = 2 * N * math.exp(-(a**2) / (2 * s2 * B**2))
    y_inf, y_2 = (balancing.self_balancing_bound(N, d, delta, norm, B) ** 2 / s2 for norm in ("inf", "l2"))
    t = (math.sqrt(y_2 - d / 2) - math.sqrt(d / 2)) ** 2 / 2  # y = d + 2 sqrt(d t) + 2 t
    leaves = [2 * N * d * math.exp(-y_inf / 2), N * math.exp(-t)]
    return [difference(clips + leave, delta) for leave in leaves]
