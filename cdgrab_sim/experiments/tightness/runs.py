"""Convergence bounds (T): worst quadratics in one variable, followed by `simulate`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cdgrab_sim import herding, problems
from cdgrab_sim._records import Problem, Record
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._orders import last, permutations
from cdgrab_sim.experiments.statements._paths import BALANCED, Path
from cdgrab_sim.experiments.tightness.bounds import between, bound, geometric, whole
from cdgrab_sim.experiments.tightness.signs import directions
from cdgrab_sim.synchronous._simulate import simulate
from theory import convergence as theory

_STEPS = "sums of squares of three terms, of which one is active at a time"


def line(p: FloatArray, m: int, n: int, low: float) -> Problem | None:
    """Return h x^2 / 2 - c x, curvatures of [low, 1] and slopes of [-1, 1] from 2 m n numbers.

    None where the mean is not strongly convex.
    """
    h, c = between(p[: m * n], low, 1.0), 2.0 * p[m * n : 2 * m * n] - 1.0  # type: ignore[arg-type]
    if np.mean(h) < 0.02:
        return None
    return problems.from_hessians(np.reshape(h, (m, n, 1, 1)), np.reshape(c, (m, n, 1)))


def follow(problem: Problem, ordering: str, alpha: float, x0: float, epochs: int) -> Path:
    """Run an ordering, and record what theory asks about."""
    record = Record(herding=("l2",), balance=ordering in BALANCED, orders=True, trajectory=True)
    options: dict[str, Any] = {"step_size": alpha, "x0": [x0], "record": record}
    run = simulate(problem, ordering, epochs=epochs, throw=True, **options)
    return Path(problem, run, alpha, problem.constants["L"], "l2")


def _run(
    p: FloatArray, m: int, n: int, low: float, cap: float, epochs: int, ordering: str = "ig"
) -> Path | None:
    """Make an instance of the first numbers, a step and a start of the next two."""
    problem = line(p, m, n, low)
    if problem is None:
        return None
    size = 2 * m * n
    alpha = geometric(p[size], 0.01, 1.0) * cap / (n * problem.constants["L"])
    start = 0.0 if p[size + 1] < 0.2 else between(p[size + 1], -3.0, 3.0)
    assert problem.x_star is not None
    return follow(problem, ordering, alpha, float(problem.x_star[0]) + start, epochs)


def _worst(measured: Any, predicted: Any) -> float:
    a, b = np.asarray(measured, dtype=float), np.asarray(predicted, dtype=float)
    return float(np.where(b > 1e-12, a / np.maximum(b, 1e-12), 0.0).max())


@bound("T1", "value after an epoch", 10)
def descent(p: FloatArray) -> float:
    run = _run(p, 1, 4, -1.0, 0.5, 1)
    if run is None:
        return 0.0
    predicted = theory.epoch_descent_bound(run.gap[0], run.slope[0], run.V[0], run.alpha, 4, run.L)
    return _worst(run.gap[1], predicted)


@bound("T1", "mean squared gradient", 11)
def mean_gradient(p: FloatArray) -> float:
    epochs = whole(p[10], 1, 12)
    run = _run(p, 1, 4, -1.0, 0.5, epochs)
    if run is None:
        return 0.0
    return _worst(
        np.mean(run.slope**2), theory.nonconvex_bound(run.gap[0], run.L, run.V, run.alpha, 4, epochs)
    )


@bound("T1", "bound at its best step over its closed form", 3)
def best_step(p: FloatArray) -> float:
    n, T, V = 8, whole(p[0], 1, 10**6), geometric(p[1], 1e-4, 1e4)
    F0 = geometric(p[2], 1e-3, 1e3)
    alpha = theory.nonconvex_step(F0, 1.0, V, n, T)
    return theory.nonconvex_bound(F0, 1.0, V, alpha, n, T) / theory.nonconvex_rate(F0, 1.0, V, n, T)


@bound("T2", "gap after every epoch", 11)
def gap(p: FloatArray) -> float:
    epochs = whole(p[10], 1, 12)
    run = _run(p, 1, 4, -1.0, 0.5, epochs)
    if run is None:
        return 0.0
    mu = run.problem.constants["mu"]
    return _worst(run.gap[1:], theory.pl_bound(run.gap[0], run.L, run.V, mu, run.alpha, 4, epochs)[1:])


@bound("T2", "floor of a given order", 9, _STEPS)
def floor(p: FloatArray) -> float:
    problem = line(p, 1, 4, 0.0)
    if problem is None:
        return 0.0
    mu, L = problem.constants["mu"], problem.constants["L"]
    alpha = geometric(p[8], 0.02, 1.0) * 0.5 / (4 * L)
    x = float(last(problem, [np.arange(4)[None]], alpha, [0.0], min(4000, round(5 / (alpha * mu))))[0])
    run = follow(problem, "ig", alpha, x, 1)
    return _worst(run.gap[1], theory.pl_floor(alpha, L, float(run.V[0]), mu))


@bound(
    "T2",
    "floor of random reshuffling",
    9,
    "the variance of a mean of prefixes is bounded by their mean square",
)
def reshuffled_floor(p: FloatArray) -> float:
    problem = line(p, 1, 4, 0.0)
    if problem is None:
        return 0.0
    L, mu, alpha = problem.constants["L"], problem.constants["mu"], geometric(p[8], 0.1, 1.0) * 0.5 / 4
    alpha /= L
    options: dict[str, Any] = {"x0": problem.x_star, "record": Record(grad_norm=False, trajectory=True)}
    run = simulate(problem, "rr", epochs=400, step_size=alpha, **options)
    assert run.loss is not None
    assert run.trajectory is not None
    deviations = [float(problem.gradients(x).std()) for x in run.trajectory[0, 100::10]]
    measured = float(run.loss[0, 100:].mean()) - (problem.f_star or 0.0)
    return _worst(measured, theory.rr_pl_floor(alpha, L, max(deviations), mu, 1, 4))


def _large(p: FloatArray, epochs: int) -> tuple[Path, FloatArray, FloatArray, float]:
    """Return a run with a step up to 1/L, squared distances, squared prefixes at the minimiser, and mu."""
    problem = line(p, 1, 4, 0.02)
    assert problem is not None
    assert problem.x_star is not None
    mu = float(problem.data.hessians.min())  # of every example, not of the mean
    alpha = geometric(p[8], 0.02, 1.0) / problem.constants["L"]
    start = float(problem.x_star[0]) + (0.0 if p[9] < 0.2 else between(p[9], -3.0, 3.0))
    run = follow(problem, "ig", alpha, start, epochs)
    assert run.run.distance is not None
    squares = np.sum(run.prefixes(problem.x_star) ** 2, axis=2)
    return run, run.run.distance[0] ** 2, squares, mu


@bound("T3", "squared distance after every epoch", 11)
def distance(p: FloatArray) -> float:
    run, squares, prefixes, mu = _large(p, whole(p[10], 1, 8))
    return _worst(squares[1:], theory.strongly_convex_path(squares[0], prefixes, run.alpha, run.L, mu)[1:])


@bound("T3", "squared distance, by the largest prefix", 11)
def last_distance(p: FloatArray) -> float:
    epochs = whole(p[10], 1, 8)
    run, squares, prefixes, mu = _large(p, epochs)
    H = float(np.sqrt(prefixes.max()))
    return _worst(squares[-1], theory.strongly_convex_bound(squares[0], run.L, H, mu, run.alpha, 4, epochs))


def reshuffled_distance(p: FloatArray) -> tuple[float, tuple[float, float, float, float, float]]:
    """Return the mean squared distance of rr (n = 3, T = 2), and r0, L, sigma, mu, alpha."""
    problem = line(p, 1, 3, 0.02)
    assert problem is not None
    assert problem.x_star is not None
    L, mu = problem.constants["L"], float(problem.data.hessians.min())
    alpha, start = geometric(p[6], 0.05, 1.0) / L, 0.0 if p[7] < 0.2 else between(p[7], -3.0, 3.0)
    x_star, rows = float(problem.x_star[0]), list(permutations(1, 3))
    ends = [
        float(last(problem, [first, second], alpha, [x_star + start])[0]) for first in rows for second in rows
    ]
    sigma = float(np.sqrt(np.mean(problem.gradients(problem.x_star) ** 2)))
    return float(np.mean((np.array(ends) - x_star) ** 2)), (start**2, L, sigma, mu, alpha)


@bound("T3", "mean squared distance of random reshuffling", 8)
def expected_distance(p: FloatArray) -> float:
    measured, (r0, L, sigma, mu, alpha) = reshuffled_distance(p)
    return _worst(measured, theory.rr_strongly_convex_bound(r0, L, sigma, mu, alpha, 1, 3, 2))


@bound("T4", "herding error of the next order of cd-grab", 18)
def next_herding(p: FloatArray) -> float:
    run = _run(p, 2, 4, -1.0, 0.5, 4, "cd-grab")
    if run is None:
        return 0.0
    predicted = [
        theory.cd_grab_herding_bound(H, A, g, run.alpha, run.L, 2, 4)
        for H, A, g in zip(run.H, run.A, run.slope, strict=True)
    ]
    return _worst(run.H[1:], predicted[:-1])


@bound("T5", "mean squared gradient of cd-grab", 19)
def coordinated_gradient(p: FloatArray) -> float:
    epochs = whole(p[18], 1, 12)
    run = _run(p, 2, 4, -1.0, 1 / 12, epochs, "cd-grab")
    if run is None:
        return 0.0
    predicted = theory.cd_grab_nonconvex_bound(run.gap[0], run.L, run.H[0], run.A, run.alpha, 2, 4, epochs)
    return _worst(np.mean(run.slope**2), predicted)


@bound("T5", "bound at its best step over its closed form", 3)
def coordinated_best_step(p: FloatArray) -> float:
    m, n, T, A = 4, 8, whole(p[0], 1, 10**6), geometric(p[1], 1e-3, 1e3)
    F0, H0 = geometric(p[2], 1e-3, 1e3), n / 2
    alpha = theory.cd_grab_nonconvex_step(F0, 1.0, A, m, n, T)
    measured = theory.cd_grab_nonconvex_bound(F0, 1.0, H0, A, alpha, m, n, T)
    return measured / theory.cd_grab_nonconvex_rate(F0, 1.0, A, m, n, T, 1.0)


@bound("T6", "gap of cd-grab", 19)
def coordinated_gap(p: FloatArray) -> float:
    epochs = whole(p[18], 1, 12)
    run = _run(p, 2, 4, -1.0, 1 / 12, epochs, "cd-grab")
    if run is None:
        return 0.0
    mu = run.problem.constants["mu"]
    predicted = theory.cd_grab_pl_bound(
        run.gap[0], run.L, run.H[0], float(run.A.max()), mu, run.alpha, 2, 4, epochs
    )
    return _worst(run.gap[-1], predicted)


@bound(
    "T6",
    "floor of cd-grab",
    18,
    _STEPS + "; and H <= A is paid in full where the mean prefix is a part of it",
)
def coordinated_floor(p: FloatArray) -> float:
    run = _run(p, 2, 4, 0.0, 1 / 12, 1, "cd-grab")
    if run is None or run.problem.constants["mu"] < 0.2:
        return 0.0
    mu = run.problem.constants["mu"]
    epochs = min(600, round(4.0 / (run.alpha * 4 * mu)))
    assert run.problem.x_star is not None
    run = follow(run.problem, "cd-grab", run.alpha, float(run.problem.x_star[0]), epochs)
    late = epochs // 2
    predicted = theory.cd_grab_pl_floor(run.alpha, run.L, float(run.A[late:].max()), mu, 2)
    return _worst(run.gap[late:].max(), predicted)


def stale_epochs(p: FloatArray) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield the herding errors of the next orders of grab, and what their bound is of."""
    run = _run(p, 1, 4, -1.0, 0.5, 3, "grab")
    if run is None:
        return
    assert run.run.orders is not None
    assert run.run.trajectory is not None
    x, centre = run.run.trajectory[0], np.zeros(1)
    for t in range(2):
        points, seen = [x[t]], []
        for j in run.run.orders[0, t, 0]:
            seen.append(run.problem.gradients(points[-1])[0, j])
            points.append(points[-1] - run.alpha * seen[-1])
        moved = [float(np.abs(x[t + 1] - point).max()) for point in points[:-1]]
        stale = float(np.abs(run.problem.gradients(x[t + 1])[0].mean(axis=0) - centre).max())
        given = {"H": run.H[t], "balance": run.A[t], "L": run.L, "n": 4}
        yield run.H[t + 1], given | {"moved": moved[0], "moved_sum": sum(moved), "mean_error": stale}
        centre = np.mean(seen, axis=0)


@bound("T7", "herding error of the next order of grab", 10)
def stale_herding(p: FloatArray) -> float:
    shares = (_worst(found, theory.grab_herding_bound(**given)) for found, given in stale_epochs(p))
    return max(shares, default=0.0)


@bound("T8", "parallel herding error of independent workers", 12)
def independent(p: FloatArray) -> float:
    z = directions(p, 1).reshape(2, 6, 1)
    z = z - z.mean(axis=1, keepdims=True)
    pi = np.tile(np.arange(6), (2, 1))
    own = [herding.error(one, order, "l2") for one, order in zip(z, pi, strict=True)]
    return _worst(herding.error(z, pi, "l2") / 2, theory.independent_herding_bound(own))
