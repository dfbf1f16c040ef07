"""The event loop: pop the earliest arrival, show its gradient to the method, give the worker a new job.

    t, worker = earliest arrival
    g         = gradient of the worker's example at the point that it read
    flow, weight = method.arrive(...)          x and the method's state change here and nowhere else
    k         = k + 1 where the flow says ADVANCE
    the worker, and all workers that the method restarts, get new jobs that read x at counter k
                   their times follow the model, and the loss at x where it says so

A gradient is computed when it arrives, from the stored read point: the result is the same, and aborted jobs
cost nothing. One call serves arrivals until the log is full or a goal is reached. It is compiled once for
each set of gradients, method and loss that times follow; plain Python functions run in the NumPy twin, with
the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np

from cdgrab_sim._kernels.jit import compile_bound, inlined, is_jitted, is_small, kernel
from cdgrab_sim._records import Problem
from cdgrab_sim._types import IntArray
from cdgrab_sim.asynchronous._current_loss import NO_EFFORT
from cdgrab_sim.asynchronous._issue import EXAMPLE, NO_JOB, READ, draw, draw_twin, start, start_twin
from cdgrab_sim.asynchronous._queue import place, place_twin
from cdgrab_sim.asynchronous._regions import project, project_twin
from cdgrab_sim.asynchronous._types import Flow, Method

K, ROWS, QUIET, AVERAGED = 0, 1, 2, 3  # `counters`: updates, rows of the log, arrivals since an update
STAY, ADVANCE, WAIT, ABORTED, RELEASED = (int(flow) for flow in Flow)

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
    NO_ANSWER = 6  # the method returned a flow or a weight that means nothing; it is in the log


GO, LOG_FULL, UPDATES, TIME_UP, NOTHING, LIVELOCK, UNRESOLVED, NO_ANSWER = (int(stop) for stop in Stop)


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


@kernel(twin=_log_twin, small=True)
def log(events, moments, row, worker, what, delay, flow, time, start, weight):
    """Write one event."""
    events[row, 0], events[row, 1], events[row, 2], events[row, 3] = worker, what, delay, flow
    moments[row, 0], moments[row, 1], moments[row, 2] = time, start, weight


def _abort_twin(
    events, moments, row, restart, worker, now, k, fresh,
    jobs, starts, position, drawn, keys, queue, per_example,
):  # fmt: skip
    restart[worker] = False
    for i in np.flatnonzero(restart):
        what, read, _ = jobs[i]
        gone = RELEASED if what == NO_JOB else ABORTED
        _log_twin(events, moments, row, i, what, k - read, gone, now, starts[i], 0.0)
        row += 1
        draw_twin(i, fresh or what == NO_JOB, jobs, position, drawn, keys, queue, per_example)
    return row


@kernel(twin=_abort_twin, small=True)
def abort(
    events, moments, row, restart, worker, now, k, fresh,
    jobs, starts, position, drawn, keys, queue, per_example,
):  # fmt: skip
    """Log the jobs that the method throws away and draw anew; the arriving worker has its job already."""
    restart[worker] = False
    for i in range(restart.shape[0]):
        if restart[i]:
            what = jobs[i, EXAMPLE]
            gone = ABORTED if what != NO_JOB else RELEASED
            log(events, moments, row, i, what, k - jobs[i, READ], gone, now, starts[i], 0.0)
            row += 1
            draw(i, fresh or what == NO_JOB, jobs, position, drawn, keys, queue, per_example)
    return row


@inlined
def advance(x, total, k, counters, goals, bounds):
    """Count an update, project it, add it to the average where that has begun; return the counter."""
    k += 1
    counters[K], counters[QUIET] = k, 0
    project(x, goals[REGION], bounds)
    if k > goals[AVERAGE_FROM]:
        counters[AVERAGED] += 1
        for r in range(x.shape[0]):
            total[r] += x[r]
    return k


@lru_cache(maxsize=64)
def _compiled_with(arrive: Any, effort: Any) -> Callable[..., Any]:
    """Return ``make(grads)`` for :func:`compile_bound`; one per method and loss, so that both caches hit."""

    def make(grads: Any) -> Callable[..., int]:
        def loop(
            x, total, S, W, c, p, restart, G, who, idx,
            counters, events, moments, goals, until, flags, bounds,
            reads, jobs, starts, times, winners, position, drawn, keys, queue,
            per_worker, per_example, law, clock, alias, data,
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
                if not (0 <= flow <= WAIT and flow == int(flow) and 0.0 <= weight < np.inf):
                    counters[ROWS] = row
                    return NO_ANSWER
                counters[QUIET] += 1
                if flow == ADVANCE:
                    k = advance(x, total, k, counters, goals, bounds)
                if flow == WAIT or not issuing:
                    jobs[worker, EXAMPLE], jobs[worker, READ] = NO_JOB, k
                    place(times, winners, worker, np.inf)
                else:
                    draw(worker, True, jobs, position, drawn, keys, queue, per_example)
                    good &= start(
                        x, worker, now, k, effort(x, jobs[worker, EXAMPLE], n, alias, law, data),
                        reads, jobs, starts, times, winners, keys, per_worker, per_example, law, clock,
                    )  # fmt: skip
                if restarts and flow == ADVANCE and issuing:
                    row = abort(
                        events, moments, row, restart, worker, now, k, fresh,
                        jobs, starts, position, drawn, keys, queue, per_example,
                    )  # fmt: skip
                    for i in range(restart.shape[0]):
                        if restart[i]:
                            good &= start(
                                x, i, now, k, effort(x, jobs[i, EXAMPLE], n, alias, law, data),
                                reads, jobs, starts, times, winners, keys,
                                per_worker, per_example, law, clock,
                            )  # fmt: skip
                            restart[i] = False
                counters[ROWS] = row
            return UNRESOLVED

        return loop

    return make


def refusal(flow: float, weight: float) -> ValueError:
    """Return the error for an answer of a method that means nothing."""
    return ValueError(
        f"arrive: expected a flow {STAY}, {ADVANCE} or {WAIT} (Flow.STAY, ADVANCE, WAIT) and a finite weight "
        f">= 0; got flow {flow} and weight {weight}"
    )


def _answer(answer: Any) -> tuple[int, float]:
    try:
        flow, weight = (float(part) for part in answer)
    except (TypeError, ValueError):
        raise TypeError(f"arrive: expected a pair (flow, weight) of numbers; got {answer!r}") from None
    if flow not in (STAY, ADVANCE, WAIT) or not 0.0 <= weight < np.inf:
        raise refusal(flow, weight)
    return int(flow), weight


@lru_cache(maxsize=64)
def numpy_loop(grads: Any, arrive: Any, effort: Any) -> Callable[..., int]:
    """Return the NumPy twin of the loop for any gradients, method and loss that times follow."""

    def loop(
        x, total, S, W, c, p, restart, G, who, idx, counters, events, moments, goals, until, flags, bounds,
        *jobs_and_data,
    ):  # fmt: skip
        *jobs, alias, data = jobs_and_data
        reads, held, starts, times, winners, position, drawn, keys, queue, _, per_example, law, _ = jobs
        restarts, second, issuing, fresh = flags
        n = per_example.shape[1]

        def draw(worker, fresh):
            draw_twin(worker, fresh, held, position, drawn, keys, queue, per_example)

        def start(worker, now, k):
            took = effort(x, int(held[worker, EXAMPLE]), n, alias, law, data)
            return start_twin(x, worker, now, k, took, *jobs[:5], keys, *jobs[9:])

        good = True
        while good:
            now, worker, k = times[1], winners[1], counters[K]
            stop = _reason(k, now, counters[QUIET], counters[ROWS], goals, until)
            if stop != GO:
                return stop
            what, k_r, _ = held[worker]
            who[0], idx[0] = divmod(what, n)
            grads(G[:1], reads[worker], who, idx, data)
            if second:
                grads(G[1:], W[worker], who, idx, data)
            flow, weight = _answer(arrive(x, S, W, c, p, restart, G, reads[worker], worker, k_r, k))
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
                held[worker, :2] = NO_JOB, k
                place_twin(times, winners, worker, np.inf)
            else:
                draw(worker, True)
                good &= start(worker, now, k)
            if restarts and flow == ADVANCE and issuing:
                counters[ROWS] = _abort_twin(
                    events, moments, counters[ROWS], restart, worker, now, k, fresh,
                    held, starts, position, drawn, keys, queue, per_example,
                )  # fmt: skip
                for i in np.flatnonzero(restart):
                    good &= start(i, now, k)
                restart[:] = False
        return UNRESOLVED

    return loop


def bound_loop(problem: Problem, method: Method, effort: Any) -> Callable[..., int]:
    """Return the loop with gradients, method and effort bound into it, compiled where all of them are."""
    if all(map(is_jitted, (problem.grads, method.arrive, effort))):
        small = is_small(problem.grads) and is_small(method.arrive) and effort is NO_EFFORT
        return compile_bound(_compiled_with(method.arrive, effort), problem.grads, allocates=not small)
    return numpy_loop(problem.grads, method.arrive, effort)
