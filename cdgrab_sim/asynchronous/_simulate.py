"""simulate_async: checks, goals, records, status."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks, problems
from cdgrab_sim._kernels import jit
from cdgrab_sim._kernels.sums import norm2, ordered_sum
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray
from cdgrab_sim._version import __version__
from cdgrab_sim.asynchronous import _tally, methods
from cdgrab_sim.asynchronous._engine import NEVER, AsyncEngine, Plan
from cdgrab_sim.asynchronous._issue import EXAMPLE, NO_JOB
from cdgrab_sim.asynchronous._loop import Stop
from cdgrab_sim.asynchronous._records import AsyncRecord, JobTimes, Method
from cdgrab_sim.asynchronous._regions import Region
from cdgrab_sim.asynchronous._run import AsyncRun, AsyncStatus
from cdgrab_sim.problems._probe import probe

_MESSAGES = {
    Stop.NOTHING_ARRIVES: (
        AsyncStatus.STALLED,
        "no job in flight will ever finish; mend the dead workers, or times that are infinite",
    ),
    Stop.UNRESOLVED: (
        AsyncStatus.STALLED,
        "a job time fell below the resolution of the clock, or is no number; use longer times, or start a "
        "new run",
    ),
    Stop.LIVELOCK: (
        AsyncStatus.LIVELOCK,
        "the counter did not move for `patience` arrivals; loosen the rule, or raise patience",
    ),
}

_ALL_WAIT = "all workers wait for a restart that cannot come; let the method advance and restart them"
_FOLLOWS_LOSS = "; job times follow the loss, which may have exploded: try a smaller step size"
_SAME = 4.0 * np.finfo(np.float64).eps  # rounding of a point and of the end, relative
_MOST_POINTS = 1_000_000  # of the grid of times


def simulate_async(
    problem: Problem | str,
    method: Method | str,
    *,
    workers: int,
    job_times: JobTimes | float | ArrayLike = 1.0,
    updates: int | None = None,
    until: float | None = None,
    step_size: float,
    order: str | ArrayLike = "iid",
    seed: int = 0,
    x0: ArrayLike | None = None,
    drain: bool = False,
    abort: str = "fresh",
    projection: Region | None = None,
    patience: int | None = None,
    record: AsyncRecord | None = None,
) -> AsyncRun:
    r"""Run asynchronous SGD: m workers, each with one job at a time, and a server that applies a method.

    A job reads the server's iterate at counter k_r, takes its time, and arrives at counter k with the
    gradient at the point it read; its delay is k - k_r. The worker then gets its next job. Simultaneous
    arrivals are served in worker order. The run is deterministic for a seed, and methods compared on one seed
    see the same examples and times, job by job.

    Parameters
    ----------
    problem : Problem or str
        With m = 1 all workers draw from its examples; otherwise m must equal `workers`, and worker i draws
        from shard i.
    method : Method or str
        A record, or a name in ``cg.asynchronous.METHODS``, which means its defaults for this many workers.
    workers : int
    job_times : JobTimes, or number or array for fixed times
    updates : int, optional
        Stop when the counter is here.
    until : float, optional
        Stop at this simulated time, after the arrivals at that time. One of both is needed.
    step_size : float
    order : {"iid", "rr", "so", "ig"} or array (n,) or (m, n)
        Independent draws; or a queue without replacement: a new shuffle each epoch, one shuffle, the order of
        the data, or the given one.
    seed : int
    x0 : array (d,), optional
        The origin by default.
    drain : bool
        At the end let all jobs in flight arrive, instead of losing them. The two ends differ where job times
        depend on the examples.
    abort : {"fresh", "again"}
        What a worker computes after an abort: a new example, or the same one, which can starve slow examples.
    projection : Region, optional
        ``cg.asynchronous.ball`` or ``box``: what takes the step is projected onto it after every update. That
        is x, save in the AnyTime methods, whose x is an average of the projected iterates. The start x0 is
        taken as it is; momentum is not projected.
    patience : int, optional
        Arrivals in a row without an update that count as a livelock; 100,000 + 1,000 for each worker by
        default.
    record : AsyncRecord, optional

    Returns
    -------
    AsyncRun
        With ``status`` "stalled" where no job will ever finish, "livelock" where the counter no longer moves,
        "diverged" where x is not finite.

    Raises
    ------
    ValueError, TypeError
        For wrong arguments, before any work starts; and where a user's method returns an answer without a
        meaning, with a note that says which method and at what update.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.quadratic(m=1, n=64, d=2)
    >>> run = cg.simulate_async(problem, "vanilla", workers=8, updates=500, step_size=0.001)
    >>> run.status, run.updates, run.mean_delay
    (<AsyncStatus.COMPLETED: 'completed'>, 500, 6.944)
    """
    seed = _checks.integer("seed", seed, low=0)
    problem = problems.make(problem, seed=seed)
    workers, drain = _workers(workers, problem), _checks.flag("drain", drain)
    method = methods.make(method, workers)
    _instance("record", record, AsyncRecord, "AsyncRecord(...)")
    _instance("projection", projection, Region, "ball(...) or box(...)")
    record = AsyncRecord() if record is None else record
    goal = _goal(updates, until)
    average_from, average_after = _second_half(updates, goal) if record.average else (NEVER, np.inf)
    plan = Plan(
        workers=workers,
        times=job_times if isinstance(job_times, JobTimes) else JobTimes("fixed", job_times),
        x0=np.zeros(problem.d) if x0 is None else _checks.vector("x0", x0, problem.d),
        step_size=_checks.real("step_size", step_size, above=0.0),
        order=order,
        seed=seed,
        patience=100_000 + 1_000 * workers if patience is None else _checks.size("patience", patience),
        fresh=_checks.choice("abort", abort, ("fresh", "again")) == "fresh",
        projection=projection,
        average_from=average_from,
        average_after=average_after,
        keep_events=record.events,
    )
    if problem.walk is None:
        probe(problem, plan.x0)
    ends = {"updates": None if updates is None else int(updates), "until": None if until is None else goal[1]}
    meta = _meta(problem, method, plan, record, **ends, drain=drain)
    with np.errstate(all="ignore"):  # divergence is a status, not a warning
        engine = AsyncEngine(problem, method, plan)
        recorder = _Recorder(record, engine)
        stop = _drive(engine, recorder, goal, drain=drain)
    return _run(engine, recorder, stop, meta)


def _workers(workers: int, problem: Problem) -> int:
    workers, _ = _checks.sizes(workers=workers, d=problem.d)
    if problem.m not in (1, workers):
        raise ValueError(
            f"workers: expected {problem.m}, one for each shard of the problem, or a problem with m = 1 that "
            f"all workers share; got {workers} workers; make the problem with m=1 or m={workers}"
        )
    return workers


def _meta(problem: Problem, method: Method, plan: Plan, record: AsyncRecord, **ends: Any) -> dict[str, Any]:
    """Return the arguments and the versions as plain JSON."""
    return {
        "problem": {"name": problem.name, "m": problem.m, "n": problem.n, "d": problem.d},
        "method": method.name,
        "provenance": method.provenance,
        "workers": plan.workers,
        "job_times": plan.times.name,
        "updates": ends["updates"],
        "until": ends["until"],
        "step_size": plan.step_size,
        "order": plan.order if isinstance(plan.order, str) else "given",
        "seed": plan.seed,
        "x0": plan.x0.tolist(),
        "drain": ends["drain"],
        "abort": "fresh" if plan.fresh else "again",
        "projection": None if plan.projection is None else plan.projection.name,
        "patience": plan.patience,
        "record": asdict(record),
        "versions": {"cdgrab_sim": __version__, "numpy": np.__version__}
        | {"python": platform.python_version(), "numba": jit.version()},
    }


def _goal(updates: int | None, until: float | None) -> tuple[int, float]:
    if updates is None and until is None:
        raise ValueError("updates, until: expected at least one of them; got neither; say when to stop")
    k = NEVER if updates is None else min(NEVER, _checks.size("updates", updates))
    return k, np.inf if until is None else _checks.real("until", until, above=0.0)


def _second_half(updates: int | None, goal: tuple[int, float]) -> tuple[int, float]:
    """Return the update and the moment from which iterates are averaged, one of them never."""
    return (NEVER, goal[1] / 2.0) if updates is None else (goal[0] // 2, np.inf)


def _instance(name: str, value: Any, kind: type, example: str) -> None:
    if not (value is None or isinstance(value, kind)):
        raise TypeError(f"{name}: expected cg.asynchronous.{example}; got {_checks.brief(value)}")


class _Recorder:
    """What is measured at the points of the grids."""

    def __init__(self, record: AsyncRecord, engine: AsyncEngine) -> None:
        self.record, self._engine = record, engine
        names = ("loss", "grad_norm", "trajectory", "virtual")
        self.measured: dict[str, list[Any]] = {name: [] for name in names if getattr(record, name)}
        self.points: list[tuple[int, float]] = []

    def take(self, time: float) -> None:
        """Measure now."""
        engine, problem = self._engine, self._engine.problem
        if self.points and self.points[-1] == (engine.k, time):
            return
        self.points.append((engine.k, time))
        for name, values in self.measured.items():
            if name == "loss":
                values.append(float(problem.value(engine.x, problem.data)))
            elif name == "grad_norm":
                values.append(_grad_norm(problem, engine.x))
            else:
                values.append(engine.x.copy() if name == "trajectory" else engine.virtual())

    def goals(self, last: tuple[int, float]) -> Iterator[tuple[int, float]]:
        """Yield the points of both grids, from the engine's present to the last one."""
        every, interval = self.record.every, self.record.interval
        ticks = 1
        while True:
            k = last[0] if every is None else min(last[0], (self._engine.k // every + 1) * every)
            t = last[1]
            if interval is not None and (ahead := min(t, self._engine.next_arrival)) < np.inf:
                self._check_points(max(ahead, ticks * interval) / interval)
                point = ticks * interval
                t = point if point < t * (1.0 - _SAME) else t  # 3 * 0.3 is no other moment than 0.9
            yield k, t
            ticks += interval is not None and self._engine.k < k

    def _check_points(self, points: float) -> None:
        """Refuse a grid that would never end."""
        if points > _MOST_POINTS:
            raise ValueError(
                f"record interval: expected at most {_MOST_POINTS:,} records; got an interval of "
                f"{self.record.interval:g} and arrivals until {points * (self.record.interval or 0.0):g} or "
                "later; raise it"
            )


def _grad_norm(problem: Problem, x: FloatArray) -> float:
    """Return the 2-norm of the gradient at x, NaN where a run has diverged."""
    if not np.isfinite(x).all():
        return float("nan")
    rows = problem.gradients(x).reshape(-1, problem.d)
    return norm2(ordered_sum(rows) / len(rows))


def _drive(engine: AsyncEngine, recorder: _Recorder, last: tuple[int, float], *, drain: bool) -> Stop:
    """Run from point to point of the grids; return why the run ended."""
    recorder.take(0.0)
    for k, t in recorder.goals(last):
        stop = engine.run(k, t)
        recorder.take(t if stop == Stop.TIME else engine.now)
        reached = engine.k >= last[0] if stop == Stop.UPDATES else t >= last[1]
        if stop not in (Stop.UPDATES, Stop.TIME) or reached:
            break
    if drain and stop in (Stop.UPDATES, Stop.TIME):
        ended = engine.drain()
        recorder.take(engine.now)
        if ended != Stop.NOTHING_ARRIVES:
            return ended
    return stop


def _run(engine: AsyncEngine, recorder: _Recorder, stop: Stop, meta: dict[str, Any]) -> AsyncRun:
    tally, held, drawn = engine.tally, engine.jobs.held, engine.jobs.drawn
    _tally.assert_books_balance(tally, held, drawn, engine.k)
    shape = (engine.problem.m, engine.problem.n)
    arrived = tally.applied + tally.dropped
    by_example = {
        "drawn": drawn,
        "applied": tally.applied,
        "dropped": tally.dropped,
        "aborted": tally.aborted,
        "in_flight": _tally.in_flight(held, len(drawn)),
        "weight": tally.weight,
        "delay": np.divide(tally.delay, arrived, out=np.full(len(drawn), np.nan), where=arrived > 0),
        "busy": tally.busy,
    }
    status, message = _status(engine, stop)
    at = np.array(recorder.points)
    return AsyncRun(
        status=status,
        message=message,
        x=engine.x,
        updates=engine.k,
        time=float(at[-1, 1]),
        at_update=at[:, 0].astype(np.int64),
        at_time=at[:, 1],
        by_worker=tally.by_worker,
        delays=np.trim_zeros(tally.delays[: engine.k + 1], "b"),  # no delay is above k
        discarded_time=float(tally.discarded_time[0]),
        meta=meta,
        average=engine.average if recorder.record.average else None,
        events=_events(engine),
        **{name: counts.reshape(shape) for name, counts in by_example.items()},
        **{name: np.array(values) for name, values in recorder.measured.items()},
    )


def _status(engine: AsyncEngine, stop: Stop) -> tuple[AsyncStatus, str]:
    """Say how the run ended, and what to do."""
    status, message = _MESSAGES.get(stop, (AsyncStatus.COMPLETED, "completed"))
    if stop == Stop.NOTHING_ARRIVES and (engine.jobs.held[:, EXAMPLE] == NO_JOB).all():
        message = _ALL_WAIT
    if status == AsyncStatus.STALLED and engine.follows_loss:
        message += _FOLLOWS_LOSS
    if not np.isfinite(engine.x).all():
        status, message = AsyncStatus.DIVERGED, f"diverged by update {engine.k}: try a smaller step size"
    return status, message


def _events(engine: AsyncEngine) -> dict[str, Any]:
    if engine.kept is None:
        return {}
    events, moments = (np.concatenate(parts) for parts in zip(*engine.kept, strict=True))
    names = ("worker", "example", "delay", "flow"), ("time", "start", "weight")
    return dict(zip(names[0], events.T, strict=True)) | dict(zip(names[1], moments.T, strict=True))
