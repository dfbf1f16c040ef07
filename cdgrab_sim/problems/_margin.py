r"""What the losses of a margin t = <a, x> share: their kernels, minimisers and constants.

.. math:: f_{ij}(x) = \phi(\langle a_{ij}, x \rangle, y_{ij}) + \tfrac12 \rho \|x\|^2

A loss gives phi and its slope in t as functions of two numbers, which are pasted into the kernels here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined
from cdgrab_sim._kernels.sums import dot
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.problems._minimiser import Derivatives, Minimum, minimiser, spread_at
from cdgrab_sim.problems._tables import Table, chunks


class Margins(NamedTuple):
    """Examples as in a `Table`, and the ridge."""

    X: FloatArray  # (N, d) features
    y: FloatArray  # (N,) targets
    rows: IntArray  # (m, n) which row of X and y
    ridge: FloatArray  # (1,) rho


class Curvature(NamedTuple):
    """What is known of phi."""

    largest: float  # second derivative in t, in absolute value
    derivatives: Derivatives | None = None  # the first two derivatives in t, where phi is convex
    strong: Callable[[Minimum], float] = lambda minimum: 0.0  # mu at a minimum, or 0 where it is not known


@inlined
def margin_grads(slope, out, x, who, idx, data):  # type: ignore[no-untyped-def]
    """Gradient of a row: slope(<a, x>, y) a + ridge x."""
    X, y, rows, ridge = data
    for r in range(out.shape[0]):
        j = rows[who[r], idx[r]]
        a = X[j]
        s = slope(dot(a, x), y[j])
        for p in range(out.shape[1]):
            out[r, p] = s * a[p] + ridge[0] * x[p]


@inlined
def margin_loss(phi, x, i, j, data):  # type: ignore[no-untyped-def]
    """f_ij(x), with the bits of f where example j of worker i is the only one."""
    X, y, rows, ridge = data
    row = rows[i, j]
    return phi(dot(X[row], x), y[row]) + 0.5 * ridge[0] * dot(x, x)


@inlined
def margin_value(phi, x, data):  # type: ignore[no-untyped-def]
    """f(x), summed over the examples in worker order."""
    X, y, rows, ridge = data
    m, n = rows.shape
    total = 0.0
    for i in range(m):
        for k in range(n):
            j = rows[i, k]
            total += phi(dot(X[j], x), y[j])
    return total / (m * n) + 0.5 * ridge[0] * dot(x, x)


def margin_problem(name: str, table: Table, ridge: float, known: Curvature, **kernels: Any) -> Problem:
    """Assemble a problem with its constants, kernels and, for a convex loss, its minimiser."""
    ridge = _checks.real("ridge", ridge, low=0.0)
    data = Margins(*table, _checks.data("ridge", np.array([ridge])))
    smoothness, constants = _smoothness(table, ridge, known.largest)
    constants["rows_left_over"] = table.left_over
    best: dict[str, Any] = {}
    minimum = None if known.derivatives is None else minimiser(known.derivatives, table, ridge)
    if known.derivatives is not None and minimum is not None:
        constants |= {"mu": mu} if (mu := known.strong(minimum)) > 0.0 else {}
        constants |= spread_at(minimum.x, known.derivatives, table, ridge)
        best = {"x_star": minimum.x, "f_star": float(kernels["value"](minimum.x, tuple(data)))}
    (m, n), d = table.rows.shape, table.X.shape[1]
    best |= {"constants": constants, "rows": table.rows, "smoothness": smoothness}
    return Problem(name, m, n, d, data, **kernels, **best)


def _smoothness(table: Table, ridge: float, curvature: float) -> tuple[FloatArray, dict[str, float]]:
    """L_ij, and L and L_2inf of the roughest example, whose Hessian is phi'' a a' + ridge I."""
    squares, cross = np.empty(table.rows.size), 0.0
    for a, _, place in chunks(*table):
        two, one = np.linalg.norm(a, axis=1), np.abs(a).sum(axis=1)
        squares[place], cross = two * two, max(cross, float((two * one).max()))
    smoothness = (curvature * squares + ridge).reshape(table.rows.shape)
    smoothness.flags.writeable = False
    ridge_across = ridge * math.sqrt(table.X.shape[1])
    return smoothness, {"L": float(smoothness.max()), "L_2inf": curvature * cross + ridge_across}
