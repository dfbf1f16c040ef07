"""The buffers of one asynchronous run, and how to drive the loop from goal to goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.asynchronous import _tally
from cdgrab_sim.asynchronous._current_loss import aliases, constants, effort_of, first_efforts
from cdgrab_sim.asynchronous._hash import worker_keys
from cdgrab_sim.asynchronous._inputs import by_example, by_worker, clock, first_state
from cdgrab_sim.asynchronous._issue import Jobs, Model, draw_all, start_all
from cdgrab_sim.asynchronous._log import FLOW, TIME, WEIGHT, Log
from cdgrab_sim.asynchronous._loop import (
    AVERAGED,
    QUIET,
    ROWS,
    Goals,
    K,
    Scratch,
    Server,
    Stop,
    bound_landing,
    bound_loop,
    refusal,
)
from cdgrab_sim.asynchronous._queue import tournament
from cdgrab_sim.asynchronous._queues import Queues
from cdgrab_sim.asynchronous._records import JobTimes, Method
from cdgrab_sim.asynchronous._regions import Region

ROWS_PER_CALL = 2048  # of 56 bytes: the log stays in the second-level cache
NEVER = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, eq=False)
class Plan:
    """The arguments of a run beside its problem and its method, checked.

    Attributes
    ----------
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

    workers: int
    times: JobTimes
    x0: FloatArray
    step_size: float
    order: Any
    seed: int
    patience: int
    fresh: bool
    projection: Region | None
    average_from: int
    average_after: float
    keep_events: bool


def _idle(problem: Problem, workers: int, queues: Queues) -> Jobs:
    """Return the books of workers that have no job yet."""
    ends, winners = tournament(workers)
    return Jobs(
        reads=np.empty((workers, problem.d)),
        held=np.zeros((workers, 3), dtype=np.int64),
        starts=np.zeros(workers),
        ends=ends,
        winners=winners,
        position=queues.position,
        drawn=np.zeros(problem.m * problem.n, dtype=np.int64),
    )


def _model(problem: Problem, plan: Plan, queues: Queues) -> Model:
    """Return where examples come from and how long jobs take."""
    times = plan.times
    law, a, b = times.law
    scale, power, floor = constants(problem, times.current)
    per_worker, cycle = by_worker(plan.workers, times)
    return Model(
        keys=worker_keys(plan.seed, plan.workers),
        queue=queues.ring,
        per_worker=per_worker,
        cycle=cycle,
        per_example=by_example(problem, times),
        law=int(law),
        a=float(a),
        b=float(b),
        done=clock(plan.workers, times),
        step=float(times.step),
        alias=aliases(problem.m * problem.n, times.current),
        scale=scale,
        power=power,
        floor=floor,
    )


class AsyncEngine:
    """One run: the server's iterate x, the method's state, the workers and their jobs, the counts.

    With m = 1 all workers share the examples of the problem; otherwise worker i has shard i.
    """

    def __init__(self, problem: Problem, method: Method, plan: Plan) -> None:
        d, workers, projection = problem.d, plan.workers, plan.projection
        if projection is not None and method.projected is not None:
            method, projection = method.projected(projection), None
        self.problem, self.method, self.now = problem, method, 0.0
        self._need = workers + 1 if method.restarts else 1  # most rows of one arrival
        rows = max(ROWS_PER_CALL, 4 * self._need)
        self.queues = Queues(problem, plan.order, plan.seed, ahead=rows)
        self.state = first_state(method, plan.x0.copy(), workers, plan.step_size)
        self.jobs = _idle(problem, workers, self.queues)
        self.model = _model(problem, plan, self.queues)
        self.follows_loss = plan.times.current is not None
        self._server = Server(plan.x0.copy(), np.zeros(d), np.zeros(4, dtype=np.int64))
        self.x, self.counters = self._server.x, self._server.counters
        self.tally = _tally.empty(problem.m * problem.n, workers)
        self.kept: list[tuple[IntArray, FloatArray]] | None = [] if plan.keep_events else None
        self._log = Log(np.empty((rows, 4), dtype=np.int64), np.empty((rows, 3)))
        one = np.zeros((2, 1), dtype=np.int64)
        self._scratch = Scratch(np.zeros(workers, dtype=np.bool_), np.zeros((2, d)), one[0], one[1])
        self._average_after = plan.average_after
        self._goals = Goals(
            updates=0,
            until=0.0,
            last_row=0,
            patience=plan.patience,
            average_from=plan.average_from,
            issuing=True,
            fresh=plan.fresh,
            restarts=bool(method.restarts),
            second_gradient=bool(method.second_gradient),
            region=0 if projection is None else projection.kind,
            bounds=np.zeros((2, d)) if projection is None else projection.bounds(d),
        )
        effort = effort_of(problem, plan.times.current)
        self._loop = bound_loop(problem, method, effort)
        self.queues.fill()
        draw_all(self.jobs, self.model)
        efforts = first_efforts(effort, self.x, self.jobs, self.model, problem.data)
        self.resolved = start_all(self.x, efforts, self.jobs, self.model)

    @property
    def k(self) -> int:
        """The counter."""
        return int(self.counters[K])

    @property
    def average(self) -> FloatArray:
        """The mean of the iterates after the updates from `average_from` on; NaN before."""
        mean: FloatArray = self._server.total / (self.counters[AVERAGED] or np.nan)
        return mean

    @property
    def next_arrival(self) -> float:
        """When the next job arrives; infinite where none ever will."""
        return float(self.jobs.ends[1])

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
            self._goals = self._goals._replace(average_from=self.k)
        stop = Stop.LOG_FULL
        while stop == Stop.LOG_FULL and np.isfinite(self.x).all():
            stop = self._call(self._goals._replace(updates=updates, until=until, issuing=issuing))
            self._count()
        return stop

    def _call(self, goals: Goals) -> Stop:
        """Run the loop once, until the log or a queue of examples is used up or a goal is reached."""
        rows, queued = len(self._log.events), self.queues.fill()
        goals = goals._replace(last_row=min(rows, rows if queued is None else queued) - self._need)
        try:
            stop = Stop(
                self._loop(
                    self._server, self.state, self._scratch, self._log, goals, self.jobs, self.model,
                    self.problem.data,
                )
            )  # fmt: skip
            self._check_answers(stop)
        except Exception as error:
            error.add_note(f"method {self.method.name!r}, at update {self.k}")
            raise
        return stop

    def drain(self) -> Stop:
        """Let all jobs in flight arrive, with no new ones; the counter goes on."""
        self.counters[QUIET] = 0
        return self.run(NEVER, np.inf, issuing=False)

    def virtual(self) -> FloatArray:
        """Return x after a plain step for every job in flight, at the point that it read."""
        x = self.x.copy()
        land_all = bound_landing(self.problem)
        land_all(x, self.state.p[0], self._scratch, self.jobs, self.problem.n, self.problem.data)
        return x

    def _check_answers(self, stop: Stop) -> None:
        """Refuse what a method must not return; leave what it did to the counts of the caller."""
        if stop == Stop.NO_ANSWER:
            last = int(self.counters[ROWS]) - 1
            raise refusal(int(self._log.events[last, FLOW]), float(self._log.moments[last, WEIGHT]))
        if not self.method.restarts and self._scratch.restart.any():
            raise ValueError(
                "arrive: expected restart to be set by a method with restarts; make it with restarts=True"
            )

    def _count(self) -> None:
        """Move the events of the log to the counts, and to what is kept of them."""
        rows = int(self.counters[ROWS])
        self.counters[ROWS] = 0
        events, moments = self._log
        if rows:
            self.now = float(moments[rows - 1, TIME])
        _tally.count(self.tally, self._log, rows)
        if self.kept is not None:
            self.kept.append((events[:rows].copy(), moments[:rows].copy()))
