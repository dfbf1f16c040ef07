"""Job times that vary with the clock: any trace of rates, workers that come and go, slow tides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._hash import clock_stream
from cdgrab_sim.asynchronous._records import JobTimes, based_on

_STEPS = 64  # of a period


def trace(rates: ArrayLike, step: float = 1.0, base: JobTimes | None = None) -> JobTimes:
    r"""Return times of workers whose speed follows a trace: a job ends when the work it needs is done.

    .. math:: \int_{t_0}^{t} v_i(u) \, du = s, \qquad v_i \text{ constant on steps, then repeated}

    Rates are scaled to mean 1, so that models compare at the same throughput.

    Parameters
    ----------
    rates : array (K,) or (workers, K)
        At least 0, and above 0 somewhere, for every worker.
    step : float
        How long each rate lasts.
    base : JobTimes, optional
        The work that jobs need; 1 by default.

    References
    ----------
    The universal computation model: Tyurin (2024), arXiv 2408.04929 (recalled).

    Examples
    --------
    A worker that pauses every second unit of time and works at double speed in between:

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.quadratic(m=1, n=4, d=1)
    >>> run = cg.simulate_async(
    ...     problem, "vanilla", workers=1, updates=4, step_size=0.1, job_times=trace([1.0, 0.0]),
    ...     record=cg.asynchronous.AsyncRecord(events=True),
    ... )
    >>> run.events["time"].tolist()
    [0.5, 1.0, 2.5, 3.0]
    """
    table = _checks.floats("rates", rates, (1, 2))
    if (table < 0.0).any() or not (table.max(axis=-1) > 0.0).all():
        raise ValueError(
            "rates: expected numbers >= 0, not all 0 for any worker; a dead worker is fixed([..., inf])"
        )
    scaled = np.atleast_2d(table / table.mean(axis=-1, keepdims=True))

    def of(workers: int) -> FloatArray:
        if len(scaled) not in (1, workers):
            raise ValueError(
                f"rates: expected shape (K,) or (workers, K) with {workers} workers; got {len(scaled)} rows"
            )
        return np.broadcast_to(scaled, (workers, scaled.shape[1]))

    return _varying("trace", of, step, base)


def on_off(
    on: float, off: float, *, seed: int = 0, steps: int = 1024, base: JobTimes | None = None
) -> JobTimes:
    r"""Return times of workers that come and go: a two-state Markov chain for each.

    Rates are 0 and a constant that makes the mean 1. Stays are geometric, in steps of an eighth of the
    shorter mean stay; the chain is drawn ahead and repeated after `steps`, and worker i does not depend on
    how many there are.

    Parameters
    ----------
    on, off : float
        Mean stays, > 0.
    seed : int
    steps : int
        Memory is workers * steps.
    base : JobTimes, optional
        The work that jobs need.

    Examples
    --------
    >>> on_off(3.0, 1.0).name
    'on-off'
    """
    stays = np.array([_checks.real("off", off, above=0.0), _checks.real("on", on, above=0.0)])
    seed, K, step = (
        _checks.integer("seed", seed, low=0),
        _checks.size("steps", steps),
        float(stays.min()) / 8.0,
    )

    def row(worker: int) -> FloatArray:
        rng = Generator(PCG64(clock_stream(seed, worker)))
        first = int(rng.random() < stays[1] / stays.sum())
        states = (first + np.arange(K)) % 2
        rates = np.repeat(states, np.minimum(rng.geometric(step / stays[states]), K))[:K].astype(np.float64)
        if not rates.any():
            raise ValueError(
                f"steps: expected enough of them for a stay; worker {worker} is off for all {K}; raise steps"
            )
        return np.asarray(rates / rates.mean())

    return _varying("on-off", lambda workers: np.array([row(i) for i in range(workers)]), step, base)


def sinusoid(period: float, depth: float, base: JobTimes | None = None) -> JobTimes:
    r"""Return times of workers whose speed rises and falls, each at a phase of its own.

    .. math:: v_i(t) = 1 + \text{depth} \cdot \sin\big( 2 \pi (t / \text{period} + i / m) \big)

    averaged over each of 64 steps of a period, so that the work done by the ends of steps is exact.

    Parameters
    ----------
    period : float
        > 0.
    depth : float
        In [0, 1].
    base : JobTimes, optional
        The work that jobs need.

    Examples
    --------
    >>> sinusoid(50.0, 0.9).name
    'sinusoid'
    """
    period, depth = _checks.real("period", period, above=0.0), _checks.share("depth", depth)

    def of(workers: int) -> FloatArray:
        ends = np.arange(_STEPS + 1) / _STEPS + np.arange(workers)[:, None] / workers
        waves = np.cos(2.0 * np.pi * ends)
        swing = depth * _STEPS / (2.0 * np.pi) * (waves[:, :-1] - waves[:, 1:])
        return np.asarray(np.maximum(0.0, 1.0 + swing))

    return _varying("sinusoid", of, period / _STEPS, base)


def _varying(name: str, rates: Callable[[int], FloatArray], step: float, base: JobTimes | None) -> JobTimes:
    base = based_on(base)
    step = _checks.real("step", step, above=0.0)
    full = name if base.name == "fixed" else f"{name}, {base.name}"
    return replace(base, name=full, rates=rates, step=step)
