"""Published theorems (T9, H9, H10, I9, A1): held against runs where they can be, beside what is proved here.

Lines that only stand beside a proved one are never judged. They share one setting, on which nothing depends
but the picture: L = F = sigma = 1, mu = 0.1, varsigma = 0, A = 1, m = 8, n = 64, T = 10^5; where a step size
is free, alpha n L = 1/12.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.random import Generator

from cdgrab_sim import balancing, herding, problems
from cdgrab_sim._records import Problem, Record
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.asynchronous import AsyncRecord, simulate_async
from cdgrab_sim.experiments._orders import permutations
from cdgrab_sim.experiments.statements._instances import seed_of
from cdgrab_sim.experiments.statements._paths import Path, path, smooth
from cdgrab_sim.experiments.statements._statement import Measured, lower, ratio, reference, refuted, upper
from cdgrab_sim.synchronous._simulate import simulate
from theory import balancing as signs_theory
from theory import convergence, instances
from theory import herding as herding_theory
from theory.asynchrony import fixed_delay

L, F, SIGMA, MU, A = 1.0, 1.0, 1.0, 0.1, 1.0
m, n, T = 8, 64, 100_000
ALPHA = 1 / (12 * n * L)


@reference("T9", "CD-GraB non-convex, Theorem 2 of arXiv 2302.00845, over T5")
def cd_grab_nonconvex(rng: Generator, number: int) -> Measured:
    read = convergence.cd_grab_nonconvex_published(F, L, SIGMA, 0.0, A, m, n, T)
    return ratio(read, convergence.cd_grab_nonconvex_rate(F, L, A, m, n, T, SIGMA))


@reference("T9", "CD-GraB non-convex, step size of Theorem 2, over that of T5")
def cd_grab_step(rng: Generator, number: int) -> Measured:
    read = convergence.cd_grab_nonconvex_step_published(F, L, SIGMA, 0.0, A, m, n, T)
    return ratio(read, convergence.cd_grab_nonconvex_step(F, L, A, m, n, T))


@reference("T9", "CD-GraB PL, Theorem 3 with the X of its proof, over T6 at its own step")
def cd_grab_pl(rng: Generator, number: int) -> Measured:
    read = convergence.cd_grab_pl_published(F, L, MU, SIGMA, 0.0, A, m, n, T)
    steps = [ALPHA * 2.0**-k for k in range(40)]
    proved = [convergence.cd_grab_pl_bound(F, L, n * SIGMA / 2, A, MU, a, m, n, T) for a in steps]
    return ratio(read, min(proved))


@reference("T9", "CD-GraB PL, Theorem 3 with X as printed (inconsistent in units) over that of its proof")
def cd_grab_pl_printed(rng: Generator, number: int) -> Measured:
    at = (F, 2.0, 2.0, SIGMA, 0.0, A, m, n, 3000)  # where the first term is not lost beside the second
    return ratio(convergence.cd_grab_pl_published(*at, printed=True), convergence.cd_grab_pl_published(*at))


@reference("T9", "RR strongly convex, Theorems 1 and 2 of arXiv 2102.06704, over T3")
def rr_strongly_convex(rng: Generator, number: int) -> Measured:
    read = convergence.rr_strongly_convex_published(1.0, L, SIGMA, MU, ALPHA, n, T)
    return ratio(read, convergence.rr_strongly_convex_bound(1.0, L, SIGMA, MU, ALPHA, 1, n, T))


@reference("T9", "SGD with replacement, strongly convex, as recalled, over RR by T3")
def sgd_strongly_convex(rng: Generator, number: int) -> Measured:
    recalled = convergence.sgd_strongly_convex_published(1.0, L, SIGMA, MU, ALPHA, n * T)
    return ratio(recalled, convergence.rr_strongly_convex_bound(1.0, L, SIGMA, MU, ALPHA, 1, n, T))


def drifts(p: Path) -> FloatArray:
    """Return the largest ||x_k - x_t||_inf within each epoch (T,)."""
    assert p.run.orders is not None
    assert p.run.trajectory is not None
    found = []
    for start, pi in zip(p.run.trajectory[0], p.run.orders[0], strict=False):
        x, farthest = start, 0.0
        for k in range(p.problem.n):
            x = x - p.alpha * p.problem.gradients(x)[np.arange(p.problem.m), pi[:, k]].mean(axis=0)
            farthest = max(farthest, float(np.abs(x - start).max()))
        found.append(farthest)
    return np.array(found)


def spread(problem: Problem, x: FloatArray) -> float:
    """Return sigma + varsigma at a point: the largest deviations within and across workers."""
    g = problem.gradients(x)
    own, common = g.mean(axis=1, keepdims=True), g.mean(axis=(0, 1))
    return float(np.linalg.norm(g - own, axis=2).max() + np.linalg.norm(own[:, 0] - common, axis=1).max())


@upper("T9", "drift of the next epoch of cd-grab, Lemma 5 of arXiv 2302.00845", cases=40, tight=0.2)
def drift_recursion(rng: Generator, number: int) -> Measured:
    cap, kind = ((1 / 100, 1 / 32, 1 / 8)[number // 5 % 3], number % 5)
    p = path(smooth(kind, seed_of(rng)), "cd-grab", cap, seed_of(rng), norm="inf")
    assert p.run.trajectory is not None
    found, x = drifts(p), p.run.trajectory[0]
    bounds = []
    for t in range(len(found) - 1):
        around = spread(p.problem, x[t])
        bounds.append(
            convergence.cd_grab_drift_published(
                found[t], p.L, around, p.A[t] / around, p.slope[t + 1], p.alpha, p.problem.m, p.problem.n
            )
        )
    return ratio(found[1:], bounds)


def _line(rng: Generator, count: int, low: float = 0.0) -> tuple[Problem, FloatArray]:
    """Draw quadratics in one variable with curvatures in [low, 1], some of them equal to its ends."""
    h = np.clip(rng.uniform(low - 0.5, 1.5, size=count), low, 1.0)
    h[rng.integers(count)] = 1.0
    c = rng.standard_normal(count) * rng.choice([0.0, 1.0, 10.0])
    return problems.from_hessians(h[None, :, None, None], c[None, :, None]), h


def every_run(problem: Problem, alpha: float, x0: float, epochs: int) -> Iterator[FloatArray]:
    """Follow all sequences of orders of one worker in one variable: the points x^1, ..., x^{nT} of each."""
    h, c = problem.data.hessians[0, :, 0, 0], problem.data.linear[0, :, 0]
    for orders in itertools.product(list(permutations(1, problem.n)), repeat=epochs):
        x, points = x0, []
        for j in np.concatenate([pi[0] for pi in orders]):
            x = x - alpha * (h[j] * x - c[j])
            points.append(x)
        yield np.array(points)


def at_best(problem: Problem) -> tuple[float, float]:
    """Return the minimiser of a problem in one variable, and sigma there."""
    assert problem.x_star is not None
    return float(problem.x_star[0]), float(np.sqrt(np.mean(problem.gradients(problem.x_star) ** 2)))


def _gap(problem: Problem, x: float) -> float:
    assert problem.f_star is not None
    return float(problem.value(np.array([x]), problem.arrays)) - problem.f_star


@upper(
    "T9",
    "gap of the mean of all iterates of rr, steps up to 1/(6 L), COLT 2026, Theorem 1",
    cases=40,
    tight=0.015,
)
def any_step(rng: Generator, number: int) -> Measured:
    problem, h = _line(rng, 3)
    alpha, off, (x_star, sigma) = (
        (1 / 6, 1 / 60)[number % 2],
        float(rng.choice([0.0, 1.0, 3.0])),
        at_best(problem),
    )
    means = [float(points.mean()) for points in every_run(problem, alpha, x_star + off, 2)]
    bound = convergence.rr_any_step_published(off**2, 1.0, float(h.mean()), sigma, alpha, 3, 2)
    return ratio(np.mean([_gap(problem, x) for x in means]), bound)


@upper("T9", "gap of the mean of the epochs' ends of rr, arXiv 2006.05988 as recalled", cases=40, tight=0.15)
def epoch_ends(rng: Generator, number: int) -> Measured:
    problem, _ = _line(rng, 3)
    alpha = math.sqrt(0.5) / 3 / (1, 10)[number % 2]
    off, (x_star, sigma) = float(rng.choice([0.0, 1.0, 3.0])), at_best(problem)
    ends = [float(points[2::3].mean()) for points in every_run(problem, alpha, x_star + off, 2)]
    bound = convergence.rr_convex_published(off**2, 1.0, sigma, alpha, 3, 2)
    return ratio(np.mean([_gap(problem, x) for x in ends]), bound)


# --- the lemma of pair balancing (H9), and the list that no order herds well (H10)

SIZES = (512, 1024, 4096)


def _after_pairs(d: int, rule: str, seed: int) -> float:
    """Return the herding error of Hadamard pairs after one step of pair balancing.

    The new prefix of k pairs is half of the signed sum of their differences 2 h_k (H3).
    """
    h = herding_theory.hadamard_pairs(d)[::2]
    v, worst = np.zeros(d), 0.0
    for sign, column in zip(balancing.signs(h, rule, seed=seed), h, strict=True):
        v += sign * column
        worst = max(worst, float(np.abs(v).max()))
    return worst


def _claim(d: int, deviation: float) -> float:
    balance = signs_theory.cd_grab_balance_published(d, d, 0.01)
    return herding_theory.pair_balancing_published(1.0, 0.0, deviation, balance)


def _as_printed(rng: Generator, number: int, d: int) -> Measured:
    least = math.sqrt(d)  # whatever the signs
    return np.array([least, _after_pairs(d, "greedy", 0)]) / _claim(d, 1.0)


def _with_the_2_norm(rng: Generator, number: int, d: int) -> Measured:
    return _after_pairs(d, "hilbert", seed_of(rng)) / _claim(d, math.sqrt(d))


for _d in SIZES:
    refuted("H9", f"Lemma 1 of arXiv 2302.00845 as printed, Hadamard pairs, d = {_d}, any signs", cases=1)(
        partial(_as_printed, d=_d)
    )
    upper("H9", f"Lemma 1 with the 2-norm, Hadamard pairs, d = {_d}, walked signs", cases=1, tight=0.05)(
        partial(_with_the_2_norm, d=_d)
    )


@lower("H10", "herding error of Harvey and Samadi's list, whatever the order", cases=30, loose=1.0 + 1e-9)
def no_good_order(rng: Generator, number: int) -> Measured:
    d = (2, 3, 4, 5, 7, 8)[number % 6]
    z = herding_theory.harvey_samadi_vectors(d)
    orders = [herding.order(z, "d-grab-pair", 20, rng.permutation(len(z))), rng.permutation(len(z))]
    orders += [herding.steinitz_order(z), best_order(d)]
    bound = herding_theory.harvey_samadi_bound(d)
    assert bound >= herding_theory.harvey_samadi_bound(d, published=True)
    return [herding.error(z, pi, "l2") / bound for pi in orders]


def best_order(d: int) -> IntArray:
    """Return the order of H10's proof: unit vectors lag before the middle, and lead after it."""
    units, copies = list(range(d)), list(range(d, d + d * d))
    order: list[int] = []
    while units or copies:
        k, c = d - len(units), 1.0 - len(copies) / (d * d)
        due = k + 1 <= d * c if c <= 0.5 and k < d // 2 else c >= 0.5
        order.append((units if units and (due or not copies) else copies).pop())
    return np.array(order)


# --- Safran and Shamir's lower lines (I9)

CONSTANT = 1 / 20  # in the place of the one that the theorems do not name


def _smallest_gap(ordering: str, variant: str, count: int, epochs: int, seed: int) -> float:
    """Return the smallest mean gap of an ordering over steps up to 1/L, from x = 1, G = lam = 1."""
    line = instances.safran_shamir_line(variant, count, 1.0, 1.0)
    problem = problems.from_hessians(line.curvatures[None, :, None, None], -line.slopes[None, :, None])
    gaps = []
    for alpha in np.geomspace(0.5 / (count * epochs), 1.0 / problem.constants["L"], 16):
        run = simulate(
            problem,
            ordering,
            epochs=epochs,
            step_size=float(alpha),
            x0=[1.0],
            replicates=1 if ordering == "ig" else 60,
            seed=seed,
            record=Record(every=epochs, grad_norm=False),
        )
        assert run.loss is not None
        gaps.append(float(run.loss[:, -1].mean()) - (problem.f_star or 0.0))
    return min(gaps)


LINES = (("rr", "shared"), ("rr", "split"), ("so", "shared"), ("ig", "sorted"))


@lower("I9", "smallest gap over steps up to 1/L of rr, so and ig, arXiv 1908.00045", cases=16, loose=5.0)
def shuffling_lines(rng: Generator, number: int) -> Measured:
    ordering, variant = LINES[number % 4]
    count, epochs = ((4, 4), (16, 4), (4, 16), (16, 16))[number // 4 % 4]
    found = _smallest_gap(ordering, variant, count, epochs, seed_of(rng))
    return found / (CONSTANT * convergence.shuffling_lower_line(ordering, count, epochs, 1.0, 1.0))


@upper("I9", "how far the published steps of rr and so forget the start", cases=10, tight=0.9)
def shuffling_steps(rng: Generator, number: int) -> Measured:
    ordering, count, epochs = ("rr", "so")[number % 2], int(rng.integers(4, 20)), int(rng.integers(5, 40))
    lam = float(rng.uniform(0.5, 2.0))
    alpha = convergence.shuffling_step_published(ordering, count, epochs, lam)
    problem = problems.from_hessians(np.full((1, count, 1, 1), lam), np.zeros((1, count, 1)))
    x = simulate(problem, ordering, epochs=epochs, step_size=alpha, x0=[1.0]).x[0, 0]
    return x * (math.sqrt(count) if ordering == "rr" else count) * epochs


# --- gradient descent with a fixed delay (A1)


def delayed_gaps(eigenvalues: FloatArray, alpha: float, delay: int, steps: int) -> FloatArray:
    """Return f(x_k) - f_* (steps + 1,) on a quadratic without noise, from a distance of one in every mode."""
    d = len(eigenvalues)
    problem = problems.quadratic(m=1, n=1, d=d, eigenvalues=eigenvalues.tolist(), sigma=0.0)
    assert problem.x_star is not None
    assert problem.f_star is not None
    run = simulate_async(
        problem,
        "vanilla",
        workers=delay + 1,
        updates=steps,
        step_size=alpha,
        job_times=1.0,
        x0=problem.x_star + 1.0,
        record=AsyncRecord(every=1),
    )
    assert run.loss is not None
    return np.asarray(run.loss - problem.f_star).reshape(-1)


@upper("A1", "gap under a fixed delay, arXiv 1806.10188, Theorems 2 and 3", cases=12, tight=0.05)
def delayed_gap(rng: Generator, number: int) -> Measured:
    delay, mu = (0, 1, 3)[number % 3], (1.0, 0.2)[number // 3 % 2]
    alpha, steps = 1 / (20 * (delay + 1)), 200
    gaps = delayed_gaps(np.unique([mu, 1.0]), alpha, delay, steps)
    r0 = float(len(np.unique([mu, 1.0])))
    ks = range(math.ceil((delay + 1) * math.log(2 * (delay + 1))) or 1, steps)
    strongly = [fixed_delay.delayed_gap_published(r0, 1.0, mu, alpha, delay, k) for k in ks]
    convex = [fixed_delay.delayed_convex_gap_published(r0, 1.0, alpha, delay, k) for k in ks]
    measured = gaps[ks[0] : steps]
    return np.concatenate([ratio(measured, strongly), ratio(measured, convex)])
