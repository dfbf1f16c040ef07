"""One quadratic mode under delay (A1, A2, A4 to A6): stability, variances and means of `simulate_async`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from cdgrab_sim import problems
from cdgrab_sim.asynchronous import AsyncRecord, job_times, simulate_async
from cdgrab_sim.experiments.async_stability import limit, variance
from cdgrab_sim.experiments.statements._instances import seed_of
from cdgrab_sim.experiments.statements._statement import Measured, difference, identity, mean
from theory.asynchrony import exponential, fixed_delay

MODE = problems.quadratic(m=1, n=1, d=1, eigenvalues=[1.0], sigma=0.0)  # no noise
PATH = AsyncRecord(every=1, trajectory=True, loss=False)


def _mode(workers: int, c: float, updates: int, times: Any = 1.0, **changes: Any) -> np.ndarray[Any, Any]:
    """Return x_k - x_star along a run on the mode, from a distance of one."""
    assert MODE.x_star is not None
    options: dict[str, Any] = {
        "step_size": c,
        "job_times": times,
        "x0": MODE.x_star + 1.0,
        "record": PATH,
    } | changes
    run = simulate_async(MODE, "vanilla", workers=workers, updates=updates, **options)
    assert run.trajectory is not None
    return np.asarray(run.trajectory[:, 0] - MODE.x_star[0])


@identity("A1", "growth of a mode below, at and above the stability limit", cases=10, tol=0.02)
def stability(rng: Generator, number: int) -> Measured:
    m = 2 + number % 5
    limit = fixed_delay.stability_limit(m - 1)
    return [
        difference(_growth(m, limit), 1.0),
        *(
            difference(_growth(m, factor * limit), fixed_delay.contraction_factor(factor * limit, m - 1))
            for factor in (0.9, 1.2)
        ),
    ]


def _growth(m: int, c: float) -> float:
    """Return the factor per update at which the envelope of a mode moves."""
    size = np.log(np.abs(_mode(m, c, 500)) + 1e-300)
    peaks = [size[k : k + 40].max() for k in range(100, 461)]
    return float(np.exp(np.polyfit(np.arange(len(peaks)), peaks, 1)[0]))


@identity("A4", "equal workers are a fixed delay, bit by bit", cases=20, tol=0.0)
def equal_workers(rng: Generator, number: int) -> Measured:
    m, c = 1 + number % 6, float(rng.uniform(0.01, 0.2))
    problem = problems.quadratic(m=1, n=32, d=1, eigenvalues=[1.0], seed=seed_of(rng))
    record = AsyncRecord(every=1, trajectory=True, events=True, loss=False)
    run = simulate_async(
        problem, "vanilla", workers=m, updates=100, step_size=c, seed=seed_of(rng), x0=[1.0], record=record
    )
    assert run.trajectory is not None
    targets = problem.data.b[0, run.events["example"], 0]
    return difference(run.trajectory[:, 0], fixed_delay.iterates(np.full(100, c), targets, 1.0, m))


def _variance(rng: Generator, m: int, c: float, times: str) -> float:
    sizes = {"n": 512, "d": 8, "updates": 20_000, "m": m, "seed": seed_of(rng)}
    return variance(sizes | {"times": times, "fraction": c / limit(times, m)})["variance"]


@mean("A2", "stationary variance under a fixed delay", cases=16, margin=0.05)
def fixed_variance(rng: Generator, number: int) -> Measured:
    m, c = 2 + number % 4, 0.15
    return _variance(rng, m, c, "fixed") / fixed_delay.variance(c, m - 1)


@mean("A6", "stationary variance under exponential times", cases=16, margin=0.05)
def exponential_variance(rng: Generator, number: int) -> Measured:
    m, c = 2 + number % 4, 0.15
    return _variance(rng, m, c, "exponential") / exponential.variance(c, m)


@identity("A2b", "contraction at the fastest step", cases=4, tol=0.02)
def fastest(rng: Generator, number: int) -> Measured:
    m = 2 + number
    c = 0.999 * fixed_delay.fastest_step(m - 1)  # at the step itself two roots meet
    size = np.log(np.abs(_mode(m, c, 60)[20:]) + 1e-300)
    measured = float(np.exp(np.polyfit(np.arange(len(size)), size, 1)[0]))
    return difference(measured, fixed_delay.contraction_factor(c, m - 1))


@mean("A5", "mean iterates under exponential times, along their prediction", cases=16, margin=0.05)
def implicit_momentum(rng: Generator, number: int) -> Measured:
    m, c, k = 3 + number % 3, 0.3, 12
    predicted = exponential.mean_iterates(c, m, k)[1:]
    traces = [_mode(m, c, k, job_times.exponential(), seed=seed_of(rng))[1:] for _ in range(50)]
    return np.mean(traces, axis=0) @ predicted / (predicted @ predicted)


@identity("A6", "growth of the second moment at the stability limit", cases=5, tol=1e-8)
def second_moment_limit(rng: Generator, number: int) -> Measured:
    m, maps = 1 + number, []
    for i in range(m):  # the state is x and what the m workers read; worker i arrives and reads again
        step = np.eye(m + 1)
        step[0, i + 1] = -exponential.stability_limit(m)
        step[i + 1] = step[0]
        maps.append(np.kron(step, step))
    return difference(np.abs(np.linalg.eigvals(np.mean(maps, axis=0))).max(), 1.0)
