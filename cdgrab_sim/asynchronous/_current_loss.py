"""Job times that follow the loss that an example has now, at the point that its job reads.

    effort = floor + (1 - floor) f_z(x)^power / c,    c = mean of f_z(x)^power over all examples at one x

multiplies the time of a job on example z that reads x. Hard examples take long, and which ones are hard
changes as x moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import closed, kernel
from cdgrab_sim._records import Problem
from cdgrab_sim._types import Data, FloatArray, IntArray
from cdgrab_sim.asynchronous._hash import control
from cdgrab_sim.asynchronous._issue import EXAMPLE, Jobs, Model
from cdgrab_sim.asynchronous._records import CurrentLoss

_OVERFLOW = 709.0  # exp of it is still finite

Effort = Callable[..., float]


def loss_of(problem: Problem, current: CurrentLoss) -> Callable[..., float]:
    """Return ``loss(x, i, j, data)``: the one given, or that of the problem."""
    loss = problem.loss if current.loss is None else current.loss
    if loss is None:
        raise ValueError(
            f"by_loss: expected a problem with the loss of one example; got {problem.name!r} without one; "
            "give loss(x, i, j, data)"
        )
    return loss


@kernel(small=True, allocates=False)
def no_effort(x: FloatArray, what: int, model: Model, data: Data) -> float:
    """Return 1: the time does not follow the loss."""
    return 1.0


def _following(loss: Any) -> Effort:
    def effort(x: FloatArray, what: int, model: Model, data: Data) -> float:
        z, n = model.alias[what], model.per_example.shape[1]
        f = loss(x, z // n, z % n, data)
        if not f > 0.0:
            return model.floor
        if f > 1.0 and model.power * math.log(f) > _OVERFLOW:  # Python's pow would raise
            return math.inf
        return model.floor + (1.0 - model.floor) * (model.scale * math.pow(f, model.power))

    return effort


@lru_cache(maxsize=64)
def _bound(loss: Any) -> Effort:
    return closed(_following, loss)


def effort_of(problem: Problem, current: CurrentLoss | None) -> Effort:
    """Return ``effort(x, what, model, data)``, a job's time over what the model says without it."""
    return no_effort if current is None else _bound(loss_of(problem, current))


def constants(problem: Problem, current: CurrentLoss | None) -> tuple[float, float, float]:
    """Return scale, power and floor; the mean effort at the point of reference is 1."""
    if current is None:
        return 1.0, 0.0, 1.0
    point = problem.x_star if current.at is None else _checks.vector("at", current.at, problem.d)
    if point is not None and np.abs(point).max() >= _checks.LARGEST:
        raise ValueError(f"at: expected entries below {_checks.LARGEST:g}; got {np.abs(point).max():g}")
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
    return 1.0 / mean, float(current.power), float(current.floor)


def aliases(examples: int, current: CurrentLoss | None) -> IntArray:
    """Return whose loss the time of each example follows: its own, or that of its partner in the control."""
    seed = None if current is None else current.swapped_by
    return np.arange(examples) if seed is None else control(seed).permutation(examples)


def first_efforts(effort: Effort, x: FloatArray, jobs: Jobs, model: Model, data: Data) -> FloatArray:
    """Return the efforts of the first job of each worker."""
    if effort is no_effort:
        return np.ones(len(jobs.starts))
    return np.array([effort(x, z, model, data) for z in jobs.held[:, EXAMPLE].tolist()])
