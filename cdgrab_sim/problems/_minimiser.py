"""Minimisers of convex margin losses to rounding, and the spread of the gradients there.

These numbers serve as a yardstick and never decide an order, so BLAS and LAPACK may compute them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cdgrab_sim._types import FloatArray
from cdgrab_sim.problems._tables import Table, chunks

Derivatives = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]

TOLERANCE = 1e-12  # 2-norm of the gradient at x_star
_POLISHED = 1e-14  # rounding allows little more
_STEPS = 100
_HALVINGS = 30
_SETTLED = 1e-6  # a minimiser is where Newton steps end, not where a loss flattens out on the way to infinity


class Minimum(NamedTuple):
    """A minimiser and the Hessian there."""

    x: FloatArray  # (d,)
    hessian: FloatArray  # (d, d)


def minimiser(derivatives: Derivatives, table: Table, ridge: float) -> Minimum | None:
    r"""Find a minimiser by Newton's method from the origin.

    .. math:: x \leftarrow x - s H^{-1} g, \qquad s = 1, \tfrac12, \tfrac14, \dots

    with the first s that shortens the gradient; the Newton direction always allows one where H is positive
    definite, since it decreases the squared norm of g at the rate 2 |g|^2. For a singular H the
    shortest direction is taken, so that least squares finds the minimiser of smallest norm.

    Returns
    -------
    Minimum or None
        None unless the gradient at the end is at most 1e-12 long and the next step negligible.
    """
    x = np.zeros(table.X.shape[1])
    g, hessian = _gradient_and_hessian(x, derivatives, table, ridge)
    for _ in range(_STEPS):
        step = np.linalg.lstsq(hessian, g)[0]
        if np.linalg.norm(g) <= _POLISHED:
            break
        for halving in range(_HALVINGS):
            trial = x - 0.5**halving * step
            found = _gradient_and_hessian(trial, derivatives, table, ridge)
            if np.linalg.norm(found[0]) < np.linalg.norm(g):
                break
        else:
            break
        x, (g, hessian) = trial, found
    settled = np.linalg.norm(step) <= _SETTLED * (1.0 + np.linalg.norm(x))
    return Minimum(x, hessian) if settled and np.linalg.norm(g) <= TOLERANCE else None


def _gradient_and_hessian(
    x: FloatArray, derivatives: Derivatives, table: Table, ridge: float
) -> tuple[FloatArray, FloatArray]:
    d = len(x)
    g, hessian = np.zeros(d), np.zeros((d, d))
    for a, y, _ in chunks(*table):
        first, second = derivatives(a @ x, y)
        g += first @ a
        hessian += (a.T * second) @ a
    N = table.rows.size
    return g / N + ridge * x, hessian / N + ridge * np.eye(d)


def spread_at(x: FloatArray, derivatives: Derivatives, table: Table, ridge: float) -> dict[str, float]:
    """Root mean square 2-norms of the gradients at a minimiser, within and across workers.

    In one pass and O(m d) memory: the gradients less their worker's mean have the mean square of the
    gradients less that of the worker means.
    """
    m, n = table.rows.shape
    means, total = np.zeros((m, len(x))), 0.0
    for a, y, place in chunks(*table):
        g = derivatives(a @ x, y)[0][:, None] * a + ridge * x
        total += float(np.vdot(g, g))
        np.add.at(means, np.arange(place.start, place.stop) // n, g / n)
    across = float(np.vdot(means, means)) / m
    within = max(0.0, total / (m * n) - across)
    return {"sigma": math.sqrt(within), "varsigma": math.sqrt(across)}


def smallest_eigenvalue(minimum: Minimum) -> float:
    """Smallest eigenvalue of the Hessian, or 0 where it cannot be told from rounding."""
    eigenvalues = np.linalg.eigvalsh(minimum.hessian)
    noise = len(eigenvalues) * np.finfo(float).eps * eigenvalues[-1]
    return float(eigenvalues[0]) if eigenvalues[0] > noise else 0.0
