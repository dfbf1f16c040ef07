r"""What the losses of a margin t = <a, x> share: their kernels, twins, minimisers and constants.

.. math:: f_{ij}(x) = \phi(\langle a_{ij}, x \rangle, y_{ij}) + \tfrac12 \rho \|x\|^2

with data = (X (N, d), y (N,), rows (m, n), ridge (1,)), see :mod:`cdgrab_sim.problems._tables`. A loss gives
phi and its slope as functions of two numbers; the compiled kernels paste them in, the twins call them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined
from cdgrab_sim._kernels.sums import dot, dot_twin, dots_twin
from cdgrab_sim._records import Problem
from cdgrab_sim._types import Data, FloatArray, Grads, IntArray, Loss, Value, Walk
from cdgrab_sim.problems._minimiser import Derivatives, Minimum, minimiser, spread_at
from cdgrab_sim.problems._tables import Table, chunks

Scalar = Callable[[float, float], float]


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


def margin_grads_twin(slope: Scalar) -> Grads:
    """Return the NumPy twin of :func:`margin_grads`."""

    def grads(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Data) -> None:
        X, y, rows, ridge = data
        j = rows[who, idx]
        a = X[j]
        s = [slope(t, label) for t, label in zip(dots_twin(a, x).tolist(), y[j].tolist(), strict=True)]
        out[:] = np.array(s)[:, None] * a + ridge[0] * x

    return grads


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


def margin_value_twin(phi: Scalar) -> Value:
    """Return the NumPy twin of :func:`margin_value`."""

    def value(x: FloatArray, data: Data) -> float:
        X, y, rows, ridge = data
        total = 0.0
        for a, labels, _ in chunks(X, y, rows):
            for t, label in zip(dots_twin(a, x).tolist(), labels.tolist(), strict=True):
                total += phi(t, label)
        return total / rows.size + 0.5 * float(ridge[0]) * dot_twin(x, x)

    return value


def margin_problem(
    name: str,
    table: Table,
    ridge: float,
    *,
    grads: Grads,
    value: Value,
    loss: Loss,
    walk: Walk,
    curvature: float,
    derivatives: Derivatives | None = None,
    strong: Callable[[Minimum], float] = lambda minimum: 0.0,
) -> Problem:
    """Assemble a problem with its constants and, for a convex loss, its minimiser.

    Parameters
    ----------
    name : str
    table : Table
    ridge : float
    grads, value, loss, walk : callable
        The loss's kernels.
    curvature : float
        Largest second derivative of phi in t, in absolute value.
    derivatives : callable, optional
        ``derivatives(t, y)`` returns the first two derivatives in t of many margins; for convex losses
        only.
    strong : callable, optional
        Returns mu of a problem with a known minimum, or 0 where it is not known.
    """
    ridge = _checks.real("ridge", ridge, low=0.0)
    data = (*table, _checks.data("ridge", np.array([ridge])))
    constants: dict[str, float] = _smoothness(table, ridge, curvature) | {"rows_left_over": table.left_over}
    minimum = None if derivatives is None else minimiser(derivatives, table, ridge)
    known: dict[str, Any] = {}
    if derivatives is not None and minimum is not None:
        constants |= {"mu": mu} if (mu := strong(minimum)) > 0.0 else {}
        constants |= spread_at(minimum.x, derivatives, table, ridge)
        known = {"x_star": minimum.x, "f_star": float(value(minimum.x, data))}
    m, n = table.rows.shape
    return Problem(
        name=name,
        m=m,
        n=n,
        d=table.X.shape[1],
        data=data,
        grads=grads,
        value=value,
        loss=loss,
        constants=constants,
        walk=walk,
        **known,
    )


def _smoothness(table: Table, ridge: float, curvature: float) -> dict[str, float]:
    """L and L_2inf of the roughest example; the Hessian of an example is phi'' a a' + ridge I."""
    square = cross = 0.0
    for a, _, _ in chunks(*table):
        two, one = np.linalg.norm(a, axis=1), np.abs(a).sum(axis=1)
        square, cross = max(square, float((two * two).max())), max(cross, float((two * one).max()))
    d = table.X.shape[1]
    return {"L": curvature * square + ridge, "L_2inf": curvature * cross + ridge * math.sqrt(d)}
