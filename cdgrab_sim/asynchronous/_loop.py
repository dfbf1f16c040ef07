"""The event loop: pop the earliest arrival, show its gradient to the method, give the worker a new job.

    t, worker = earliest arrival
    g         = gradient of the worker's example at the point that it read
    flow, weight = method.arrive(...)          x and the method's state change here and nowhere else
    k         = k + 1 where the flow says ADVANCE or PAUSE
    the worker, and all workers that the method restarts, get new jobs that read x at counter k
                   their times follow the model, and the loss at x where it says so

A gradient is computed when it arrives, from the stored read point: the result is the same, and aborted jobs
cost nothing. One call serves arrivals until the log is full or a goal is reached. The loop is compiled once
for each set of gradients, method and loss that times follow; where one of them is plain Python it runs as it
stands, with the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import bound, is_jitted, kernel
from cdgrab_sim._records import Problem
from cdgrab_sim._types import Data, FloatArray, IntArray
from cdgrab_sim.asynchronous._issue import EXAMPLE, NO_JOB, READ, Jobs, Model, draw, release, start
from cdgrab_sim.asynchronous._log import Log, write
from cdgrab_sim.asynchronous._records import (
    ABORTED,
    ADVANCE,
    PAUSE,
    RELEASED,
    STAY,
    WAIT,
    Method,
    MethodState,
)
from cdgrab_sim.asynchronous._regions import project

K, ROWS, QUIET, AVERAGED = 0, 1, 2, 3  # of `counters`


class Server(NamedTuple):
    """What the server holds beside the state of the method."""

    x: FloatArray  # (d,) what workers read
    total: FloatArray  # (d,) sum of the iterates that are averaged
    counters: IntArray  # updates; rows of the log; arrivals since the last update; iterates averaged


class Scratch(NamedTuple):
    """What one arrival needs, made once."""

    restart: NDArray[np.bool_]  # (m,) set by the method
    G: FloatArray  # (2, d) gradients of the arrival
    who: IntArray  # (1,) its shard
    idx: IntArray  # (1,) its example


class Goals(NamedTuple):
    """How far a call of the loop runs, and by which rules."""

    updates: int
    until: float
    last_row: int  # of the log that may still be begun
    patience: int
    average_from: int
    issuing: bool  # workers get new jobs
    fresh: bool  # with a new example after an abort
    restarts: bool  # of the method
    second_gradient: bool
    region: int  # kind of a Region, 0 for none
    bounds: FloatArray  # (2, d)


class Stop(IntEnum):
    """Why a call of the loop returned."""

    GO = -1
    LOG_FULL = 0
    UPDATES = 1
    TIME = 2
    NOTHING_ARRIVES = 3
    LIVELOCK = 4
    UNRESOLVED = 5  # a job time below the resolution of the clock, or not a number
    NO_ANSWER = 6  # the method returned a flow or a weight that means nothing; it is in the log


GO, LOG_FULL, UPDATES, TIME_UP, NOTHING, LIVELOCK, UNRESOLVED, NO_ANSWER = (int(stop) for stop in Stop)


@kernel(small=True, allocates=False)
def reason(k: int, now: float, row: int, quiet: int, goals: Goals) -> int:
    """Say why the next arrival has to wait, or GO."""
    if k >= goals.updates:
        return UPDATES
    if now > goals.until:
        return TIME_UP
    if now == np.inf:
        return NOTHING
    if quiet >= goals.patience:
        return LIVELOCK
    return LOG_FULL if row > goals.last_row else GO


@kernel(small=True, allocates=False)
def advance(server: Server, goals: Goals) -> None:
    """Count an update, project x, and add it to the average where that has begun."""
    x, counters = server.x, server.counters
    counters[K] += 1
    counters[QUIET] = 0
    if goals.region:
        project(x, goals.region, goals.bounds)
    if counters[K] > goals.average_from:
        counters[AVERAGED] += 1
        for r in range(x.shape[0]):
            server.total[r] += x[r]


@kernel(small=True, allocates=False)
def abort(
    row: int, now: float, k: int, fresh: bool, restart: NDArray[np.bool_], log: Log, jobs: Jobs, model: Model
) -> int:
    """Log the jobs that the method throws away, and draw anew; return the next row of the log."""
    for i in range(restart.shape[0]):
        if restart[i]:
            what, read = jobs.held[i, EXAMPLE], jobs.held[i, READ]
            idle = what == NO_JOB
            write(log, row, i, what, k - read, RELEASED if idle else ABORTED, now, jobs.starts[i], 0.0)
            row += 1
            draw(i, fresh or idle, jobs, model)
    return row


def _loop(grads: Any, arrive: Any, effort: Any) -> Callable[..., int]:
    def loop(
        server: Server,
        state: MethodState,
        scratch: Scratch,
        log: Log,
        goals: Goals,
        jobs: Jobs,
        model: Model,
        data: Data,
    ) -> int:
        x, counters, held, n = server.x, server.counters, jobs.held, model.per_example.shape[1]
        S, W, c, p = state
        restart, G, who, idx = scratch
        shards, g, second_g = model.per_example.shape[0] > 1, G[0:1], G[1:2]
        good = True
        while good:
            k, row, now, worker = counters[K], counters[ROWS], jobs.ends[1], jobs.winners[1]
            stop = reason(k, now, row, counters[QUIET], goals)
            if stop != GO:
                return stop
            what, k_r, y = held[worker, EXAMPLE], held[worker, READ], jobs.reads[worker]
            who[0] = worker if shards else 0
            idx[0] = what - who[0] * n
            grads(g, y, who, idx, data)
            if goals.second_gradient:
                grads(second_g, W[worker], who, idx, data)
            flow, weight = arrive(x, S, W, c, p, restart, G, y, worker, k_r, k)
            write(log, row, worker, what, k - k_r, flow, now, jobs.starts[worker], weight)
            counters[ROWS] += 1
            counters[QUIET] += 1
            if not (STAY <= flow <= PAUSE and flow == int(flow) and 0.0 <= weight < np.inf):
                return NO_ANSWER
            counts = flow in (ADVANCE, PAUSE)
            if counts:
                advance(server, goals)
                k += 1
            if flow >= WAIT or not goals.issuing:
                release(worker, k, jobs)
            else:
                draw(worker, True, jobs, model)
                took = effort(x, held[worker, EXAMPLE], model, data)
                good &= start(x, worker, now, k, took, jobs, model)
            if goals.restarts and goals.issuing and counts:
                restart[worker] = False  # it has its job, or waits for one
                counters[ROWS] = abort(row + 1, now, k, goals.fresh, restart, log, jobs, model)
                for i in range(restart.shape[0]):
                    if restart[i]:
                        took = effort(x, held[i, EXAMPLE], model, data)
                        good &= start(x, i, now, k, took, jobs, model)
                        restart[i] = False
        return UNRESOLVED

    return loop


def _landing(grads: Any) -> Callable[..., None]:
    def land_all(x: FloatArray, alpha: float, scratch: Scratch, jobs: Jobs, n: int, data: Data) -> None:
        held, g, who, idx = jobs.held, scratch.G[0:1], scratch.who, scratch.idx
        for worker in range(held.shape[0]):
            what = held[worker, EXAMPLE]
            if what != NO_JOB:
                who[0], idx[0] = what // n, what % n
                grads(g, jobs.reads[worker], who, idx, data)
                for r in range(x.shape[0]):
                    x[r] -= alpha * g[0, r]

    return land_all


def bound_landing(problem: Problem) -> Callable[..., None]:
    """Return the function that moves x by a plain step for every job in flight."""
    return bound(_landing, problem.grads) if is_jitted(problem.grads) else _landing(problem.grads)


def refusal(flow: float, weight: float) -> ValueError:
    """Return the error for an answer of a method that means nothing."""
    return ValueError(
        f"arrive: expected a flow {STAY}, {ADVANCE}, {WAIT} or {PAUSE} (Flow.STAY, ADVANCE, WAIT, PAUSE) and "
        f"a finite weight >= 0; got flow {flow} and weight {weight}"
    )


@lru_cache(maxsize=64)
def _answering(arrive: Any) -> Callable[..., tuple[int, float]]:
    """Return `arrive` of a method in plain Python, whose answers are checked before they are used."""

    def checked(*arguments: Any) -> tuple[int, float]:
        answer = arrive(*arguments)
        try:
            flow, weight = (float(part) for part in answer)
        except (TypeError, ValueError):
            raise TypeError(
                f"arrive: expected a pair (flow, weight) of numbers; got {_checks.brief(answer)}"
            ) from None
        if flow not in (STAY, ADVANCE, WAIT, PAUSE) or not 0.0 <= weight < np.inf:
            raise refusal(flow, weight)
        return int(flow), weight

    return checked


def bound_loop(problem: Problem, method: Method, effort: Any) -> Callable[..., int]:
    """Return the loop with gradients, method and effort bound into it, compiled where all of them are."""
    grads, arrive = problem.grads, method.arrive
    if all(map(is_jitted, (grads, arrive, effort))):
        return bound(_loop, grads, arrive, effort)
    return _loop(grads, _answering(arrive), effort)
