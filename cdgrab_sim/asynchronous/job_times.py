"""Models of job times: by worker, by chance, by example or its loss now, by the clock, and a control.

Random factors have mean 1, and the factors of the examples have mean 1 unless they are given in whole ticks:
so models compare at the same throughput.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._hash import control
from cdgrab_sim.asynchronous._recorded import recorded
from cdgrab_sim.asynchronous._records import CurrentLoss, JobTimes, Law, based_on, positive_times
from cdgrab_sim.asynchronous._varying import on_off, sinusoid, trace

__all__ = [
    "JobTimes",
    "by_example",
    "by_gradient",
    "by_loss",
    "by_norm",
    "exponential",
    "fixed",
    "lognormal",
    "on_off",
    "pareto",
    "recorded",
    "shuffled",
    "sinusoid",
    "straggler",
    "trace",
    "two_classes",
]


def fixed(worker: ArrayLike = 1.0) -> JobTimes:
    """Return fixed times, one for all workers, one each, or a table (workers, K) that each walks cyclically.

    Whole numbers are exact: their ties are real ties, which go to the lower worker.

    Parameters
    ----------
    worker : number or array
        Infinite for a worker that is dead from the start.

    Examples
    --------
    >>> fixed([1, 2, np.inf]).name
    'fixed'
    """
    return JobTimes("fixed", worker)


def exponential(worker: ArrayLike = 1.0) -> JobTimes:
    """Return exponential times with the given means."""
    return JobTimes("exponential", worker, law=(float(Law.EXPONENTIAL), 0.0, 0.0))


def lognormal(spread: float, worker: ArrayLike = 1.0) -> JobTimes:
    r"""Return log-normal times, xi = exp(s N - s^2 / 2).

    Parameters
    ----------
    spread : float
        s > 0, the standard deviation of the logarithm.
    worker : number or array
    """
    return JobTimes(
        "lognormal", worker, law=(float(Law.LOGNORMAL), _checks.real("spread", spread, above=0.0), 0.0)
    )


def pareto(tail: float, worker: ArrayLike = 1.0) -> JobTimes:
    r"""Return Pareto times, xi = (a - 1) / a U^(-1/a).

    For a <= 2 the variance is infinite: the mean time of the jobs in flight has no stationary value.

    Parameters
    ----------
    tail : float
        a > 1.
    worker : number or array
    """
    return JobTimes("pareto", worker, law=(float(Law.PARETO), _checks.real("tail", tail, above=1.0), 0.0))


def straggler(probability: float, slowdown: float, worker: ArrayLike = 1.0) -> JobTimes:
    """Return times that are `slowdown` times longer with a probability, whatever the example.

    Parameters
    ----------
    probability : float
        In [0, 1].
    slowdown : float
        At least 1.
    worker : number or array
    """
    q, M = _checks.share("probability", probability), _checks.real("slowdown", slowdown, low=1.0)
    return JobTimes("straggler", worker, law=(float(Law.STRAGGLER), q, M))


def by_example(times: ArrayLike, base: JobTimes | None = None) -> JobTimes:
    """Return times that depend on the example, as given: whole ticks stay whole ticks.

    Parameters
    ----------
    times : array (n,) or (m, n)
    base : JobTimes, optional
        Other factors, such as ``exponential()``.

    Examples
    --------
    >>> by_example([1, 1, 4]).example(None).tolist()
    [1.0, 1.0, 4.0]
    """
    table = positive_times("job times by example", times)
    return _dependent("by example", lambda problem: table, base)


def two_classes(
    slow: ArrayLike, ratio: float, base: JobTimes | None = None, *, mean: float | None = 1.0
) -> JobTimes:
    """Return times of two classes of examples.

    Parameters
    ----------
    slow : array of bool, (n,) or (m, n)
        Which examples are slow.
    ratio : float
        Slow over fast.
    base : JobTimes, optional
    mean : float or None
        Mean over the examples; None leaves the times at 1 and `ratio`.
    """
    classes = _checks.array("slow", slow)
    if classes.dtype != bool or classes.ndim not in (1, 2) or classes.size == 0:
        raise TypeError(f"slow: expected truth values (n,) or (m, n); got {classes.dtype} {classes.shape}")
    times = np.where(classes, _ratio(ratio), 1.0)
    scale = 1.0 if mean is None else _checks.real("mean", mean, above=0.0) / times.mean()
    return replace(by_example(times * scale, base), name="two classes")


def _ratio(ratio: float) -> float:
    ratio = _checks.real("ratio", ratio, above=0.0)
    if not 1.0 / _checks.LARGEST < ratio < _checks.LARGEST:
        raise ValueError(f"ratio: expected a number below {_checks.LARGEST:g}; got {ratio:g}")
    return ratio


def by_norm(power: float = 1.0, base: JobTimes | None = None) -> JobTimes:
    """Return times in proportion to a power of the 2-norm of each example's gradient at the origin.

    For linear models that is the norm of the features times the target: large examples take long.

    Parameters
    ----------
    power : float
    base : JobTimes, optional
    """
    power = _checks.real("power", power)

    def times(problem: Problem) -> FloatArray:
        norms = np.linalg.norm(problem.gradients(np.zeros(problem.d)), axis=-1)
        with np.errstate(all="ignore"):
            factors = norms**power
            shares = np.asarray(factors / factors.mean())
        if not (np.isfinite(shares) & (shares > 0.0)).all():
            raise ValueError(
                f"power: expected one whose times are numbers > 0; got {power:g} for norms from "
                f"{norms.min():g} to {norms.max():g}"
            )
        return shares

    return _dependent("by norm", times, base)


def by_gradient(share: float, ratio: float, base: JobTimes | None = None) -> JobTimes:
    r"""Return the worst kind of dependence: examples that pull x* in one direction are slow.

    The `share` of examples with the largest u . grad f_z(x*) is `ratio` times slower, with u the first
    principal direction of these gradients, its largest coordinate positive. Methods that neglect slow
    examples then miss x*. Mean 1.

    Parameters
    ----------
    share : float
        Between 0 and 1.
    ratio : float
        Slow over fast.
    base : JobTimes, optional

    Raises
    ------
    ValueError
        Also when the run starts, for a problem without x_star.
    """
    share, ratio = _checks.share("share", share), _ratio(ratio)

    def times(problem: Problem) -> FloatArray:
        if problem.x_star is None:
            raise ValueError(f"by_gradient: expected a problem with x_star; {problem.name!r} has none")
        g = problem.gradients(problem.x_star).reshape(-1, problem.d)
        direction = np.linalg.svd(g - g.mean(axis=0), full_matrices=False)[2][0]
        direction = direction * np.sign(direction[np.argmax(np.abs(direction))])
        slow = np.zeros(len(g), dtype=bool)
        slow[np.argsort(-(g @ direction), kind="stable")[: round(share * len(g))]] = True
        factors = np.where(slow, ratio, 1.0)
        return np.asarray((factors / factors.mean()).reshape(problem.m, problem.n))

    return _dependent("by gradient", times, base)


def by_loss(
    power: float = 1.0,
    base: JobTimes | None = None,
    *,
    floor: float = 0.1,
    at: ArrayLike | None = None,
    loss: Callable[..., float] | None = None,
) -> JobTimes:
    r"""Return times that follow the loss of the example where its job reads: what is hard now is slow now.

    .. math:: g_z(x) = \phi + (1 - \phi) \, \frac{f_z(x)^\kappa}{c}, \qquad
        c = \frac{1}{N} \sum_z f_z(x_{\text{ref}})^\kappa

    The law of the job times, and which examples are slow, change with x. At x_ref the factors have mean 1, so
    that in the stationary regime near x_star models compare at the same throughput; far from there jobs take
    longer, and a run that diverges stalls.

    Parameters
    ----------
    power : float
        kappa > 0.
    base : JobTimes, optional
        Other factors, such as ``exponential()`` or ``two_classes(...)``.
    floor : float
        phi in (0, 1]: the least that a job takes.
    at : array (d,), optional
        x_ref; x_star by default.
    loss : callable, optional
        ``loss(x, i, j, data)`` returns f >= 0 of example j of worker i, plain or ``numba.njit``-compiled;
        by default that of the problem.

    Examples
    --------
    A rule that drops late gradients loses the examples that stay hard:

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.least_squares(m=1, n=64, d=2, seed=0)
    >>> run = cg.simulate_async(
    ...     problem, "drop-by-age", workers=32, job_times=by_loss(2.0), updates=20_000, step_size=1e-3
    ... )
    >>> hard = np.argsort((problem.data[0] @ problem.x_star - problem.data[1]) ** 2)[-6:]
    >>> bool(run.law[0, hard].sum() < 0.3 * 6 / 64)
    True
    """
    power, floor = _checks.real("power", power, above=0.0), _checks.share("floor", floor, "(0, 1]")
    if not (loss is None or callable(loss)):
        raise TypeError(f"loss: expected a function loss(x, i, j, data); got {_checks.brief(loss)}")
    base = based_on(base)
    name = "by loss" if base.name == "fixed" else f"by loss, {base.name}"
    return replace(base, name=name, current=CurrentLoss(loss, power, floor, at))


def shuffled(times: JobTimes, seed: int = 0) -> JobTimes:
    """Return the control: the same times, permuted across examples, so that they depend on nothing.

    Times that follow the loss follow that of another example: the law of the times drifts as before, and says
    nothing about the example.

    Parameters
    ----------
    times : JobTimes
    seed : int
    """
    if not isinstance(times, JobTimes):
        raise TypeError(f"times: expected a JobTimes; got {_checks.brief(times)}")
    seed, inner = _checks.integer("seed", seed, low=0), times.example
    if times.current is not None:
        times = replace(
            times, name=f"{times.name}, shuffled", current=replace(times.current, swapped_by=seed)
        )
    if inner is None:
        return times

    def permuted(problem: Problem) -> FloatArray:
        table = np.broadcast_to(inner(problem), (problem.m, problem.n)).reshape(-1)
        return control(seed).permutation(table).reshape(problem.m, problem.n)

    name = times.name if times.name.endswith(", shuffled") else f"{times.name}, shuffled"
    return replace(times, name=name, example=permuted)


def _dependent(name: str, example: Callable[[Problem], FloatArray], base: JobTimes | None) -> JobTimes:
    base = based_on(base)
    return replace(base, name=name if base.name == "fixed" else f"{name}, {base.name}", example=example)
