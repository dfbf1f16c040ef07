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

TOLERANCE = 1e-12  # of the gradient at x_star, coordinate by coordinate, relative to what adds up to it
_POLISHED = 1e-14  # 2-norm; rounding allows little more where terms are of size 1
_STEPS = 100
_HALVINGS = 30
_SETTLED = 1e-6  # a minimiser is where Newton steps end, not where a loss flattens out on the way to infinity
_RAW = 1e3  # columns that differ by more, or from 1, are brought to one size first


class Minimum(NamedTuple):
    """A minimiser and the Hessian there."""

    x: FloatArray  # (d,)
    hessian: FloatArray  # (d, d)


class _Local(NamedTuple):
    """What is known of the mean at a point."""

    g: FloatArray  # (d,)
    hessian: FloatArray  # (d, d)
    terms: FloatArray  # (d,) mean size of what g adds up, and of what rounding of the margins adds


def minimiser(derivatives: Derivatives, table: Table, ridge: float) -> Minimum | None:
    r"""Find a minimiser by Newton's method from the origin.

    .. math:: x \leftarrow x - s H^{-1} g, \qquad s = 1, \tfrac12, \tfrac14, \dots

    with the first s that shortens the gradient; the Newton direction always allows one where H is positive
    definite, since it decreases the squared norm of g at the rate 2 |g|^2. For a singular H the
    shortest direction is taken, so that least squares finds the minimiser of smallest norm. Columns of
    very different units are divided by their root mean square first; "shortest" then speaks of these.

    Returns
    -------
    Minimum or None
        None unless the gradient at the end vanishes, relative to 1e-12 of what it adds up, and the next step
        is negligible.
    """
    units = _units(table)

    def local(z: FloatArray) -> _Local:
        return _at(z, derivatives, table, ridge, units)

    z = np.zeros(table.X.shape[1])
    here = local(z)
    polished = _POLISHED * min(1.0, 1e3 * float(here.terms.max()))
    for _ in range(_STEPS):
        step = np.linalg.lstsq(here.hessian, here.g)[0]
        if np.linalg.norm(here.g) <= polished:
            break
        for halving in range(_HALVINGS):
            trial = z - 0.5**halving * step
            found = local(trial)
            if np.linalg.norm(found.g) < np.linalg.norm(here.g):
                break
        else:
            break
        z, here = trial, found
    size = float(np.linalg.norm(z))
    settled = np.linalg.norm(step) <= _SETTLED * (size if polished < _POLISHED else 1.0 + size)
    terms = np.maximum(here.terms, here.terms.max() / _RAW)  # a column of zeros adds up nothing
    if not settled or not (np.abs(here.g) <= TOLERANCE * terms).all():
        return None
    return Minimum(z / units, here.hessian * np.outer(units, units))


def _units(table: Table) -> FloatArray:
    """Return the root mean square of each column where they need scaling, 1 otherwise."""
    squares = np.zeros(table.X.shape[1])
    for a, _, _ in chunks(*table):
        squares += (a * a).sum(axis=0)
    units = np.sqrt(squares / table.rows.size)
    units[units == 0.0] = 1.0  # a column of zeros
    raw = units.max() > _RAW or units.min() < 1.0 / _RAW
    return units if raw else np.ones_like(units)


def _at(z: FloatArray, derivatives: Derivatives, table: Table, ridge: float, units: FloatArray) -> _Local:
    """Return gradient and Hessian in z = units * x."""
    d, plain = len(z), bool((units == 1.0).all())
    g, hessian, terms = np.zeros(d), np.zeros((d, d)), np.zeros(d)
    for raw, y, _ in chunks(*table):
        a = raw if plain else raw / units
        first, second = derivatives(a @ z, y)
        g += first @ a
        hessian += (a.T * second) @ a
        size = np.abs(a)
        terms += (np.abs(first) + second * (size @ np.abs(z))) @ size
    N, penalty = table.rows.size, ridge / (units * units)
    return _Local(g / N + penalty * z, hessian / N + np.diag(penalty), terms / N + penalty * np.abs(z))


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
