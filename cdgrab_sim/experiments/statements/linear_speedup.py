"""Linear speedup (T10): CD-GraB with the walk on live differences, from the coins to the error."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from cdgrab_sim import orderings
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._measures import floor, problem_of, relaxed
from cdgrab_sim.experiments.statements._instances import largest, seed_of
from cdgrab_sim.experiments.statements._paths import EPOCHS, Path, path, strongly_convex
from cdgrab_sim.experiments.statements._statement import Measured, mean, ratio, upper
from cdgrab_sim.experiments.statements.balancing import DELTA, upper_quantile
from cdgrab_sim.experiments.statements.exponents import exponent
from cdgrab_sim.orderings import SignRule
from theory import balancing
from theory import convergence as theory


def _run(rng: Generator, number: int) -> tuple[Path, float, float]:
    """Return a run of cd-grab with the walk, B in advance, and the bound B A on its balance."""
    problem = strongly_convex(number % 2, seed_of(rng))  # differences of two examples do not depend on x
    assert problem.x_star is not None
    x0 = problem.x_star + (-0.5 if number // 4 % 2 else 0.5)  # the skewed instance is steep on the first side
    g, L, cap = problem.gradients(x0), problem.constants["L"], (1 / 12, 1 / 100)[number // 2 % 2]
    spread, reach = largest(g[:, :, None] - g[:, None], "l2"), L * float(np.linalg.norm(x0 - problem.x_star))
    B = theory.live_difference_bound(spread, reach, cap / (problem.n * L), L)
    rule = SignRule("self-balancing", bound=B, delta=DELTA / EPOCHS, failure="raise")
    found = path(problem, orderings.cd_grab(rule=rule), cap, seed_of(rng), x0=x0)
    sizes = (problem.m, problem.n, problem.d, EPOCHS)
    return found, B, balancing.walk_balance_bound(*sizes, DELTA, "l2", B)


def _live(p: Path) -> FloatArray:
    """Return the pair differences of all epochs, taken where the steps took their gradients."""
    assert p.run.orders is not None
    assert p.run.trajectory is not None
    workers, found = np.arange(p.problem.m), []
    for x, pi in zip(p.run.trajectory[0], p.run.orders[0], strict=False):
        seen = []
        for k in range(p.problem.n):
            seen.append(p.problem.gradients(x)[workers, pi[:, k]])
            x = x - p.alpha * seen[-1].mean(axis=0)
        found += [seen[k] - seen[k + 1] for k in range(0, p.problem.n - 1, 2)]
    return np.array(found)


@upper("T10", "live differences of pairs", cases=12, tight=0.7)
def live_differences(rng: Generator, number: int) -> Measured:
    p, B, _ = _run(rng, number)
    return largest(_live(p), "l2") / B


@upper("T10", "balance of a run with the walk that only one in ten exceeds", cases=4, tight=0.2)
def live_balance(rng: Generator, number: int) -> Measured:
    return upper_quantile(
        np.array([p.A.max() / bound for p, _, bound in (_run(rng, number) for _ in range(30))])
    )


@upper("T10", "optimality gap of cd-grab with the walk after every epoch", cases=16, tight=0.9)
def gap(rng: Generator, number: int) -> Measured:
    p, _, balance = _run(rng, number)
    mu, m, n = p.problem.constants["mu"], p.problem.m, p.problem.n
    bounds = [
        theory.cd_grab_pl_bound(p.gap[0], p.L, p.H[0], balance, mu, p.alpha, m, n, t)
        for t in range(1, len(p.gap))
    ]
    return ratio(p.gap[1:], bounds)


# On the steep side at c = alpha n L = 1/12 epochs shrink x by q = exp(-c), and the mean squared gradient is
# 2 c (1 - q^24) / (1 - q^2) / 2.05 = 0.458 of the first term; the others are a tenth of it or less.
@upper("T10", "mean squared gradient of cd-grab with the walk", cases=16, tight=0.4)
def gradient(rng: Generator, number: int) -> Measured:
    p, _, balance = _run(rng, number)
    m, n, T = p.problem.m, p.problem.n, len(p.slope)
    bound = theory.cd_grab_nonconvex_bound(p.gap[0], p.L, p.H[0], balance, p.alpha, m, n, T)
    return np.mean(p.slope**2) / bound


def _spread_of_the_walk(N: int, d: int, square: float, a: float) -> float:
    """Return the mean of E||w_k||^2 over N steps from 0, as if its directions were alike.

    A step adds ||v||^2 and, as the coin leans against p = <w, v>, takes 2 p^2 / a, with E p^2 the d-th part
    of ||w||^2 ||v||^2.
    """
    keeps = 1.0 - 2.0 * square / (a * d)
    return float(np.mean(square * (1.0 - keeps ** np.arange(N)) / (1.0 - keeps)))


# The walk resists only once its sum is of the order of its threshold: at these sizes the exponent is -1.7.
@mean(
    "T10",
    "exponent of the floor of cd-grab with the walk in m, less that of its spread over m^2",
    cases=8,
    margin=0.2,
    center=0.0,
)
def speedup(rng: Generator, number: int) -> Measured:
    n, d, kappa, values, errors, predicted = 256, 3, 4.0, [4, 32], [], []
    cell = {"ordering": "cd-grab", "seed": seed_of(rng), "n": n, "replicates": {"others": 1}}
    cell |= {"problem": {"family": "skewed", "d": d, "kappa": kappa}, "step_size": 0.1 / (n * kappa)}
    for m in values:
        problem = problem_of(cell | {"m": m})
        terms = problem.data.terms
        B = (
            float(np.linalg.norm(terms, axis=2).max()) * 2 * 1.1
        )  # no difference is longer, live ones included
        ordering = orderings.cd_grab(rule=SignRule("self-balancing", bound=B, delta=DELTA))
        errors.append(floor(relaxed(cell | {"m": m}, 12), problem, ordering)["error"])
        N, square = m * (n // 2), 2.0 * float(np.mean(np.sum(terms**2, axis=2)))
        a = balancing.self_balancing_threshold(N, DELTA, B)
        predicted.append(_spread_of_the_walk(N, d, square, a) / m**2)
    return exponent(values, errors) - exponent(values, predicted)
