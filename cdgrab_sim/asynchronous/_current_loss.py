"""Job times that follow the loss that an example has now, at the point that its job reads.

    effort = floor + (1 - floor) f_z(x)^power / c,    c = mean of f_z(x)^power over all examples at one x

multiplies the time of a job on example z that reads x. Hard examples take long, and which ones are hard
changes as x moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import compile_bound, inlined, is_jitted, kernel
from cdgrab_sim._records import Problem
from cdgrab_sim._types import Data, FloatArray, IntArray
from cdgrab_sim.asynchronous._hash import control
from cdgrab_sim.asynchronous._issue import EXAMPLE, Jobs
from cdgrab_sim.problems import _least_squares, _logistic, _mlp, _quadratic, _robust

_OVERFLOW = 709.0  # exp of it is still finite

Loss = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class CurrentLoss:
    """How job times follow the loss, made by :func:`cdgrab_sim.asynchronous.job_times.by_loss`.

    Attributes
    ----------
    loss : callable or None
        ``loss(x, i, j, data)`` returns f of example j of worker i; None: that of a built-in problem.
    power, floor : float
    at : array_like or None
        Where the mean effort is 1; None: at x_star.
    swapped_by : int or None
        Seed of the control, in which every job takes the time of another example.
    """

    loss: Loss | None
    power: float
    floor: float
    at: ArrayLike | None = None
    swapped_by: int | None = None


def _quadratic_twin(x: FloatArray, i: int, j: int, data: Data) -> float:
    total = 0.0
    for lam, gap in zip(data[1].tolist(), (x - data[0][i, j]).tolist(), strict=True):
        total += 0.5 * lam * (gap * gap)
    return total


@kernel(twin=_quadratic_twin, small=True)
def _of_quadratic(x, i, j, data):  # type: ignore[no-untyped-def]
    """Return sum_p lambda_p (x_p - b_p)^2 / 2."""
    centres, eigenvalues, _, _ = data
    total = 0.0
    for p in range(x.shape[0]):
        gap = x[p] - centres[i, j, p]
        total += 0.5 * eigenvalues[p] * (gap * gap)
    return total


def _of_table(value: Any) -> Loss:
    """Return the loss of one row of a table: f of the problem with that row only."""

    def loss(x, i, j, data):  # type: ignore[no-untyped-def]
        return value(x, data[:2] + (data[2][i : i + 1, j : j + 1],) + data[3:])  # noqa: RUF005 (for numba)

    return loss


_TABLES = (_least_squares.value, _logistic.value, _robust.value, _mlp.value)


def loss_of(problem: Problem, current: CurrentLoss) -> Loss:
    """Return ``loss(x, i, j, data)``: the one given, or that of a built-in problem."""
    if current.loss is not None:
        return current.loss
    if problem.value is _quadratic.value:
        return _of_quadratic
    if problem.value in _TABLES:
        value = problem.value
        return compile_bound(_of_table, value) if is_jitted(value) else _of_table(value)
    raise ValueError(
        f"by_loss: expected a built-in problem with losses >= 0, or a loss of one example; got "
        f"{problem.name!r}; give loss(x, i, j, data)"
    )


def _none(x, what, n, alias, law, data):  # type: ignore[no-untyped-def]
    return 1.0


NO_EFFORT = inlined(_none)


def _following(loss: Any) -> Loss:
    def effort(x, what, n, alias, law, data):  # type: ignore[no-untyped-def]
        z = alias[what]
        f = loss(x, z // n, z % n, data)
        if not f > 0.0:
            return law[6]
        if f > 1.0 and law[5] * math.log(f) > _OVERFLOW:  # Python's pow would raise
            return math.inf
        return law[6] + (1.0 - law[6]) * (law[4] * math.pow(f, law[5]))

    return effort


@lru_cache(maxsize=64)
def _bound(loss: Loss) -> Loss:
    return compile_bound(_following, loss) if is_jitted(loss) else _following(loss)


def effort_of(problem: Problem, current: CurrentLoss | None) -> Loss:
    """Return ``effort(x, what, n, alias, law, data)``, a job's time over what the model says without it."""
    return NO_EFFORT if current is None else _bound(loss_of(problem, current))


def numbers(problem: Problem, current: CurrentLoss | None) -> FloatArray:
    """Return scale, power and floor; the mean effort at the point of reference is 1."""
    if current is None:
        return np.array([1.0, 0.0, 1.0])
    point = problem.x_star if current.at is None else _checks.vector("at", current.at, problem.d)
    if point is None:
        raise ValueError(f"by_loss: expected a point `at`, since {problem.name!r} has no x_star; give it")
    loss = loss_of(problem, current)
    losses = np.array(
        [
            _checks.real(f"loss of example {j} of worker {i}", loss(point, i, j, problem.data), low=0.0)
            for i in range(problem.m)
            for j in range(problem.n)
        ]
    )
    mean = float(np.mean(losses**current.power))
    if not 0.0 < mean < np.inf:
        raise ValueError(
            f"by_loss: expected losses whose power {current.power:g} has a mean > 0; got {mean} at the point "
            "of reference; choose another `at`"
        )
    return np.array([1.0 / mean, current.power, current.floor])


def aliases(examples: int, current: CurrentLoss | None) -> IntArray:
    """Return whose loss the time of each example follows: its own, or that of its partner in the control."""
    seed = None if current is None else current.swapped_by
    return np.arange(examples) if seed is None else control(seed).permutation(examples)


def first_efforts(effort: Loss, x: FloatArray, jobs: Jobs, problem: Problem) -> FloatArray:
    """Return the efforts of the first job of each worker."""
    if effort is NO_EFFORT:
        return np.ones(len(jobs.starts))
    examples = jobs.jobs[:, EXAMPLE].tolist()
    return np.array([effort(x, z, problem.n, jobs.alias, jobs.law, problem.data) for z in examples])
