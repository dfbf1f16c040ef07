"""The records of asynchronous runs: Method, JobTimes, AsyncRecord, AsyncRun and how a run ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.asynchronous._current_loss import CurrentLoss
from cdgrab_sim.asynchronous._issue import Law
from cdgrab_sim.asynchronous._regions import Region

if TYPE_CHECKING:
    import xarray


class AsyncStatus(StrEnum):
    """How an asynchronous run ended."""

    COMPLETED = "completed"
    DIVERGED = "diverged"
    STALLED = "stalled"  # no job will finish any more, or job times fell below the resolution of the clock
    LIVELOCK = "livelock"  # `patience` arrivals in a row, and the counter never moved


class Flow(IntEnum):
    """What an arrival does to the counter and to its worker; the first three are for methods to return."""

    STAY = 0  # the counter stays, the worker gets a new job
    ADVANCE = 1  # the counter advances, the worker gets a new job
    WAIT = 2  # the counter stays, the worker idles until a restart
    ABORTED = 3  # a job that a restart threw away
    RELEASED = 4  # an idle worker that a restart put to work


class MethodState(NamedTuple):
    """What a method remembers, in one shape for all methods, so that loops compile one signature.

    Its floats `p` begin with the step size.
    """

    S: FloatArray  # (rows, d) vectors of the server
    W: FloatArray  # (rows, d) vectors of the workers, row i first for worker i
    c: IntArray  # (numbers,)
    p: FloatArray  # (numbers,)


@dataclass(frozen=True, eq=False)
class Method:
    """What the server does with a gradient that arrives.

    Parameters
    ----------
    name : str
    init : callable
        ``init(x0, workers, step_size) -> MethodState``.
    arrive : callable
        ``arrive(x, S, W, c, p, restart, G, y, worker, k_r, k) -> (flow, weight)`` changes `x` (d,), which the
        workers read, and the state in place. ``G[0]`` is the gradient at the point `y` that was read at
        counter `k_r`; the counter is now `k`, so the delay is ``k - k_r``. `weight` says how much of the
        gradient is (or will be) applied, 0 for none; `flow` is a `Flow`. A method with `restarts` may, when
        it returns ADVANCE, set ``restart[i]`` to abort the job of worker i (or end its waiting) and give it
        a new one. Plain NumPy, or compiled with ``numba.njit``.
    restarts : bool
        The method uses `restart`.
    second_gradient : bool
        ``G[1]`` is the gradient of the same example at ``W[worker]``.
    provenance : str
        Where the formulas come from, shown wherever a result is.
    projected : callable or None
        ``projected(region) -> Method`` where it is not x that takes the step and is projected: x may be an
        average of iterates. None: x is projected after each update.

    Examples
    --------
    Steps that shrink with the delay:

    >>> def init(x0, workers, step_size):
    ...     none = np.zeros((0, len(x0)))
    ...     return MethodState(none, none, np.zeros(0, dtype=np.int64), np.array([step_size]))
    >>> def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):
    ...     weight = 1.0 / (1 + k - k_r)
    ...     x -= p[0] * weight * G[0]
    ...     return Flow.ADVANCE, weight
    >>> shrinking = Method("shrinking", init, arrive)
    """

    name: str
    init: Callable[[FloatArray, int, float], MethodState]
    arrive: Callable[..., Any]
    restarts: bool = False
    second_gradient: bool = False
    provenance: str = "user"
    projected: Callable[[Region], Method] | None = None


@dataclass(frozen=True, eq=False)
class JobTimes:
    r"""How long a job takes.

    .. math:: s = \text{worker}_{i, j \bmod K} \cdot \text{example}_z \cdot \xi

    for job number j of worker i on example z, with a random factor xi of mean 1, independent over jobs. With
    rates, s is the work of the job, which is done at a speed that varies with the clock.

    Parameters
    ----------
    name : str
    worker : array (workers, K) or (workers,) or number
        Positive; infinite for a worker that never finishes. A table is walked cyclically.
    example : callable or None
        ``example(problem) -> array (m, n)`` of positive factors.
    law : tuple (kind, a, b)
        The law of xi, made by the factories of :mod:`cdgrab_sim.asynchronous.job_times`.
    rates : callable or None
        ``rates(workers) -> array (workers, steps)`` of speeds, repeated after the last step.
    step : float
        How long each rate lasts.
    current : CurrentLoss or None
        How the time follows the loss of the example where the job reads; see
        :func:`cdgrab_sim.asynchronous.job_times.by_loss`.

    Raises
    ------
    ValueError, TypeError
        For times that are not above 0, or NaN; for a law or a clock that there is not.
    """

    name: str
    worker: Any = 1.0
    example: Callable[[Problem], FloatArray] | None = None
    law: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rates: Callable[[int], FloatArray] | None = None
    step: float = 1.0
    current: CurrentLoss | None = None

    def __post_init__(self) -> None:
        positive_times("job times by worker", self.worker)
        law = _checks.floats("law", self.law, 1)
        if law.shape != (3,) or law[0] not in list(Law):
            raise ValueError(f"law: expected (kind, a, b) with a kind of Law; got {self.law}")
        _checks.real("step", self.step, above=0.0)
        for name in ("example", "rates"):
            value = getattr(self, name)
            if not (value is None or callable(value)):
                raise TypeError(f"{name}: expected a function; got {value!r}; see job_times for ready ones")


def positive_times(name: str, value: Any) -> FloatArray:
    """Return times as float64; they must be above 0 and may be infinite."""
    given = np.asarray(value)
    if given.dtype.kind not in "iuf" or given.size == 0:
        raise TypeError(f"{name}: expected numbers > 0; got {value!r}; see job_times for models of job times")
    times = given.astype(np.float64)
    bad = ~(times > 0.0)
    if bad.any():
        index = np.argwhere(np.atleast_1d(bad))[0].tolist()
        got = np.atleast_1d(times)[tuple(index)]
        raise ValueError(f"{name}{index}: expected a time > 0 (infinite for never); got {got}")
    return times


@dataclass(frozen=True)
class AsyncRecord:
    """What `simulate_async` writes down beside its counts, which cost nothing and are always kept.

    Parameters
    ----------
    every : int, optional
        Updates between records.
    interval : float, optional
        Simulated time between records. Both grids may be used together; the end is always recorded.
    loss, grad_norm : bool
        f and the 2-norm of its gradient at the server's iterate.
    trajectory : bool
        The server's iterates.
    virtual : bool
        Iterates after a plain step for every job in flight: x - alpha sum of their gradients.
    average : bool
        The mean of the server's iterate over the updates of the second half: of `updates`, or of the time
        `until` where only that is given. NaN where there are none.
    events : bool
        All arrivals, one row each: memory grows with the run.

    Raises
    ------
    ValueError
        For grids without a positive step.
    """

    every: int | None = None
    interval: float | None = None
    loss: bool = True
    grad_norm: bool = False
    trajectory: bool = False
    virtual: bool = False
    average: bool = False
    events: bool = False

    def __post_init__(self) -> None:
        if self.every is not None:
            _checks.size("every", self.every)
        if self.interval is not None:
            _checks.real("interval", self.interval, above=0.0)


@dataclass(frozen=True, eq=False)
class AsyncRun:
    """What `simulate_async` measured. Arrays by example have the shape (m, n) of the problem.

    Attributes
    ----------
    status : AsyncStatus
    message : str
        How it ended, and what to do.
    x : array (d,)
        The last iterate of the server, the one that workers read.
    updates, time : int and float
        The counter and the clock at the end.
    at_update, at_time : arrays (records,)
    loss, grad_norm : arrays (records,)
    trajectory, virtual : arrays (records, d)
    average : array (d,)
    drawn, applied, dropped, aborted, in_flight : int arrays (m, n)
        Jobs issued, and what became of them: drawn = applied + dropped + aborted + in flight.
    weight : array (m, n)
        Sum of the weights with which gradients of an example were applied.
    delay : array (m, n)
        Mean delay of the jobs of an example that arrived; NaN where none did.
    busy : array (m, n)
        Time that finished (or aborted) jobs of an example took.
    by_worker : int array (workers,)
        Gradients applied from each worker.
    delays : int array
        Histogram of the delays of applied gradients.
    discarded_time : float
        Time spent on dropped and aborted jobs.
    events : mapping of name to array
        ``worker, example, delay, flow, time, start, weight`` of every event, on request; `example` counts
        through (m, n) and is -1 for a worker that waited.
    meta : mapping
        All arguments: plain JSON.
    """

    status: AsyncStatus
    message: str
    x: FloatArray
    updates: int
    time: float
    at_update: IntArray
    at_time: FloatArray
    drawn: IntArray
    applied: IntArray
    dropped: IntArray
    aborted: IntArray
    in_flight: IntArray
    weight: FloatArray
    delay: FloatArray
    busy: FloatArray
    by_worker: IntArray
    delays: IntArray
    discarded_time: float
    meta: Mapping[str, Any]
    loss: FloatArray | None = None
    grad_norm: FloatArray | None = None
    trajectory: FloatArray | None = None
    virtual: FloatArray | None = None
    average: FloatArray | None = None
    events: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", AsyncStatus(self.status))  # files hold its text

    def save(self, path: str | PathLike[str]) -> None:
        """Write the run to one .npz file, without pickle; `cdgrab_sim.load` reads it back.

        The file appears under its name only when it is whole.

        Examples
        --------
        >>> import cdgrab_sim as cg
        >>> from tempfile import TemporaryDirectory
        >>> run = cg.simulate_async("quadratic", "vanilla", workers=8, updates=20, step_size=1e-3)
        >>> with TemporaryDirectory() as folder:
        ...     run.save(f"{folder}/run.npz")
        ...     again = cg.load(f"{folder}/run.npz")
        >>> again.status, bool((again.x == run.x).all())
        (<AsyncStatus.COMPLETED: 'completed'>, True)
        """
        from cdgrab_sim import _files

        _files.save_run(self, path)

    def to_xarray(self) -> xarray.Dataset:
        """Return the measurements as a labelled dataset (needs the extra ``xarray``).

        Records are indexed by their number, with the coordinates ``update`` and ``time``; status, message,
        clocks and ``meta`` are attributes.
        """
        from cdgrab_sim.asynchronous._dataset import to_dataset

        return to_dataset(self)

    @property
    def law(self) -> FloatArray:
        """The law of the examples that the run really trained on: weights over their sum, (m, n).

        NaN where nothing was applied.
        """
        return _ratio(self.weight, self.weight.sum())

    @property
    def in_flight_law(self) -> FloatArray:
        """The law of the example that a busy worker computes, averaged over time, (m, n).

        NaN where nothing has finished.
        """
        return _ratio(self.busy, self.busy.sum())

    @property
    def mean_delay(self) -> float:
        """The mean delay of the applied gradients; NaN where there are none."""
        return float(_ratio((np.arange(len(self.delays)) * self.delays).sum(), self.delays.sum()))

    @property
    def discarded(self) -> float:
        """The share of finished jobs that was dropped or aborted."""
        lost = int(self.dropped.sum() + self.aborted.sum())
        return lost / max(1, lost + int(self.applied.sum()))

    @property
    def busy_fraction(self) -> float:
        """Share of the workers' time that went into finished or aborted jobs."""
        return float(self.busy.sum() / (self.time * len(self.by_worker))) if self.time > 0.0 else 0.0


def _ratio(part: Any, whole: float) -> FloatArray:
    return np.asarray(part / whole if whole > 0.0 else np.full(np.shape(part), np.nan))
