"""The buffers of one asynchronous run, and how to drive the loop from goal to goal."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.asynchronous import _tally
from cdgrab_sim.asynchronous._current_loss import aliases, effort_of, first_efforts, numbers
from cdgrab_sim.asynchronous._hash import worker_keys
from cdgrab_sim.asynchronous._inputs import by_example, by_worker, clock, first_state
from cdgrab_sim.asynchronous._issue import EXAMPLE, NO_JOB, Jobs, draw_all, start_all
from cdgrab_sim.asynchronous._loop import (
    AVERAGE_FROM,
    AVERAGED,
    FLOW,
    LAST_K,
    LAST_ROW,
    QUIET,
    ROWS,
    TIME,
    WEIGHT,
    K,
    Stop,
    bound_loop,
    refusal,
)
from cdgrab_sim.asynchronous._queue import tournament
from cdgrab_sim.asynchronous._queues import Queues
from cdgrab_sim.asynchronous._regions import Region
from cdgrab_sim.asynchronous._types import JobTimes, Method

ROWS_PER_CALL = 2048  # of 56 bytes: the log stays in the second-level cache
NEVER = np.iinfo(np.int64).max


def _idle(
    problem: Problem, workers: int, times: JobTimes, queues: Queues, seed: int, per_example: FloatArray
) -> Jobs:
    """Return the books of workers that have no job yet."""
    return Jobs(
        np.empty((workers, problem.d)),
        np.zeros((workers, 3), dtype=np.int64),
        np.zeros(workers),
        *tournament(workers),
        queues.position,
        np.zeros(per_example.size, dtype=np.int64),
        worker_keys(seed, workers),
        queues.ring,
        by_worker(workers, times),
        per_example,
        np.array([*times.law, times.step, *numbers(problem, times.current)]),
        clock(workers, times),
        aliases(per_example.size, times.current),
    )


class AsyncEngine:
    """One run: the server's iterate x, the method's state, the workers and their jobs, the counts.

    Parameters
    ----------
    problem : Problem
        With m = 1 all workers share its examples; otherwise worker i has shard i.
    method : Method
    workers : int
    times : JobTimes
    x0 : array (d,)
    step_size : float
    order : str or array
    seed : int
    patience : int
        Arrivals in a row without an update that count as a livelock.
    fresh : bool
        After an abort, draw a new example.
    projection : Region or None
    average_from : int
        Updates after this one are averaged.
    average_after : float
        The same as a moment: averaging begins when the clock is there.
    keep_events : bool
    """

    def __init__(
        self,
        problem: Problem,
        method: Method,
        *,
        workers: int,
        times: JobTimes,
        x0: FloatArray,
        step_size: float,
        order: Any,
        seed: int,
        patience: int,
        fresh: bool = True,
        projection: Region | None = None,
        average_from: int = NEVER,
        average_after: float = np.inf,
        keep_events: bool = False,
    ) -> None:
        d, rows = problem.d, ROWS_PER_CALL
        self.problem, self.method, self.x = problem, method, x0.copy()
        self._need = workers + 1 if method.restarts else 1  # most rows of one arrival
        rows = max(rows, 4 * self._need)
        per_example = by_example(problem, times)
        if projection is not None and method.projected is not None:
            method, projection = method.projected(projection), None
        self.queues = Queues(problem, order, seed, ahead=rows)
        self.state = first_state(method, x0.copy(), workers, step_size)
        self.jobs = _idle(problem, workers, times, self.queues, seed, per_example)
        self.follows_loss = times.current is not None
        self.counters = np.zeros(4, dtype=np.int64)
        self.total, self.now = np.zeros(d), 0.0
        self.tally = _tally.empty(per_example.size, workers)
        self.kept: list[tuple[IntArray, FloatArray]] | None = [] if keep_events else None
        self._events, self._moments = np.empty((rows, 4), dtype=np.int64), np.empty((rows, 3))
        self._scratch = (
            np.zeros(workers, dtype=bool),
            np.zeros((2, d)),
            np.zeros(1, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
        )
        kind = 0 if projection is None else projection.kind
        self._average_after = average_after
        self._goals = np.array([0, 0, patience, average_from, kind], dtype=np.int64)
        self._bounds = np.zeros((2, d)) if projection is None else projection.bounds(d)
        self._flags = np.array([method.restarts, method.second_gradient, True, fresh])
        effort = effort_of(problem, times.current)
        self._loop = bound_loop(problem, method, effort)
        self.queues.fill()
        self.resolved = self._start_all(effort)

    def _start_all(self, effort: Any) -> bool:
        """Give every worker its first job; return whether the clock resolves them all."""
        j = self.jobs
        draw_all(j.jobs, j.position, j.drawn, j.keys, j.queue, j.per_example)
        return bool(
            start_all(
                self.x, first_efforts(effort, self.x, j, self.problem), j.reads, j.jobs, j.starts, j.times,
                j.winners, j.keys, j.per_worker, j.per_example, j.law, j.clock,
            )
        )  # fmt: skip

    @property
    def k(self) -> int:
        """The counter."""
        return int(self.counters[K])

    @property
    def average(self) -> FloatArray:
        """The mean of the iterates after the updates from `average_from` on; NaN before."""
        mean: FloatArray = self.total / (self.counters[AVERAGED] or np.nan)
        return mean

    @property
    def next_arrival(self) -> float:
        """When the next job arrives; infinite where none ever will."""
        return float(self.jobs.times[1])

    def run(self, updates: int, until: float, *, issuing: bool = True) -> Stop:
        """Serve arrivals until the counter is `updates`, or all that come by time `until`."""
        if not self.resolved:
            return Stop.UNRESOLVED
        if until > self._average_after:
            moment, self._average_after = self._average_after, np.inf
            stop = self.run(updates, moment, issuing=issuing)
            if stop != Stop.TIME:
                self._average_after = moment
                return stop
            self._goals[AVERAGE_FROM] = self.k
        self._goals[LAST_K], self._flags[2] = updates, issuing
        stop = Stop.LOG_FULL
        while stop == Stop.LOG_FULL and np.isfinite(self.x).all():
            room = self.queues.fill()
            rows = len(self._events) if room is None else min(len(self._events), room)
            self._goals[LAST_ROW] = rows - self._need
            try:
                stop = Stop(
                    self._loop(
                        self.x, self.total, *self.state, *self._scratch, self.counters, self._events,
                        self._moments, self._goals, until, self._flags, self._bounds, *self.jobs,
                        self.problem.data,
                    )
                )  # fmt: skip
                self._check_answers(stop)
            except Exception as error:
                error.add_note(f"method {self.method.name!r}, at update {self.k}")
                raise
            self._count()
        return stop

    def drain(self) -> Stop:
        """Let all jobs in flight arrive, with no new ones; the counter goes on."""
        self.counters[QUIET] = 0
        return self.run(NEVER, np.inf, issuing=False)

    def virtual(self) -> FloatArray:
        """Return x after a plain step for every job in flight, at the point that it read."""
        problem, rows = self.problem, self.jobs.jobs[:, EXAMPLE]
        x, g = self.x.copy(), np.empty((1, problem.d))
        for worker in np.flatnonzero(rows != NO_JOB):
            who, idx = divmod(rows[worker : worker + 1], problem.n)
            problem.grads(g, self.jobs.reads[worker], who, idx, problem.data)
            x -= self.state.p[0] * g[0]
        return x

    def _check_answers(self, stop: Stop) -> None:
        """Refuse what a method must not return; leave what it did to the counts of the caller."""
        if stop == Stop.NO_ANSWER:
            last = int(self.counters[ROWS]) - 1
            raise refusal(int(self._events[last, FLOW]), float(self._moments[last, WEIGHT]))
        if not self.method.restarts and self._scratch[0].any():
            raise ValueError(
                "arrive: expected restart to be set by a method with restarts; make it with restarts=True"
            )

    def _count(self) -> None:
        rows = int(self.counters[ROWS])
        self.counters[ROWS] = 0
        if rows:
            self.now = float(self._moments[rows - 1, TIME])
        _tally.count(*self.tally, self._events, self._moments, rows)
        if self.kept is not None:
            self.kept.append((self._events[:rows].copy(), self._moments[:rows].copy()))
