"""Quadratics with one Hessian (Q5, Q9 to Q13): where `simulate` ends up, and small steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from cdgrab_sim import problems
from cdgrab_sim._records import Problem, Record
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._orders import last
from cdgrab_sim.experiments.statements._instances import random_orders
from cdgrab_sim.experiments.statements._statement import Measured, difference, identity, ratio, upper
from cdgrab_sim.experiments.statements.quadratics import Instance, every_epoch, mean_square
from cdgrab_sim.synchronous._simulate import simulate
from theory import quadratics as theory


def _limit(rng: Generator, number: int, h: float) -> tuple[Instance, float, FloatArray, FloatArray]:
    """Return an instance, a step, the prefixes Z (n, d) of a fixed order and the limit of its iterates."""
    m, n = 1 + number % 3, int(rng.integers(2, 9))
    q, pi = Instance(rng, m, n), random_orders(rng, m, n)
    alpha = h / (n * q.lam.max())
    e = last(q.problem, [pi], alpha, q.x_star, round(60 / (alpha * n * q.lam.min()))) - q.x_star
    return q, alpha, -q.lam * np.cumsum(q.steps(pi), axis=0), e


@identity("Q9", "limit of a given order from its prefixes", cases=20, tol=1e-9)
def from_prefixes(rng: Generator, number: int) -> Measured:
    q, alpha, Z, e = _limit(rng, number, float(rng.uniform(0.3, 1.0)))
    weights = theory.prefix_weights(alpha, q.lam, len(Z))
    return difference(e, alpha * np.sum(weights * Z[:-1], axis=0))


@upper("Q9", "limit of a given order, by its mean prefix norm", cases=60, tight=0.6)
def mean_prefix(rng: Generator, number: int) -> Measured:
    q, alpha, Z, e = _limit(rng, number, (0.99, 0.3)[number % 2])
    return float(np.linalg.norm(e)) / theory.mean_prefix_bound(alpha, q.lam, Z)


@upper("Q10", "errors of changing orders, by their largest prefix", cases=60, tight=0.5)
def by_largest_prefix(rng: Generator, number: int) -> Measured:
    q = Instance(rng, m=1 + number % 3, n=int(rng.integers(2, 9)))
    alpha, T = float(rng.uniform(0.05, 1.0)) / q.lam.max(), 5
    e0 = rng.standard_normal(2) * (number % 2)
    record = Record(orders=True)
    run = simulate(
        q.problem,
        ("so", "cd-grab")[number // 2 % 2],
        epochs=T,
        step_size=alpha,
        x0=q.x_star + e0,
        record=record,
    )
    assert run.orders is not None
    Z = [q.lam * np.cumsum(q.steps(pi), axis=0) for pi in run.orders[0]]
    bound = theory.changing_orders_bound(alpha, q.lam, q.problem.n, np.abs(Z).max(axis=(0, 1)), e0, T)
    return ratio(np.abs(run.x[0] - q.x_star), bound)


def _stationary(rng: Generator, number: int, h: float) -> tuple[float, str, float, Instance]:
    """Return a stationary mean square, from all orders of one epoch, with ordering, step and instance."""
    ordering, n = theory.ORDERINGS[number % 4], 4
    q = Instance(rng, 1, n, d=1)
    alpha = h / (n * q.lam[0])
    law = "rr" if ordering == "so" else ordering
    noise = mean_square(q.errors(every_epoch(law, 1, n), alpha, np.zeros(1)))[0, 0]
    rho = (1.0 - alpha * q.lam[0]) ** n
    shrink = {"so": (1.0 - rho) ** 2, "flipflop": 1.0 - rho**4}.get(ordering, 1.0 - rho**2)
    return noise / shrink, ordering, alpha, q


@identity("Q5", "stationary errors, by enumeration of an epoch", cases=8)
def stationary(rng: Generator, number: int) -> Measured:
    measured, ordering, alpha, q = _stationary(rng, number, float(rng.uniform(0.2, 2.0)))
    return difference(measured, theory.stationary_covariance(ordering, alpha, q.lam, 4, 1, q.sig)[0, 0])


@identity("Q11", "stationary errors at h = 0.01, by enumeration of an epoch", cases=4, tol=0.02)
def small_steps(rng: Generator, number: int) -> Measured:
    measured, ordering, alpha, q = _stationary(rng, number, 0.01)
    lam, variance = float(q.lam[0]), float(q.lam[0] ** 2 * q.sig[0, 0])
    return difference(measured, theory.small_step_floor(ordering, alpha, lam, variance, 4, 1))


@identity("Q11", "limits of sorted passes at h = 0.01", cases=4, tol=0.02)
def sorted_passes(rng: Generator, number: int) -> Measured:
    spread, n, lam = ("linear", "two-point")[number % 2], 2 * int(rng.integers(2, 6)), 1.0
    b = np.arange(n) - (n - 1) / 2 if spread == "linear" else np.repeat((1.0, -1.0), n // 2)
    e = _pass_limit(b, alpha := 0.01 / (n * lam))
    return difference(e**2, theory.sorted_floor(alpha, float(np.mean(b**2)), n, spread))


def _pass_limit(b: NDArray[np.floating[Any]], alpha: float) -> float:
    """Return the limit of passes over centres b (n,) of mean zero, curvature one, in their order."""
    like = problems.quadratic(m=1, n=len(b), d=1, eigenvalues=[1.0])
    data = (b[None, :, None], np.ones(1), np.zeros(1), np.zeros(1))
    problem = Problem(**{**vars(like), "data": data, "x_star": np.zeros(1)})
    return float(last(problem, [np.arange(len(b))[None]], alpha, np.zeros(1), 4000)[0])


@identity("Q12", "stable forms against powers of rho at h = 0.3", cases=12, tol=1e-9)
def stable_forms(rng: Generator, number: int) -> Measured:
    n, m, lam = int(rng.integers(2, 40)), 1 + number % 3, rng.uniform(0.5, 4.0, size=1)
    alpha, ordering = float(0.3 / (n * lam[0])), ("rr", "flipflop")[number % 2]
    rho, a2 = 1.0 - alpha * lam[0], (alpha * lam[0]) ** 2
    r = rho**2
    if ordering == "rr":
        closed = n / (n - 1) * a2 * (1 - r**n) / (1 - r) - (1 - rho**n) ** 2 / (n - 1)
    else:
        both = (1 - r ** (2 * n)) / (1 - r) + 2 * n * rho ** (2 * n - 1)
        closed = n / (n - 1) * a2 * both - (1 - rho ** (2 * n)) ** 2 / (n - 1)
    stable = theory.epoch_noise_covariance(ordering, alpha, lam, n, m, [[1.0]])
    return difference(stable, closed / m)


@identity("Q13", "errors of cd-grab from the mean prefixes of its orders, h = 0.02", cases=6, tol=0.02)
def filtered(rng: Generator, number: int) -> Measured:
    q = Instance(rng, m=1 + number % 3, n=16)
    alpha = 0.02 / (16 * q.lam.max())
    record = Record(orders=True, trajectory=True)
    run = simulate(q.problem, "cd-grab", epochs=400, step_size=alpha, x0=q.x_star, record=record)
    assert run.orders is not None
    assert run.trajectory is not None
    means = [-q.lam * np.cumsum(q.steps(pi), axis=0).mean(axis=0) for pi in run.orders[0]]
    predicted = theory.filtered_errors(alpha, q.lam, 16, means, np.zeros(2))
    return difference(run.trajectory[0] - q.x_star, predicted)


@identity("Q13", "two-term floor of rr and so at h = 0.01", cases=4, tol=0.02)
def two_terms(rng: Generator, number: int) -> Measured:
    ordering, n, m = ("rr", "so")[number % 2], 8, 1 + number // 2
    q = Instance(rng, m, n, d=1)
    alpha = 0.01 / (n * q.lam[0])
    spread = q.lam**2 * q.sig[0] * (n + 1) / (12 * m)  # of the mean prefix: Zbar, R1
    mean, variance = (np.zeros(1), spread) if ordering == "rr" else (np.sqrt(spread), np.zeros(1))
    exact = theory.stationary_covariance(ordering, alpha, q.lam, n, m, q.sig)
    return difference(exact[0, 0], theory.two_term_floor(alpha, q.lam, n, mean, variance))
