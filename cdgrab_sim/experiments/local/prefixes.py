"""What theory needs to know of an order: where its workers are between two averages, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cdgrab_sim._records import Problem, Record
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.experiments._measures import problem_of, run_of
from theory import local_steps

STILL = 1e-12  # of a step that moves nothing: gradients stay as they are at the minimiser


def rests(cell: dict[str, Any]) -> dict[str, float]:
    """Predict a floor, ``error``, and the mean squares of its two parts, ``parallel`` and ``drift``."""
    problem = problem_of(cell)
    return _reshuffled(cell, problem) if cell["ordering"] == "rr" else _standing(cell, problem)


def _floor(cell: Mapping[str, Any], problem: Problem, deviations: FloatArray, means: FloatArray) -> float:
    """Sum the floors of all coordinates, which are the last axis."""
    L, mu = problem.constants["L"], problem.constants["mu"]
    each = zip(np.moveaxis(deviations, -1, 0), np.moveaxis(means, -1, 0), strict=True)
    return sum(local_steps.local_floor(cell["step_size"], L, mu, s, b) for s, b in each)


def _reshuffled(cell: Mapping[str, Any], problem: Problem) -> dict[str, float]:
    """Predict from the variances of random orders, and from the means of the workers' gradients."""
    terms, n, H = problem.data.terms, problem.n, cell["H"]
    variance = terms.var(axis=1).mean(axis=0)
    parallel, drift = np.array(
        [local_steps.reshuffled_rounds(n, problem.m, H, v) for v in variance]
    ).transpose(1, 2, 0)
    means = (np.arange(n) % H)[:, None] * terms.mean(axis=1)[:, None]
    deviations = np.broadcast_to(np.sqrt(parallel + drift), means.shape)
    return {
        "error": _floor(cell, problem, deviations, means),
        "parallel": float(parallel.sum(axis=-1).mean()),
        "drift": float((drift + means**2).sum(axis=-1).mean()),
    }


def _standing(cell: Mapping[str, Any], problem: Problem) -> dict[str, float]:
    """Predict from the prefixes of the orders that an ordering makes of gradients at the minimiser."""
    record = Record(loss=False, grad_norm=False, distance=False, orders=True)
    run = run_of(cell, problem, STILL, cell["standing"], record)
    assert run.orders is not None
    later = run.orders[0, cell["standing"] // 2 :]
    parallel, drift = path_in_rounds(problem.data.terms, later, cell["H"])
    b = parallel + drift
    return {
        "error": _floor(cell, problem, np.zeros_like(b), b),
        "parallel": float((parallel**2).sum(axis=-1).mean()),
        "drift": float((drift**2).sum(axis=-1).mean()),
    }


def path_in_rounds(terms: FloatArray, orders: IntArray, H: int) -> tuple[FloatArray, FloatArray]:
    """Return P(k) (T, 1, n, d) and D_i(k) - D_i(a) (T, m, n, d) for k = 0, ..., n - 1, of orders (T, m, n).

    Examples
    --------
    One worker has no drift:

    >>> terms = np.array([[[1.0], [-1.0], [2.0], [-2.0]]])
    >>> parallel, drift = path_in_rounds(terms, np.array([[[0, 1, 2, 3]]]), 2)
    >>> parallel.ravel().tolist(), drift.ravel().tolist()
    ([0.0, 1.0, 0.0, 2.0], [0.0, 0.0, 0.0, 0.0])
    """
    shown = np.take_along_axis(terms[None], orders[..., None], axis=2)
    S = np.cumsum(shown, axis=2) - shown
    P = S.mean(axis=1, keepdims=True)
    k = np.arange(S.shape[2])
    D = S - P
    return P, D - D[:, :, k - k % H]
