"""Least squares: quadratics with one Hessian per example."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.walk import walk_loop
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import Data, FloatArray, IntArray
from cdgrab_sim.problems._margin import Curvature, margin_grads, margin_loss, margin_problem, margin_value
from cdgrab_sim.problems._minimiser import smallest_eigenvalue
from cdgrab_sim.problems._registry import PROBLEMS
from cdgrab_sim.problems._tables import NOISE, Table, synthetic_features, table, true_margins


@inlined
def slope(t: float, y: float) -> float:
    return t - y


@inlined
def phi(t: float, y: float) -> float:
    return 0.5 * (t - y) * (t - y)


def _derivatives(t: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    return t - y, np.ones_like(t)


@kernel(small=True)
def grads(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Data) -> None:
    """Gradient of a row: (<a, x> - y) a + ridge x."""
    margin_grads(slope, out, x, who, idx, data)


@kernel
def walk(  # type: ignore[no-untyped-def]
    G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data
):
    """Walk bound to this file's `grads`."""
    walk_loop(grads, G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data)


@kernel(small=True)
def loss(x: FloatArray, i: int, j: int, data: Data) -> float:
    """f_ij(x) = (<a, x> - y)^2 / 2 + ridge |x|^2 / 2."""
    return margin_loss(phi, x, i, j, data)  # type: ignore[no-any-return]


@kernel
def value(x: FloatArray, data: Data) -> float:
    """f(x) = mean (<a, x> - y)^2 / 2 + ridge |x|^2 / 2."""
    return margin_value(phi, x, data)  # type: ignore[no-any-return]


KERNELS: dict[str, Any] = {"grads": grads, "value": value, "loss": loss, "walk": walk}
KERNELS["provenance"] = "textbook; constants proved here"


def least_squares_on(examples: Table, *, ridge: float) -> Problem:
    """Return least squares on a table of examples."""
    known = Curvature(1.0, _derivatives, smallest_eigenvalue)
    return margin_problem("least-squares", examples, ridge, known, **KERNELS)


@PROBLEMS.register
def least_squares(
    *,
    m: int = 8,
    n: int = 64,
    d: int = 3,
    sigma: float = 1.0,
    heterogeneity: float = 0.0,
    ridge: float = 0.0,
    seed: int = 0,
) -> Problem:
    r"""Linear regression on normal features.

    .. math::

        f_{ij}(x) = \tfrac12 (\langle a_{ij}, x \rangle - y_{ij})^2 + \tfrac12 \rho \|x\|^2, \qquad
        y_{ij} = \langle a_{ij}, w_i \rangle + \sigma \xi_{ij}

    with a_ij and xi_ij standard normal, and w_i the true weights of worker i.

    Parameters
    ----------
    m, n, d : int
        Workers, examples per worker, dimension.
    sigma : float
        Standard deviation of the noise in the targets.
    heterogeneity : float
        Standard deviation, in units of 1/sqrt(d), of each coordinate of w_i around the common w, whose own
        is 1/sqrt(d). Nothing of worker i depends on m.
    ridge : float
        rho.
    seed : int

    Returns
    -------
    Problem
        With constants ``L`` (of the roughest example, max |a|_2^2 + rho), ``L_2inf`` (max |a|_2 |a|_1 + rho
        sqrt(d)), ``mu`` (smallest eigenvalue of the Hessian; absent where that is singular), and ``sigma``,
        ``varsigma`` (root mean square 2-norms of the gradients at x_star, within and across workers).
        x_star is the minimiser of smallest norm.

    Examples
    --------
    Without noise the true weights fit every example:

    >>> problem = least_squares(m=2, n=8, d=2, sigma=0.0)
    >>> problem.f_star < 1e-24, problem.constants["sigma"] < 1e-12
    (True, True)
    """
    m, n, d = _checks.sizes(m=m, n=n, d=d)
    sigma = _checks.spread("sigma", sigma)
    X, rows = synthetic_features(m, n, d, seed=seed)
    y = true_margins(X, m, heterogeneity=heterogeneity, seed=seed)
    y += sigma * stream(seed, Role.DATA, NOISE).standard_normal(m * n)
    return least_squares_on(table(X, y, rows), ridge=ridge)
