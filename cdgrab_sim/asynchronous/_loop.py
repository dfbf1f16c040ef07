"""The event loop: pop the earliest arrival, show its gradient to the method, give the worker a new job.

    t, worker = earliest arrival
    g         = gradient of the worker's example at the point that it read
    flow, weight = method.arrive(...)          x and the method's state change here and nowhere else
    k         = k + 1 where the flow says ADVANCE
    the worker, and all workers that the method restarts, get new jobs that read x at counter k

A gradient is computed when it arrives, from the stored read point: the result is the same, and aborted jobs
cost nothing. One call serves arrivals until the log is full or a goal is reached. It is compiled once for
each pair of gradients and method; plain Python functions run in the NumPy twin, with the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np

from cdgrab_sim._jit import compile_bound, inlined, is_jitted, is_small, kernel
from cdgrab_sim._types import IntArray, Problem
from cdgrab_sim.asynchronous._issue import EXAMPLE, NO_JOB, READ, issue, issue_twin
from cdgrab_sim.asynchronous._queue import place, place_twin
from cdgrab_sim.asynchronous._regions import project, project_twin
from cdgrab_sim.asynchronous._types import Flow, Method

K, ROWS, QUIET, AVERAGED = 0, 1, 2, 3  # `counters`: updates, rows of the log, arrivals since an update
ADVANCE, WAIT, ABORTED, RELEASED = int(Flow.ADVANCE), int(Flow.WAIT), int(Flow.ABORTED), int(Flow.RELEASED)

LAST_K, LAST_ROW, PATIENCE, AVERAGE_FROM, REGION = 0, 1, 2, 3, 4  # `goals`

# columns of the log
WORKER, WHAT, DELAY, FLOW = 0, 1, 2, 3
TIME, START, WEIGHT = 0, 1, 2


class Stop(IntEnum):
    """Why a call of the loop returned."""

    GO = -1

    LOG_FULL = 0
    UPDATES = 1
    TIME = 2
    NOTHING_ARRIVES = 3
    LIVELOCK = 4
    UNRESOLVED = 5  # a job time below the resolution of the clock, or not a number


GO, LOG_FULL, UPDATES, TIME_UP, NOTHING, LIVELOCK, UNRESOLVED = (int(stop) for stop in Stop)


def _reason(k: int, now: float, quiet: int, row: int, goals: IntArray, until: float) -> int:
    """Say why the next arrival has to wait, or GO."""
    if k >= goals[LAST_K]:
        return UPDATES
    if now > until:
        return TIME_UP
    if now == np.inf:
        return NOTHING
    if quiet >= goals[PATIENCE]:
        return LIVELOCK
    return LOG_FULL if row > goals[LAST_ROW] else GO


reason = inlined(_reason)


def _log_twin(events, moments, row, worker, what, delay, flow, time, start, weight):
    events[row] = worker, what, delay, flow
    moments[row] = time, start, weight


@kernel(_log_twin, small=True)
def log(events, moments, row, worker, what, delay, flow, time, start, weight):
    """Write one event."""
    events[row, 0], events[row, 1], events[row, 2], events[row, 3] = worker, what, delay, flow
    moments[row, 0], moments[row, 1], moments[row, 2] = time, start, weight


def _restart_others_twin(events, moments, row, restart, worker, now, k, fresh, x, *state):
    _, jobs, starts, *_ = state
    good = True
    for i in np.flatnonzero(restart):
        if i != worker:
            what, read, _ = jobs[i]
            gone = RELEASED if what == NO_JOB else ABORTED
            _log_twin(events, moments, row, i, what, k - read, gone, now, starts[i], 0.0)
            row += 1
            good &= issue_twin(x, i, now, k, fresh or what == NO_JOB, *state)
    restart[:] = False
    return row, good


@kernel(_restart_others_twin, small=True)
def restart_others(
    events, moments, row, restart, worker, now, k, fresh,
    x, reads, jobs, starts, times, winners, position, drawn, keys, queue, per_worker, per_example, law, clock,
):  # fmt: skip
    """Give new jobs to the workers that the method restarts; the arriving one has its own already."""
    good = True
    for i in range(restart.shape[0]):
        if restart[i] and i != worker:
            what = jobs[i, EXAMPLE]
            gone = ABORTED if what != NO_JOB else RELEASED
            log(events, moments, row, i, what, k - jobs[i, READ], gone, now, starts[i], 0.0)
            row += 1
            good &= issue(
                x, i, now, k, fresh or what == NO_JOB,
                reads, jobs, starts, times, winners, position, drawn, keys, queue,
                per_worker, per_example, law, clock,
            )  # fmt: skip
        restart[i] = False
    return row, good


@lru_cache(maxsize=64)
def _compiled_with(arrive: Any) -> Callable[..., Any]:
    """Return ``make(grads)`` for :func:`compile_bound`; one per method, so that both caches hit."""

    def make(grads: Any) -> Callable[..., int]:
        def loop(
            x, total, S, W, c, p, restart, G, who, idx,
            counters, events, moments, goals, until, flags, bounds,
            reads, jobs, starts, times, winners, position, drawn, keys, queue,
            per_worker, per_example, law, clock, data,
        ):  # fmt: skip
            restarts, second, issuing, fresh = flags[0], flags[1], flags[2], flags[3]
            n, shards, g, second_g = per_example.shape[1], per_example.shape[0] > 1, G[0:1], G[1:2]
            good, k = True, counters[K]
            while good:
                now, worker = times[1], winners[1]
                row = counters[ROWS]
                stop = reason(k, now, counters[QUIET], row, goals, until)
                if stop != GO:
                    return stop
                what, k_r = jobs[worker, EXAMPLE], jobs[worker, READ]
                who[0] = worker if shards else 0
                idx[0] = what - who[0] * n
                y = reads[worker]
                grads(g, y, who, idx, data)
                if second:
                    grads(second_g, W[worker], who, idx, data)
                flow, weight = arrive(x, S, W, c, p, restart, G, y, worker, k_r, k)
                log(events, moments, row, worker, what, k - k_r, flow, now, starts[worker], weight)
                row += 1
                counters[QUIET] += 1
                if flow == ADVANCE:
                    k += 1
                    counters[K], counters[QUIET] = k, 0
                    project(x, goals[REGION], bounds)
                    if k > goals[AVERAGE_FROM]:
                        counters[AVERAGED] += 1
                        for r in range(x.shape[0]):
                            total[r] += x[r]
                if flow == WAIT or not issuing:
                    jobs[worker, EXAMPLE], jobs[worker, READ] = NO_JOB, k
                    place(times, winners, worker, np.inf)
                else:
                    good &= issue(
                        x, worker, now, k, True,
                        reads, jobs, starts, times, winners, position, drawn, keys, queue,
                        per_worker, per_example, law, clock,
                    )  # fmt: skip
                if restarts and flow == ADVANCE and issuing:
                    row, resolved = restart_others(
                        events, moments, row, restart, worker, now, k, fresh,
                        x, reads, jobs, starts, times, winners, position, drawn, keys, queue,
                        per_worker, per_example, law, clock,
                    )  # fmt: skip
                    good &= resolved
                counters[ROWS] = row
            return UNRESOLVED

        return loop

    return make


@lru_cache(maxsize=64)
def numpy_loop(grads: Any, arrive: Any) -> Callable[..., int]:
    """Return the NumPy twin of the loop for any pair of gradients and method."""

    def loop(
        x, total, S, W, c, p, restart, G, who, idx, counters, events, moments, goals, until, flags, bounds,
        *jobs_and_data,
    ):  # fmt: skip
        *state, data = jobs_and_data
        reads, jobs, starts, times, winners, *_, per_example, _, _ = state
        restarts, second, issuing, fresh = flags
        n = per_example.shape[1]
        good = True
        while good:
            now, worker, k = times[1], winners[1], counters[K]
            stop = _reason(k, now, counters[QUIET], counters[ROWS], goals, until)
            if stop != GO:
                return stop
            what, k_r, _ = jobs[worker]
            who[0], idx[0] = divmod(what, n)
            grads(G[:1], reads[worker], who, idx, data)
            if second:
                grads(G[1:], W[worker], who, idx, data)
            flow, weight = arrive(x, S, W, c, p, restart, G, reads[worker], worker, k_r, k)
            _log_twin(
                events, moments, counters[ROWS], worker, what, k - k_r, flow, now, starts[worker], weight
            )
            counters[ROWS] += 1
            counters[QUIET] = 0 if flow == ADVANCE else counters[QUIET] + 1
            counters[K] = k = k + (flow == ADVANCE)
            if flow == ADVANCE:
                project_twin(x, goals[REGION], bounds)
            if flow == ADVANCE and k > goals[AVERAGE_FROM]:
                counters[AVERAGED] += 1
                total += x
            if flow == WAIT or not issuing:
                jobs[worker, :2] = NO_JOB, k
                place_twin(times, winners, worker, np.inf)
            else:
                good &= issue_twin(x, worker, now, k, True, *state)
            if restarts and flow == ADVANCE and issuing:
                counters[ROWS], resolved = _restart_others_twin(
                    events, moments, counters[ROWS], restart, worker, now, k, fresh, x, *state
                )
                good &= resolved
        return UNRESOLVED

    return loop


def bound_loop(problem: Problem, method: Method) -> Callable[..., int]:
    """Return the loop with the gradients and the method bound into it, compiled where both are."""
    if is_jitted(problem.grads) and is_jitted(method.arrive):
        allocates = not (is_small(problem.grads) and is_small(method.arrive))
        return compile_bound(_compiled_with(method.arrive), problem.grads, allocates=allocates)
    return numpy_loop(problem.grads, method.arrive)
