"""Laws of asynchronous SGD (A2, A5, A7 to A9, A11): delays, jobs in flight and what rules by age leave."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from cdgrab_sim import problems
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous import AsyncRecord, job_times, methods, simulate_async
from cdgrab_sim.experiments.statements._instances import seed_of
from cdgrab_sim.experiments.statements._statement import Measured, difference, identity, mean
from cdgrab_sim.experiments.statements.asynchrony import FACTORS, NOISY, SILENT, SLOW, UNIFORM, long_run
from theory.asynchrony import (
    effective_laws,
    exact_laws,
    exponential,
    finite_horizon,
    fixed_delay,
    renewal,
    wall_clock,
)

TICKS = FACTORS.astype(np.int64)  # 10 for slow examples, 1 for the others
DELAYS = AsyncRecord(events=True, loss=False)
SHARES, CLASSES = np.array([0.5, 0.2, 0.1, 0.2]), np.array([10, 19, 43, 103])  # those of `async bias`
EXAMPLES = np.repeat(CLASSES, (50, 20, 10, 20))


def _second_moment(law: FloatArray) -> float:
    return float(law @ np.arange(len(law)) ** 2)


@mean("A2", "autocovariance under a fixed delay", cases=16, margin=0.05)
def memory(rng: Generator, number: int) -> Measured:
    m, c, lag, d = 2 + number % 3, 0.15, 3, 32
    problem = problems.quadratic(m=1, n=512, d=d, eigenvalues=[1.0] * d, seed=seed_of(rng))
    record = AsyncRecord(every=1, trajectory=True, loss=False)
    run = simulate_async(
        problem,
        "vanilla",
        workers=m,
        updates=2000,
        step_size=c,
        seed=seed_of(rng),
        x0=problem.x_star,
        record=record,
    )
    assert run.trajectory is not None
    assert problem.x_star is not None
    e = (run.trajectory[500:] - problem.x_star) / (c * problem.data.b[0].std(axis=0))
    return np.mean(e[lag:] * e[:-lag]) / fixed_delay.autocovariance(c, m - 1, lag)[lag]


@mean("A5", "second moment of the delay under exponential times", cases=16, margin=0.05)
def geometric(rng: Generator, number: int) -> Measured:
    m = 3 + number % 4
    run = long_run("vanilla", rng, m, 20_000, job_times.exponential(), record=DELAYS)
    assert run.events is not None
    return np.mean(run.events["delay"][500:] ** 2.0) / _second_moment(exponential.delay_law(m, 500))


@mean("A7", "share of slow examples in flight", cases=16, margin=0.03)
def in_flight(rng: Generator, number: int) -> Measured:
    run = long_run("vanilla", rng, 6, 20_000)
    return run.busy[0, SLOW].sum() / run.busy.sum() / renewal.in_flight_law(UNIFORM, FACTORS)[SLOW].sum()


@mean("A9", "second moment of the delay of slow examples", cases=16, margin=0.03)
def slow_delays(rng: Generator, number: int) -> Measured:
    m = 3 + number % 4
    run = long_run("vanilla", rng, m, 60_000, record=DELAYS)
    assert run.events is not None
    delays = run.events["delay"][500:][SLOW[run.events["example"][500:]]]
    return np.mean(delays**2.0) / _second_moment(exact_laws.delay_law(UNIFORM, TICKS, m, 10))


@mean("A9", "share of slow examples under delay-adaptive steps, few workers", cases=16, margin=0.05)
def few_workers(rng: Generator, number: int) -> Measured:
    m = 4 + number % 4
    law = exact_laws.weighted_by_delay(UNIFORM, TICKS, m, lambda tau: m / np.maximum(tau, m))
    return long_run("delay-adaptive", rng, m, 20_000).law[0, SLOW].sum() / law[SLOW].sum()


@mean("A9", "share of slow examples in the rounds of Rennala", cases=24, margin=0.05)
def rounds(rng: Generator, number: int) -> Measured:
    m, batch = 4 + number % 4, 12
    run = long_run(methods.rennala(batch), rng, m, 8000)
    return run.law[0, SLOW].sum() / exact_laws.round_law(UNIFORM, TICKS, m, batch)[SLOW].sum()


@identity("A9", "what dropping by age leaves of the draws", cases=8, tol=1e-12)
def conserved(rng: Generator, number: int) -> Measured:
    run = long_run("drop-by-age", rng, 4 + number, 2000)
    applied, dropped = run.applied[0].astype(float), run.dropped[0].astype(float)
    drawn, lost = applied + dropped, dropped.sum()
    law = effective_laws.after_dropping(drawn / drawn.sum(), dropped / lost, lost / drawn.sum())
    return difference(run.law[0], law)


@mean("A9", "share of fast examples when old gradients are dropped, 300 workers", cases=4, margin=0.01)
def old_dropped(rng: Generator, number: int) -> Measured:
    law = effective_laws.drop_older_than_m(UNIFORM, FACTORS)
    return long_run("drop-by-age", rng, 300, 30_000).law[0, ~SLOW].sum() / law[~SLOW].sum()


@mean("A9", "share of the shortest jobs among those within a deadline", cases=16, margin=0.03)
def deadline(rng: Generator, number: int) -> Measured:
    limit = (19.0, 43.0)[number % 2]
    problem = problems.quadratic(m=1, n=len(EXAMPLES), d=1, seed=seed_of(rng))
    run = simulate_async(
        problem,
        "vanilla",
        workers=3,
        updates=20_000,
        step_size=1e-6,
        seed=seed_of(rng),
        job_times=job_times.by_example(EXAMPLES.astype(float)),
        record=DELAYS,
    )
    assert run.events is not None
    took = run.events["time"] - run.events["start"]
    kept = run.events["example"][took <= limit + 0.5]
    law = effective_laws.cut_off(np.full(len(EXAMPLES), 0.01), EXAMPLES, limit)
    return np.mean(EXAMPLES[kept] == 10) / law[EXAMPLES == 10].sum()


@mean("A9", "share of the slowest examples under Ringmaster's threshold, less the fluid limit", cases=16,
      margin=0.03, center=0.0)  # fmt: skip
def threshold(rng: Generator, number: int) -> Measured:
    m, R = 96, (192, 384)[number % 2]
    problem = problems.quadratic(m=1, n=len(EXAMPLES), d=1, seed=seed_of(rng))
    times = job_times.by_example(EXAMPLES.astype(float))
    run = simulate_async(
        problem,
        methods.ringmaster(R),
        workers=m,
        updates=20_000,
        step_size=1e-6,
        seed=seed_of(rng),
        job_times=times,
        record=SILENT,
    )
    promise = effective_laws.age_threshold(SHARES, CLASSES, m, R)[-1]
    return run.law[0, EXAMPLES == 103].sum() - promise


@mean("A9", "share of the updates from the shards of fast workers", cases=16, margin=0.02)
def shards(rng: Generator, number: int) -> Measured:
    means = np.array([1.0, 1.0, 2.0, 3.0])
    problem = problems.quadratic(m=4, n=8, d=1, seed=seed_of(rng))
    run = simulate_async(
        problem,
        "vanilla",
        workers=4,
        updates=20_000,
        step_size=1e-6,
        seed=seed_of(rng),
        job_times=job_times.exponential(means),
        record=SILENT,
    )
    return run.by_worker[:2].sum() / run.by_worker.sum() / effective_laws.shards(means)[:2].sum()


@mean(
    "A8",
    "slow examples among the first updates, less those foretold by the ones in flight",
    cases=24,
    margin=0.05,
    center=0.0,
)
def among_the_first(rng: Generator, number: int) -> Measured:
    m, updates, p = 3 + number % 4, 12, np.array([1.0 - SLOW.mean(), SLOW.mean()])
    runs = [long_run("vanilla", rng, m, updates) for _ in range(200)]
    held = np.mean([[run.in_flight[0, chosen].sum() for chosen in (~SLOW, SLOW)] for run in runs], axis=0)
    older = np.maximum(held - p, 0.0)  # the job issued last is a fresh draw
    predicted = finite_horizon.expected_applied(p, m, updates, older * (m - 1) / older.sum())
    measured = np.mean([run.applied[0, SLOW].sum() for run in runs])
    return (measured - predicted[1]) / (p[1] * (updates + m - 1))


@mean("A8", "slow jobs that one worker completes in a short time", cases=16, margin=0.05)
def completed(rng: Generator, number: int) -> Measured:
    # The workers are alike, so that many of them are as many repetitions of one.
    horizon, m = 15 + number, 2000
    run = simulate_async(
        NOISY,
        "vanilla",
        workers=m,
        until=float(horizon) + 0.5,
        step_size=1e-6,
        seed=seed_of(rng),
        job_times=job_times.by_example(FACTORS),
        record=SILENT,
    )
    expected = finite_horizon.expected_completions(UNIFORM, TICKS, horizon)[SLOW].sum()
    return run.applied[0, SLOW].sum() / m / expected


@identity("A8", "renewal function after a long time", cases=10, tol=1e-6)
def long_time(rng: Generator, number: int) -> Measured:
    ticks = np.array([2 + number % 3, 5, 9])
    p = rng.dirichlet(np.ones(3)) * 0.7 + 0.1
    started = finite_horizon.renewal_function(p / p.sum(), ticks, 3000)[-1]
    return difference(started, finite_horizon.renewal_function_limit(p / p.sum(), ticks, 3000.0, 1.0))


@identity("A11", "updates in a time that all job times divide", cases=20, tol=1e-12)
def rate(rng: Generator, number: int) -> Measured:
    times = [float(t) for t in rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 12], size=2 + number % 4)]
    run = simulate_async(
        NOISY, "vanilla", workers=len(times), job_times=times, until=240.0, step_size=1e-6, record=SILENT
    )
    return difference(run.by_worker.sum() / 240.0, wall_clock.update_rate(times))
