"""What a run writes down, and when."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cdgrab_sim._kernels.prefix import stream_errors
from cdgrab_sim._kernels.sums import norm2
from cdgrab_sim._records import Ordering, Problem, Record, Seen
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.synchronous._engine import Engine, balance_of_epoch


def recorded_epochs(epochs: int, every: int) -> IntArray:
    """Return 0, every, 2 every, ... and T."""
    return np.unique(np.append(np.arange(0, epochs, every), epochs))


class Recorder:
    """The arrays of one run; a replicate fills its own rows.

    Parameters
    ----------
    record : Record
    problem : Problem
    epochs, replicates : int
    """

    def __init__(self, record: Record, problem: Problem, *, epochs: int, replicates: int) -> None:
        self.record, self.problem = record, problem
        self.x_star = problem.x_star if record.distance else None
        self.epochs = recorded_epochs(epochs, record.every)
        points = (replicates, len(self.epochs))
        between = (replicates, len(self.epochs) - 1)
        self.at_points: dict[str, FloatArray] = {}
        wanted = {
            "loss": record.loss,
            "grad_norm": record.grad_norm,
            "distance": self.x_star is not None,
            "loss_average": record.average,
        }
        for name, asked in wanted.items():
            if asked:
                self.at_points[name] = np.full(points, np.nan)
        if record.trajectory:
            self.at_points["trajectory"] = np.full((*points, problem.d), np.nan)
        self.herding = {norm: np.full(between, np.nan) for norm in record.herding}
        self.herding_live = {norm: np.full(between, np.nan) for norm in record.herding}
        self.balance = np.full(between, np.nan) if record.balance else None
        shape = (*between, problem.m, problem.n)
        self.orders = np.full(shape, -1, dtype=np.int64) if record.orders else None
        self._clips = np.full(replicates, -1, dtype=np.int64)

    @property
    def needs_whole_epochs(self) -> bool:
        """Whether the stream of a whole epoch has to be kept."""
        return bool(self.record.herding) or self.record.balance

    @property
    def clips(self) -> IntArray | None:
        """Clips of every replicate, or None where the ordering counts none."""
        return np.maximum(self._clips, 0) if (self._clips >= 0).any() else None

    def count_clips(self, r: int, state: Any) -> None:
        """Record the clips up to now, where the state of the ordering shows them."""
        counted = getattr(state, "clips", None)
        if counted is not None:
            self._clips[r] = np.sum(counted)

    def iterate(self, r: int, row: int, x: FloatArray, average: FloatArray | None, engine: Engine) -> bool:
        """Record what depends on the iterate; tell whether the loss, where recorded, is finite."""
        arrays, problem = self.at_points, self.problem
        if "grad_norm" in arrays:
            arrays["grad_norm"][r, row] = norm2(engine.full_gradient(x))
        if self.x_star is not None:
            arrays["distance"][r, row] = norm2(x - self.x_star)
        if "trajectory" in arrays:
            arrays["trajectory"][r, row] = x
        if average is not None:
            arrays["loss_average"][r, row] = problem.value(average, problem.arrays)
        if "loss" in arrays:
            loss = arrays["loss"][r, row] = problem.value(x, problem.arrays)
            return math.isfinite(loss)
        return True

    def order(self, r: int, row: int, x: FloatArray, pi: IntArray, engine: Engine) -> None:
        """Record what depends on the order of the coming epoch and on the iterate at its start."""
        if self.orders is not None:
            self.orders[r, row] = pi
        if self.herding:
            mean = engine.full_gradient(x)
            errors = stream_errors(engine.stream_at(x, pi), mean, self.record.herding)
            for norm, error in errors.items():
                self.herding[norm][r, row] = error

    def stream(self, r: int, row: int, ordering: Ordering, state: Any, seen: Seen) -> None:
        """Record what depends on the stream of a whole epoch, and show it to the ordering."""
        stream = seen.G
        for norm in self.record.herding:
            mean = stream.mean(axis=(0, 1))
            self.herding_live[norm][r, row] = stream_errors(stream, mean, (norm,))[norm]
        if self.balance is not None:
            self.balance[r, row] = balance_of_epoch(ordering, state, seen)
        elif ordering.observe is not None:
            ordering.observe(state, seen)
