"""Asynchronous SGD (A3, A7 to A17): delays, laws, times and methods, measured with `simulate_async`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from cdgrab_sim import problems
from cdgrab_sim._records import Problem
from cdgrab_sim.asynchronous import AsyncRecord, AsyncRun, job_times, methods, simulate_async
from cdgrab_sim.experiments._orders import given
from cdgrab_sim.experiments.statements._instances import interpreted, seed_of
from cdgrab_sim.experiments.statements._statement import Measured, difference, identity, mean, upper
from cdgrab_sim.synchronous._simulate import simulate
from cdgrab_sim.updates import nesterov
from theory.asynchrony import (
    counting,
    effective_laws,
    finite_horizon,
    invariance,
    renewal,
    sequential,
    wall_clock,
)

# One quadratic mode without noise.
MODE = interpreted(problems.quadratic(m=1, n=1, d=1, eigenvalues=[1.0], sigma=0.0))
NOISY = problems.quadratic(m=1, n=64, d=2, seed=3)
FEW = interpreted(NOISY)  # for short runs
LAM, CENTRES = NOISY.data.eigenvalues, NOISY.data.b[0]
SLOW = np.arange(64) < 13
CLASSES = job_times.two_classes(SLOW, 10.0)
FACTORS = np.where(SLOW, 10.0, 1.0)  # up to a number, which no law depends on
UNIFORM = np.full(64, 1 / 64)
TRACE = AsyncRecord(every=1, trajectory=True, events=True, loss=False)
SILENT = AsyncRecord(loss=False)
_ORDERED = ("ordered-momentum-anytime", "ordered-momentum-heavy-ball", "ordered-momentum-mu-squared")


def long_run(
    method: Any,
    rng: Generator,
    m: int,
    updates: int,
    times: Any = CLASSES,
    problem: Problem = NOISY,
    **changes: Any,
) -> AsyncRun:
    """Run on the noisy problem, whose slow examples take ten times as long."""
    options: dict[str, Any] = {"step_size": 1e-3, "record": SILENT, "seed": seed_of(rng)} | changes
    return simulate_async(problem, method, workers=m, updates=updates, job_times=times, **options)


@identity("A3", "total delay, applied and in flight", cases=20, tol=0.0)
def total_delay(rng: Generator, number: int) -> Measured:
    m, updates = 1 + number % 7, int(rng.integers(20, 400))
    run = long_run("vanilla", rng, m, updates, job_times.pareto(1.3), record=AsyncRecord(events=True))
    assert run.events is not None
    worker = run.events["worker"]
    last = [np.flatnonzero(worker == i)[-1] if (worker == i).any() else -1 for i in range(m)]
    total = run.events["delay"].sum() + sum(updates - 1 - k for k in last)
    return [
        difference(total, counting.total_delay(m, updates)),
        difference(total / (updates + m - 1), float(counting.average_delay(m, updates))),
    ]


@mean("A7", "mean delay of slow examples", cases=16, margin=0.02)
def slow_delays(rng: Generator, number: int) -> Measured:
    return _delay(rng, (4, 8)[number % 2], SLOW)


@mean("A7", "mean delay of the other examples", cases=16, margin=0.02)
def other_delays(rng: Generator, number: int) -> Measured:
    return _delay(rng, (4, 8)[number % 2], ~SLOW)


def _delay(rng: Generator, m: int, chosen: Any) -> float:
    run = long_run("vanilla", rng, m, 20_000)
    predicted = renewal.expected_delay(UNIFORM, FACTORS, m)[chosen][0]
    return float(np.average(run.delay[0, chosen], weights=run.applied[0, chosen]) / predicted)


@mean("A8", "slow examples applied and in flight after few updates", cases=24, margin=0.05)
def few_updates(rng: Generator, number: int) -> Measured:
    m, updates = (3, 6)[number % 2], 24
    runs = [long_run("vanilla", rng, m, updates) for _ in range(150)]
    counts = [run.applied[0, SLOW].sum() + run.in_flight[0, SLOW].sum() for run in runs]
    return np.mean(counts) / (SLOW.mean() * (updates + m))


@mean("A9", "share of slow examples under first k", cases=24, margin=0.03)
def first_k(rng: Generator, number: int) -> Measured:
    run = long_run(methods.first_k(6), rng, 8, 20_000)
    return run.law[0, SLOW].sum() / finite_horizon.first_k(UNIFORM, FACTORS, 8, 6)[SLOW].sum()


@mean("A8", "share of slow examples in long rounds of Rennala, to first order", cases=16, margin=0.05)
def long_rounds(rng: Generator, number: int) -> Measured:
    run, law = long_run(methods.rennala(64), rng, 8, 300), finite_horizon.first_updates_law
    return run.law[0, SLOW].sum() / law(UNIFORM, FACTORS, 8, 64)[SLOW].sum()


@mean("A9", "share of slow examples under delay-adaptive steps, 300 workers", cases=4, margin=0.05)
def adaptive(rng: Generator, number: int) -> Measured:
    run = long_run("delay-adaptive", rng, 300, 40_000)
    return run.law[0, SLOW].sum() / effective_laws.delay_adaptive(UNIFORM, FACTORS)[SLOW].sum()


@mean("A10", "bias of the drained iterate over its prediction", cases=16, margin=0.1)
def drained(rng: Generator, number: int) -> Measured:
    times, alpha, m = job_times.by_gradient(0.2, 10.0), 0.002, 8
    assert times.example is not None
    assert NOISY.x_star is not None
    g = NOISY.gradients(NOISY.x_star)[0]
    bias = -alpha * renewal.mean_in_flight_sum(UNIFORM, np.ravel(times.example(NOISY)), g, m)
    record = AsyncRecord(every=25, virtual=True, loss=False)
    run = long_run("vanilla", rng, m, 30_000, times, step_size=alpha, record=record, x0=NOISY.x_star)
    assert run.virtual is not None
    gap = (run.virtual[len(run.virtual) // 10 :] - NOISY.x_star).mean(axis=0)
    return float(gap @ bias / (bias @ bias))


def _times(rng: Generator, number: int) -> list[float]:
    return [float(t) for t in rng.integers(1, 20, size=2 + number % 4)]


@identity("A11", "counts of workers with fixed times", cases=20, tol=0.0)
def counts(rng: Generator, number: int) -> Measured:
    times, until = _times(rng, number), float(rng.integers(20, 400))
    run = simulate_async(
        MODE, "vanilla", workers=len(times), job_times=times, until=until, step_size=1e-3, record=SILENT
    )
    return difference(run.by_worker, wall_clock.arrivals(times, until))


@identity("A13", "time of Rennala's rounds", cases=20)
def rounds(rng: Generator, number: int) -> Measured:
    times, batch = _times(rng, number), int(rng.integers(1, 15))
    options: dict[str, Any] = {"workers": len(times), "job_times": times, "step_size": 1e-3, "record": SILENT}
    run = simulate_async(MODE, methods.rennala(batch), updates=3, **options)
    return difference(run.time, 3 * wall_clock.fresh_gradients_time(times, batch))


@upper("A13", "time of consecutive updates of Ringmaster, and of fresh gradients", cases=40, tight=0.5)
def ringmaster(rng: Generator, number: int) -> Measured:
    times, R = _times(rng, number), int(rng.integers(1, 15))
    options: dict[str, Any] = {"workers": len(times), "job_times": times, "step_size": 1e-3, "record": TRACE}
    run = simulate_async(MODE, methods.ringmaster(R, stop=True), updates=60, **options)
    longest = (run.at_time[R:] - run.at_time[:-R]).max()
    return [
        longest / wall_clock.ringmaster_bound(times, R),
        wall_clock.fresh_gradients_time(times, R) / wall_clock.fresh_gradients_bound(times, R),
    ]


@identity("A12", "complexities from counts of gradients", cases=20)
def throughput(rng: Generator, number: int) -> Measured:
    times = np.sort(rng.choice([1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60], size=2 + number % 4)).astype(float)
    L, gap, sigma, accuracy = (float(value) for value in rng.uniform(0.1, 3.0, size=4))

    def complexity(method: str, workers: int) -> float:
        run = simulate_async(
            MODE,
            method,
            workers=workers,
            job_times=times[:workers],
            until=60.0,
            step_size=1e-3,
            record=SILENT,
        )
        time_for_one_each = 60.0 * workers / run.applied.sum()
        return float(time_for_one_each * L * gap / accuracy * (1.0 + sigma**2 / (workers * accuracy)))

    m = len(times)
    vanilla = [complexity("vanilla", workers) for workers in range(1, m + 1)]
    measured = {"optimal": min(vanilla), "async": vanilla[-1], "sync": complexity("mini-batch", m)}
    return [
        difference(value, wall_clock.time_complexity(times, L, gap, sigma, accuracy, method=method))
        for method, value in measured.items()
    ]


@upper("A12", "optimal over asynchronous over synchronous time", cases=40, tight=0.99)
def complexities(rng: Generator, number: int) -> Measured:
    times, sigma = _times(rng, number), float(rng.uniform(0.1, 10))
    if number % 8 == 0:
        times = [2.0] * len(times)  # equal workers: all three agree
    best, asynchronous, synchronous = (
        wall_clock.time_complexity(times, 1.0, 1.0, sigma, 0.1, method=method)
        for method in ("optimal", "async", "sync")
    )
    return [best / asynchronous, asynchronous / synchronous]


def _seen(run: AsyncRun) -> tuple[Any, Any]:
    """Return the gradients in the order of arrival and the counters at which their points were read."""
    assert run.events is not None
    assert run.trajectory is not None
    read = np.arange(len(run.events["delay"])) - run.events["delay"]
    return LAM * (run.trajectory[read] - CENTRES[run.events["example"]]), read


@identity("A14", "state of ordered momentum from the gradients alone", cases=8, tol=1e-11)
def order_invariance(rng: Generator, number: int) -> Measured:
    m, times, updates = (1, 3, 8)[number % 3], job_times.pareto(1.2), 120
    options: dict[str, Any] = {"record": TRACE, "x0": np.ones(2), "problem": FEW}
    run = long_run(methods.ordered_anytime(), rng, m, updates, times, step_size=5e-4, **options)
    _, x = invariance.ordered_anytime_state(np.ones(2), *_seen(run), 5e-4, updates)
    ball = long_run(methods.ordered_heavy_ball(0.8), rng, m, updates, times, step_size=2e-3, **options)
    g, read = _seen(ball)
    buckets, now = -(-read // m), -(-(updates - 1) // m)
    w, _ = invariance.ordered_heavy_ball_state(np.ones(2), g, buckets, 2e-3, 0.8, now)
    return [difference(run.x, x), difference(ball.x, w)]


@identity("A15", "compensated gradients follow sequential SGD", cases=8, tol=1e-11)
def compensation(rng: Generator, number: int) -> Measured:
    # What a delayed gradient becomes: the gradient of the same example at the server's own iterate.
    run = long_run("vanilla", rng, 6, 200, record=TRACE, step_size=0.01)
    g, read = _seen(run)
    assert run.trajectory is not None
    assert run.events is not None
    x, hessian = run.trajectory, np.diag(LAM)
    made = [invariance.compensated_gradient(g[k], hessian, x[k], x[read[k]]) for k in range(200)]
    return difference(made, LAM * (x[:200] - CENTRES[run.events["example"]]))


@identity("A16", "one worker is the sequential parent", cases=10, tol=0.0)
def parents(rng: Generator, number: int) -> Measured:
    alpha, start = 5e-4, np.ones(2)
    name = ("vanilla", "rennala", *_ORDERED)[number % 5]
    method = methods.rennala(5) if name == "rennala" else name
    run = long_run(method, rng, 1, 60, step_size=alpha, record=TRACE, x0=start, order="rr", problem=FEW)
    assert run.events is not None
    assert run.trajectory is not None
    z = run.events["example"].tolist()

    def gradient(x: Any, j: int) -> Any:
        return LAM * (x - CENTRES[j])

    parent = {
        "vanilla": lambda: sequential.sgd(gradient, start, z, alpha),
        "ordered-momentum-anytime": lambda: sequential.anytime_sgd(gradient, start, z, alpha),
        "ordered-momentum-heavy-ball": lambda: sequential.heavy_ball(gradient, start, z, alpha, 0.9),
        "ordered-momentum-mu-squared": lambda: sequential.mu_squared_sgd(gradient, start, z, alpha),
        "rennala": lambda: sequential.mini_batch_sgd(gradient, start, z, alpha, 5),
    }[name]()
    return difference(run.trajectory, parent)


@identity("A16", "one worker of `simulate` is the sequential parent", cases=12, tol=1e-12)
def synchronous_parents(rng: Generator, number: int) -> Measured:
    alpha, start, pi = 5e-4, np.ones(2), rng.permutation(64)

    def gradient(x: Any, j: int) -> Any:
        return LAM * (x - CENTRES[j])

    z = pi.tolist() * 2
    changes, parent = (
        ({}, sequential.sgd(gradient, start, z, alpha)),
        ({"batch": 8}, sequential.mini_batch_sgd(gradient, start, z, alpha, 8)),
        ({"momentum": 0.9}, sequential.heavy_ball(gradient, start, z, alpha, 0.9)),
        ({"update": nesterov(momentum=0.9)}, sequential.heavy_ball(gradient, start, z, alpha, 0.9, True)),
    )[number % 4]
    run = simulate(NOISY, given([pi[None]]), epochs=2, step_size=alpha, x0=start, **changes)
    return difference(run.x[0], parent[-1])


@identity("A17", "applied prefix sums from issued ones", cases=8, tol=0.0)
def applied(rng: Generator, number: int) -> Measured:
    seed, m = seed_of(rng), 2 + number
    short, longer = (
        long_run("vanilla", rng, m, updates, job_times.pareto(1.5), record=TRACE, seed=seed)
        for updates in (50, 4000)
    )
    assert short.events is not None
    assert longer.events is not None
    v = rng.integers(-9, 10, size=(64, 3)).astype(np.float64)  # exact sums
    order = np.lexsort((longer.events["worker"], longer.events["start"]))[: 50 + m]
    in_flight = np.flatnonzero(order >= 50)
    predicted = counting.applied_prefix(v[longer.events["example"][order]], in_flight)
    return difference(v[short.events["example"]].sum(axis=0), predicted)
