"""Logistic regression with a ridge: smooth, strongly convex, and not a quadratic."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.walk import walk_loop
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import Data, FloatArray, IntArray
from cdgrab_sim.problems._margin import Curvature, margin_grads, margin_loss, margin_problem, margin_value
from cdgrab_sim.problems._registry import PROBLEMS
from cdgrab_sim.problems._tables import NOISE, Table, synthetic_features, table, true_margins


@inlined
def slope(t: float, y: float) -> float:
    z = y * t
    e = math.exp(-abs(z))  # never overflows
    # A selection, not a branch between two quotients: no processor predicts the sign of a margin.
    return -y * ((e if z >= 0.0 else 1.0) / (1.0 + e))


@inlined
def phi(t: float, y: float) -> float:
    z = y * t
    tail = math.log1p(math.exp(-abs(z)))
    return tail if z >= 0.0 else tail - z


def _derivatives(t: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    q = 0.5 * (1.0 - np.tanh(0.5 * y * t))
    return -y * q, q * (1.0 - q)


@kernel(small=True)
def grads(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Data) -> None:
    """Gradient of a row: -y a / (1 + exp(y <a, x>)) + ridge x."""
    margin_grads(slope, out, x, who, idx, data)


@kernel
def walk(  # type: ignore[no-untyped-def]
    G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data
):
    """Walk bound to this file's `grads`."""
    walk_loop(grads, G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data)


@kernel(small=True)
def loss(x: FloatArray, i: int, j: int, data: Data) -> float:
    """f_ij(x) = log(1 + exp(-y <a, x>)) + ridge |x|^2 / 2."""
    return margin_loss(phi, x, i, j, data)  # type: ignore[no-any-return]


@kernel
def value(x: FloatArray, data: Data) -> float:
    """f(x) = mean log(1 + exp(-y <a, x>)) + ridge |x|^2 / 2."""
    return margin_value(phi, x, data)  # type: ignore[no-any-return]


KERNELS: dict[str, Any] = {"grads": grads, "value": value, "loss": loss, "walk": walk}
KERNELS["provenance"] = "textbook; constants proved here"


def logistic_on(examples: Table, *, ridge: float) -> Problem:
    """Return logistic regression on a table of examples with targets +-1."""
    known = Curvature(0.25, _derivatives, lambda minimum: float(ridge))
    return margin_problem("logistic", examples, ridge, known, **KERNELS)


@PROBLEMS.register
def logistic(
    *,
    m: int = 8,
    n: int = 64,
    d: int = 3,
    ridge: float = 0.01,
    heterogeneity: float = 0.0,
    seed: int = 0,
) -> Problem:
    r"""Logistic regression on normal features.

    .. math::

        f_{ij}(x) = \log(1 + e^{-y_{ij} \langle a_{ij}, x \rangle}) + \tfrac12 \rho \|x\|^2, \qquad
        P(y_{ij} = 1) = \frac{1}{1 + e^{-\langle a_{ij}, w_i \rangle}}

    with a_ij standard normal, y_ij = +-1, and w_i the true weights of worker i.

    Parameters
    ----------
    m, n, d : int
        Workers, examples per worker, dimension.
    ridge : float
        rho. With 0 a minimiser exists only where no hyperplane separates the labels; x_star and f_star are
        None where it does not.
    heterogeneity : float
        Standard deviation, in units of 1/sqrt(d), of each coordinate of w_i around the common w, whose own
        is 1/sqrt(d). Nothing of worker i depends on m.
    seed : int

    Returns
    -------
    Problem
        With constants ``L`` (of the roughest example, max |a|_2^2 / 4 + rho), ``L_2inf`` (max |a|_2 |a|_1 / 4
        + rho sqrt(d)), ``mu`` (= rho; absent for 0), and ``sigma``, ``varsigma`` (root mean square 2-norms
        of the gradients at x_star, within and across workers).

    Examples
    --------
    >>> problem = logistic(m=2, n=8, d=2, ridge=0.1)
    >>> bool(problem.value(np.zeros(2), problem.data) > problem.f_star), problem.constants["mu"]
    (True, 0.1)
    """
    m, n, d = _checks.sizes(m=m, n=n, d=d)
    X, rows = synthetic_features(m, n, d, seed=seed)
    t = true_margins(X, m, heterogeneity=heterogeneity, seed=seed)
    t += stream(seed, Role.DATA, NOISE).logistic(size=m * n)  # P(t + noise > 0) = 1 / (1 + e^-t)
    y = np.where(t > 0.0, 1.0, -1.0)
    return logistic_on(table(X, y, rows), ridge=ridge)
