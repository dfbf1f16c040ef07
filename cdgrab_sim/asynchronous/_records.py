"""What an asynchronous run is given: a method, a model of job times, and what to record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray, IntArray

if TYPE_CHECKING:
    from cdgrab_sim.asynchronous._regions import Region


class Flow(IntEnum):
    """What an arrival does to the counter and to its worker; the first four are for methods to return."""

    STAY = 0  # the counter stays, the worker gets a new job
    ADVANCE = 1  # the counter advances, the worker gets a new job
    WAIT = 2  # the counter stays, the worker idles until a restart
    PAUSE = 3  # the counter advances, the worker idles until a restart
    ABORTED = 4  # a job that a restart threw away
    RELEASED = 5  # an idle worker that a restart put to work


STAY, ADVANCE, WAIT, PAUSE, ABORTED, RELEASED = (int(flow) for flow in Flow)  # as kernels spell them


class Law(IntEnum):
    """Laws of the random factor of a job time, all of mean 1."""

    FIXED = 0
    EXPONENTIAL = 1
    LOGNORMAL = 2  # a: standard deviation of the logarithm
    PARETO = 3  # a: tail exponent > 1
    STRAGGLER = 4  # a: probability, b: slow over normal time


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
        it returns ADVANCE or PAUSE, set ``restart[i]`` to abort the job of worker i (or end its waiting) and
        give it a new one. Plain NumPy, or compiled with ``numba.njit``.
    restarts : bool
        The method uses `restart`.
    second_gradient : bool
        ``G[1]`` is the gradient of the same example at ``W[worker]``.
    provenance : str
        Where the formulas come from, shown wherever a result is.
    summary : str
        What the method does with a gradient, in one line.
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
    summary: str = ""

    def __post_init__(self) -> None:
        for name in ("name", "provenance", "summary"):
            object.__setattr__(self, name, _checks.text(name, getattr(self, name)))
        for name in ("restarts", "second_gradient"):
            object.__setattr__(self, name, _checks.flag(name, getattr(self, name)))
        where = f"method {self.name!r}:"
        for name in ("init", "arrive"):
            _checks.function(f"{where} {name}", getattr(self, name))
        _checks.takes(f"{where} init", self.init, "x0", "workers", "step_size")
        _checks.takes(
            f"{where} arrive",
            self.arrive,
            *["x", "S", "W", "c", "p", "restart", "G", "y", "worker", "k_r", "k"],
        )


@dataclass(frozen=True, eq=False)
class CurrentLoss:
    """How job times follow the loss, made by :func:`cdgrab_sim.asynchronous.job_times.by_loss`.

    Attributes
    ----------
    loss : callable or None
        ``loss(x, i, j, data)`` returns f of example j of worker i; None: that of the problem.
    power, floor : float
    at : array_like or None
        Where the mean effort is 1; None: at x_star.
    swapped_by : int or None
        Seed of the control, in which every job takes the time of another example.
    """

    loss: Callable[..., Any] | None
    power: float
    floor: float
    at: ArrayLike | None = None
    swapped_by: int | None = None


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
        Positive; infinite for a worker that never finishes. A table is walked cyclically. A tuple of arrays
        has a row for each worker, as long as it likes.
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
        For times that are not above 0, or NaN; for an unknown law; for a clock that stands still.
    """

    name: str
    worker: Any = 1.0
    example: Callable[[Problem], FloatArray] | None = None
    law: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rates: Callable[[int], FloatArray] | None = None
    step: float = 1.0
    current: CurrentLoss | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _checks.text("name", self.name))
        for row in self.worker if is_ragged(self.worker) else (self.worker,):
            positive_times("job times by worker", row)
        law = _checks.floats("law", self.law, 1)
        if law.shape != (3,) or law[0] not in list(Law):
            raise ValueError(f"law: expected (kind, a, b) with a kind of Law; got {self.law}")
        object.__setattr__(self, "step", _checks.real("step", self.step, above=0.0))
        if self.current is not None:
            _checks.instance("current", self.current, CurrentLoss, "what job_times.by_loss makes")
        for name, argument in (("example", "problem"), ("rates", "workers")):
            value = getattr(self, name)
            if value is not None:
                _checks.function(name, value)
                _checks.takes(name, value, argument, hint="see job_times for ready ones")


def is_ragged(worker: Any) -> bool:
    """Tell a tuple of rows, one for each worker, from numbers for all workers and from a table."""
    return isinstance(worker, tuple) and all(np.ndim(row) == 1 for row in worker)


def based_on(base: Any) -> JobTimes:
    """Return the model that another one changes; by default all jobs take as long."""
    if not (base is None or isinstance(base, JobTimes)):
        raise TypeError(f"base: expected a JobTimes, such as exponential(); got {_checks.brief(base)}")
    return JobTimes("fixed") if base is None else base


def positive_times(name: str, value: Any) -> FloatArray:
    """Return times as float64; they must be above 0 and may be infinite."""
    given = _checks.array(name, value)
    if given.dtype.kind not in "iuf" or given.size == 0:
        raise TypeError(
            f"{name}: expected numbers > 0; got {_checks.brief(value)}; see job_times for models of job times"
        )
    with np.errstate(over="ignore"):  # of long doubles: infinite
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
            object.__setattr__(self, "every", _checks.size("every", self.every))
        if self.interval is not None:
            object.__setattr__(self, "interval", _checks.real("interval", self.interval, above=0.0))
        for name in ("loss", "grad_norm", "trajectory", "virtual", "average", "events"):
            object.__setattr__(self, name, _checks.flag(name, getattr(self, name)))
