"""Convergence (T): every inequality at every epoch of every run of `cdgrab_sim.simulate`."""

from __future__ import annotations

import itertools
from itertools import pairwise

import numpy as np
from numpy.random import Generator

from cdgrab_sim import herding, problems
from cdgrab_sim._records import Record
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.experiments.statements._instances import largest, seed_of
from cdgrab_sim.experiments.statements._paths import (
    ANY_ORDER,
    Path,
    path,
    polyak,
    smooth,
    step_prefixes,
    strongly_convex,
)
from cdgrab_sim.experiments.statements._statement import (
    Measured,
    difference,
    identity,
    mean,
    ratio,
    upper,
)
from cdgrab_sim.experiments.statements.balancing import greedy_difference
from cdgrab_sim.synchronous._simulate import simulate
from theory import convergence as theory

_NORMS = ("l2", "inf")


def _any_order(rng: Generator, number: int, family: object, count: int, caps: tuple[float, ...]) -> Path:
    """Go through orderings, problems, caps and norms, in this order from fast to slow."""
    number, which = divmod(number, len(ANY_ORDER))
    number, kind = divmod(number, count)
    number, cap = divmod(number, len(caps))
    assert callable(family)
    problem = family(kind, seed_of(rng))
    # From the minimiser only the prefixes move x: there the terms in V are all there is.
    x0 = problem.x_star if (which + kind + number) % 2 else None
    return path(problem, ANY_ORDER[which], caps[cap], seed_of(rng), norm=_NORMS[number % 2], x0=x0)


def _coordinated(rng: Generator, number: int, family: object, count: int, caps: tuple[float, ...]) -> Path:
    return _any_order(rng, ANY_ORDER.index("cd-grab") + len(ANY_ORDER) * number, family, count, caps)


@upper("T1", "value after every epoch, any order", cases=140, tight=0.99)
def descent(rng: Generator, number: int) -> Measured:
    p = _any_order(rng, number, smooth, 5, (1 / 2, 1 / 100))
    n = p.problem.n
    bounds = [
        theory.epoch_descent_bound(f, g, V, p.alpha, n, p.L)
        for f, g, V in zip(p.gap, p.slope, p.V, strict=False)
    ]
    return ratio(p.gap[1:], bounds)


@upper("T1", "mean squared gradient, any order", cases=140, tight=0.3)
def mean_gradient(rng: Generator, number: int) -> Measured:
    p = _any_order(rng, number, smooth, 5, (1 / 2, 1 / 100))
    T = len(p.slope)
    return np.mean(p.slope**2) / theory.nonconvex_bound(p.gap[0], p.L, p.V, p.alpha, p.problem.n, T)


@upper("T1", "bound at its best step over its closed form", cases=50, tight=0.9)
def best_step(rng: Generator, number: int) -> Measured:
    F0, L, V = (float(v) for v in np.exp(rng.uniform(-3, 3, size=3)))
    n, T = int(rng.integers(2, 100)), int(rng.integers(1, 10**6))
    alpha = theory.nonconvex_step(F0, L, V, n, T)
    return theory.nonconvex_bound(F0, L, V, alpha, n, T) / theory.nonconvex_rate(F0, L, V, n, T)


@identity("T1", "expected mean-square prefix of random orders, by enumeration", cases=5)
def reshuffled_prefixes(rng: Generator, number: int) -> Measured:
    problem = problems.robust(m=2, n=3, d=2, seed=seed_of(rng))
    x = rng.standard_normal(2)
    rows = list(itertools.permutations(range(3)))
    pairs = [np.array(pi) for pi in itertools.product(rows, repeat=2)]
    measured = np.mean([np.sum(step_prefixes(problem, x, pi) ** 2) / 3 for pi in pairs])
    return difference(measured, theory.rr_mean_square_herding(_deviation(problem.gradients(x)), 2, 3))


def _deviation(g: FloatArray) -> float:
    within = g - g.mean(axis=1, keepdims=True)
    return float(np.sqrt(np.sum(within**2) / (g.shape[0] * g.shape[1])))


@upper("T2", "optimality gap after every epoch, any order", cases=112, tight=0.97)
def gap(rng: Generator, number: int) -> Measured:
    p = _any_order(rng, number, polyak, 4, (1 / 2, 1 / 100))
    mu, T = p.problem.constants["mu"], len(p.slope)
    return ratio(p.gap, theory.pl_bound(p.gap[0], p.L, p.V, mu, p.alpha, p.problem.n, T))[1:]


@upper("T2", "floor of random reshuffling, one curvature", cases=6, tight=0.01)
def reshuffling_floor(rng: Generator, number: int) -> Measured:
    problem = problems.quadratic(m=1 + number % 3, n=8, d=1, eigenvalues=[1.0], seed=seed_of(rng))
    alpha, sigma = 0.5 / 8, problem.constants["sigma"]
    run = simulate(problem, "rr", epochs=3000, step_size=alpha, x0=problem.x_star, seed=seed_of(rng))
    assert run.loss is not None
    bound = theory.rr_pl_floor(alpha, 1.0, sigma, 1.0, problem.m, problem.n)
    return (run.loss[0, 500:].mean() - problem.f_star) / bound


@identity("T2", "floor as the fixed point of the recursion", cases=10)
def fixed_point(rng: Generator, number: int) -> Measured:
    mu, L, V = 0.5, float(rng.uniform(1, 4)), float(rng.uniform(0.1, 3))
    alpha = 1 / (2 * 10 * L)
    return difference(theory.pl_bound(1.0, L, V, mu, alpha, 10, 4000)[-1], theory.pl_floor(alpha, L, V, mu))


def _large_steps(rng: Generator, number: int) -> tuple[Path, FloatArray, FloatArray]:
    """Return a run with alpha L up to 1, its squared distances and its squared prefixes at the optimum."""
    number, which = divmod(number, len(ANY_ORDER))
    problem = strongly_convex(number, seed_of(rng))
    cap = (1.0, 0.3, 0.02)[(number + number // 3) % 3]
    p = path(problem, ANY_ORDER[which], cap, seed_of(rng), per_epoch=False)
    assert p.run.distance is not None
    return p, p.run.distance[0] ** 2, np.sum(p.prefixes(problem.x_star) ** 2, axis=2)


@upper("T3", "squared distance after every epoch, any order, steps up to 1/L", cases=126, tight=0.95)
def distance(rng: Generator, number: int) -> Measured:
    p, squares, prefixes = _large_steps(rng, number)
    mu = p.problem.constants["mu"]
    return ratio(squares, theory.strongly_convex_path(squares[0], prefixes, p.alpha, p.L, mu))[1:]


@upper("T3", "squared distance at the end, by the largest prefix", cases=63, tight=0.5)
def last_distance(rng: Generator, number: int) -> Measured:
    p, squares, prefixes = _large_steps(rng, number)
    H, T = float(np.sqrt(prefixes.max())), len(prefixes)
    mu = p.problem.constants["mu"]
    return squares[-1] / theory.strongly_convex_bound(squares[0], p.L, H, mu, p.alpha, p.problem.n, T)


@upper("T3", "mean squared distance of random reshuffling", cases=6, tight=0.05)
def reshuffled_distance(rng: Generator, number: int) -> Measured:
    problem = strongly_convex(number, seed_of(rng))
    L, mu, sigma = (problem.constants[key] for key in ("L", "mu", "sigma"))
    alpha, T, R = (1.0, 0.2)[number // 3] / L, 10, 200
    x0 = np.full(problem.d, 0.1)
    run = simulate(problem, "rr", epochs=T, step_size=alpha, replicates=R, x0=x0, seed=seed_of(rng))
    assert run.distance is not None
    squares = run.distance[:, -1] ** 2
    low = squares.mean() - 5.0 * squares.std() / np.sqrt(R)  # five standard errors below what was measured
    r0 = float(run.distance[0, 0] ** 2)
    return low / theory.rr_strongly_convex_bound(r0, L, sigma, mu, alpha, problem.m, problem.n, T)


@upper("T4", "herding error of the next order of cd-grab, at every epoch", cases=60, tight=0.9)
def coordinated_herding(rng: Generator, number: int) -> Measured:
    p = _coordinated(rng, number, smooth, 5, (1 / 100, 1 / 2, 1 / 12))
    m, n = p.problem.m, p.problem.n
    bounds = [
        theory.cd_grab_herding_bound(H, A, g, p.alpha, p.L, m, n)
        for H, A, g in zip(p.H, p.A, p.slope, strict=True)
    ]
    return ratio(p.H[1:], bounds[:-1])


@upper("T5", "mean squared gradient of cd-grab", cases=40, tight=0.2)
def coordinated_gradient(rng: Generator, number: int) -> Measured:
    p = _coordinated(rng, number, smooth, 5, (1 / 12, 1 / 100))
    m, n, T = p.problem.m, p.problem.n, len(p.slope)
    bound = theory.cd_grab_nonconvex_bound(p.gap[0], p.L, p.H[0], p.A, p.alpha, m, n, T)
    return np.mean(p.slope**2) / bound


@upper("T5", "bound at its best step over its closed form", cases=50, tight=0.8)
def coordinated_best_step(rng: Generator, number: int) -> Measured:
    F0, L, A, sigma = (float(v) for v in np.exp(rng.uniform(-2, 2, size=4)))
    m, n, T = int(rng.integers(1, 30)), int(rng.integers(2, 100)), int(rng.integers(1, 10**6))
    H0 = n * sigma / 2  # the most that any first order can have (R2)
    alpha = theory.cd_grab_nonconvex_step(F0, L, A, m, n, T)
    bound = theory.cd_grab_nonconvex_bound(F0, L, H0, A, alpha, m, n, T)
    return bound / theory.cd_grab_nonconvex_rate(F0, L, A, m, n, T, sigma)


@upper("T6", "optimality gap of cd-grab after every epoch", cases=32, tight=0.95)
def coordinated_gap(rng: Generator, number: int) -> Measured:
    p = _coordinated(rng, number, polyak, 4, (1 / 12, 1 / 100))
    mu, m, n = p.problem.constants["mu"], p.problem.m, p.problem.n
    bounds = [
        theory.cd_grab_pl_bound(p.gap[0], p.L, p.H[0], p.A[:t].max(), mu, p.alpha, m, n, t)
        for t in range(1, len(p.gap))
    ]
    return ratio(p.gap[1:], bounds)


# Two examples on one worker keep their order, as greedy signs begin with a plus. With p the first gradient, x
# ends alpha p / (2 - alpha) off, and A is 2 p (1 + alpha / 2): the share is 0.00164, which is one over
# 152 (2 - alpha)^2 (1 + alpha / 2)^2, at alpha = 1/24. Longer orders come higher by chance.
@upper("T6", "floor of cd-grab, one curvature", cases=12, tight=0.0016)
def coordinated_floor(rng: Generator, number: int) -> Measured:
    m, n = 1 + number % 3, (2, 4, 8)[number // 3 % 3]
    problem = problems.quadratic(m=m, n=n, d=1, eigenvalues=[1.0], seed=seed_of(rng))
    alpha, epochs = 1 / (12 * n), 300
    run = simulate(
        problem,
        "cd-grab",
        epochs=epochs,
        step_size=alpha,
        x0=problem.x_star,
        seed=seed_of(rng),
        record=Record(balance=True),
    )
    assert run.loss is not None
    assert run.balance is not None
    bound = theory.cd_grab_pl_floor(alpha, 1.0, run.balance[0].max(), 1.0, m)
    return (run.loss[0, epochs // 2 :].max() - problem.f_star) / bound


def _grab(rng: Generator, number: int) -> tuple[Path, IntArray, FloatArray]:
    """Return a run of grab, its orders (T, n) and its iterates (T + 1, d)."""
    family = (problems.quadratic, problems.skewed, problems.robust)[number % 3]
    cap, norm = (1e-4, 1 / 2, 1 / 100)[number // 3 % 3], _NORMS[number // 9 % 2]
    p = path(family(m=1, n=8, d=2, seed=seed_of(rng)), "grab", cap, seed_of(rng), norm=norm)
    assert p.run.trajectory is not None
    assert p.run.orders is not None
    return p, p.run.orders[0, :, 0], p.run.trajectory[0]


def _epoch(p: Path, x: FloatArray, pi: IntArray) -> tuple[list[FloatArray], FloatArray]:
    """Follow one epoch of one worker: the points where gradients were taken, and these gradients."""
    points, seen = [], []
    for j in pi:
        points.append(x)
        seen.append(p.problem.gradients(x)[0, j])
        x = x - p.alpha * seen[-1]
    return points, np.array(seen)


def _reorder_signs(before: IntArray, after: IntArray) -> IntArray:
    """Read signs off a reorder: +1 where an example took the next slot at the front; the last fits both."""
    front, eps = 0, []
    for j in before[:-1]:
        eps.append(1 if after[front] == j else -1)
        front += eps[-1] > 0
    return np.array(eps)


@identity("T7", "squared norms of the running sum of grab around its stale mean", cases=18)
def stale_signs(rng: Generator, number: int) -> Measured:
    p, orders, x = _grab(rng, number)
    centre, differences = np.zeros(2), []
    for start, (pi, after) in zip(x, pairwise(orders), strict=False):
        _, seen = _epoch(p, start, pi)
        differences.append(greedy_difference(_reorder_signs(pi, after)[:, None] * (seen - centre)[:-1]))
        centre = seen.mean(axis=0)
    return differences


@upper("T7", "herding error of the next order of grab, at every epoch", cases=36, tight=0.98)
def stale_herding(rng: Generator, number: int) -> Measured:
    p, orders, x = _grab(rng, number)
    centre, bounds = np.zeros(2), []
    for t, pi in enumerate(orders):
        points, seen = _epoch(p, x[t], pi)
        moved = [largest(x[t + 1] - point, p.norm) for point in points]
        stale = largest(p.problem.gradients(x[t + 1]).mean(axis=(0, 1)) - centre, p.norm)
        bounds.append(theory.grab_herding_bound(p.H[t], p.A[t], p.L, 8, moved[0], sum(moved), stale))
        centre = seen.mean(axis=0)
    return ratio(p.H[1:], bounds[:-1])


@upper("T8", "parallel herding error of independent workers", cases=60, tight=0.8)
def independent_herding(rng: Generator, number: int) -> Measured:
    m, norm = 1 + number % 4, _NORMS[number // 4 % 2]
    z = rng.standard_normal((m, 9, 3))
    if number % 8 == 1:
        z[:] = z[0]
    z -= z.mean(axis=1, keepdims=True)
    pi = herding.order(z, "d-grab-pair", rounds=number % 3, seed=seed_of(rng))
    own = [herding.error(one, order, norm) for one, order in zip(z, pi, strict=True)]
    return herding.error(z, pi, norm) / m / theory.independent_herding_bound(own)


@identity("T8", "identical workers in identical orders", cases=20)
def identical_workers(rng: Generator, number: int) -> Measured:
    m, z = 1 + number % 5, rng.standard_normal((7, 2))
    pi = rng.permutation(7)
    own = herding.error(z, pi)
    measured = herding.error(np.broadcast_to(z, (m, 7, 2)), np.broadcast_to(pi, (m, 7))) / m
    return difference(measured, theory.independent_herding_bound([own] * m))


@mean(
    "T8", "mean square of the sum over workers that balance alone, over the heuristic", cases=96, margin=0.15
)
def independent_heuristic(rng: Generator, number: int) -> Measured:
    z = rng.standard_normal((16, 32, 64))
    z -= z.mean(axis=1, keepdims=True)
    pi = herding.order(z, "d-grab-pair", rounds=4, seed=seed_of(rng))
    prefixes = np.cumsum(np.take_along_axis(z, pi[..., None], axis=1), axis=1)
    own = float(np.sqrt(np.mean(np.sum(prefixes**2, axis=2))))
    together = np.mean(np.sum(prefixes.mean(axis=0) ** 2, axis=1))
    return together / theory.independent_herding_heuristic(own, 16) ** 2
