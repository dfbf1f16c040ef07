"""From a method and a model of job times to the first state and the tables of a run, checked."""

from __future__ import annotations

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.asynchronous._clock import cumulative
from cdgrab_sim.asynchronous._records import JobTimes, Method, MethodState, is_ragged, positive_times


def first_state(method: Method, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    """Return the first state of a method, whose arrays kernels can read."""
    made = method.init(x0, workers, step_size)
    expected = {"S": (2, "float64"), "W": (2, "float64"), "c": (1, "int64"), "p": (1, "float64")}
    if not isinstance(made, MethodState):
        raise TypeError(f"init of {method.name!r}: expected a MethodState; got {_checks.brief(made)}")
    for (name, (axes, kind)), a in zip(expected.items(), made, strict=True):
        if not (isinstance(a, np.ndarray) and a.ndim == axes and a.dtype == kind and a.flags.c_contiguous):
            got = f"{a.dtype} {a.shape}" if isinstance(a, np.ndarray) else repr(a)
            raise TypeError(
                f"init of {method.name!r}, {name}: expected a C-ordered array with {axes} axes of {kind}; "
                f"got {got}"
            )
    if len(made.p) == 0:
        raise ValueError(f"init of {method.name!r}, p: expected the step size first; got an empty array")
    d = len(x0)
    if method.second_gradient and (len(made.W) < workers or made.W.shape[1] != d):
        raise ValueError(
            f"init of {method.name!r}, W: expected a row for each of {workers} workers, at least "
            f"({workers}, {d}), for the second gradient; got {made.W.shape}"
        )
    return made


def by_example(problem: Problem, times: JobTimes) -> FloatArray:
    """Return the factor of each example, (m, n)."""
    shape = (problem.m, problem.n)
    if times.example is None:
        return np.ones(shape)
    factors = positive_times("job times by example", times.example(problem))
    if factors.shape not in (shape, shape[1:]):
        raise ValueError(
            f"job times by example: expected shape (n,) = {shape[1:]} or (m, n) = {shape}; "
            f"got {factors.shape}"
        )
    if np.isinf(factors).all():
        raise ValueError("job times by example: expected an example that ends; all of them are infinite")
    return np.array(np.broadcast_to(factors, shape), order="C")


def by_worker(workers: int, times: JobTimes) -> tuple[FloatArray, IntArray]:
    """Return the times of each worker, a table (workers, K), and how much of its row each walks."""
    if is_ragged(times.worker):
        return _ragged(workers, times.worker)
    table = positive_times("job times by worker", times.worker)
    table = table if table.ndim > 1 else np.atleast_1d(table)[:, None]
    if table.ndim != 2 or table.shape[0] not in (1, workers):
        raise ValueError(
            f"job times by worker: expected one or (workers,) = ({workers},), or a table (workers, K); "
            f"got shape {np.shape(times.worker)}"
        )
    table = np.array(np.broadcast_to(table, (workers, table.shape[-1])), order="C")
    if np.isinf(table[:, 0]).all():
        raise ValueError("job times by worker: expected a worker that works; all of them are infinite")
    return table, np.full(workers, table.shape[1])


def _ragged(workers: int, rows: tuple[FloatArray, ...]) -> tuple[FloatArray, IntArray]:
    if len(rows) != workers:
        raise ValueError(
            f"job times: expected the jobs of {workers} workers; got those of {len(rows)}; run with "
            f"workers={len(rows)}"
        )
    cycle = np.array([len(row) for row in rows])
    table = np.ones((workers, cycle.max()))
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table, cycle


def clock(workers: int, times: JobTimes) -> FloatArray:
    """Return the work that each worker can do by the end of each step of its cycle, (workers, K + 1)."""
    if times.rates is None:
        return np.zeros((workers, 1))
    rates = _checks.floats("rates", times.rates(workers), 2)
    if len(rates) != workers or (rates < 0.0).any() or not (rates.max(axis=1) > 0.0).all():
        raise ValueError(
            f"rates: expected an array (workers, K) = ({workers}, K) of numbers >= 0, not all 0 for any "
            f"worker; got shape {rates.shape} with values from {rates.min()} to {rates.max()}"
        )
    return cumulative(rates, times.step)
