"""Regression with a bounded loss: smooth and not convex."""

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
from cdgrab_sim.problems._registry import PROBLEMS
from cdgrab_sim.problems._tables import NOISE, OUTLIER, Table, synthetic_features, table, true_margins

_FAR = 20.0  # how much larger an outlier's noise is


@inlined
def slope(t: float, y: float) -> float:
    r = t - y
    u = 1.0 / (1.0 + r * r)
    return 2.0 * r * u * u


@inlined
def phi(t: float, y: float) -> float:
    r = t - y
    return r * r / (1.0 + r * r)


@kernel(small=True)
def grads(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Data) -> None:
    """Gradient of a row: 2 r / (1 + r^2)^2 a + ridge x, with r = <a, x> - y."""
    margin_grads(slope, out, x, who, idx, data)


@kernel
def walk(  # type: ignore[no-untyped-def]
    G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data
):
    """Walk bound to this file's `grads`."""
    walk_loop(grads, G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data)


@kernel(small=True)
def loss(x: FloatArray, i: int, j: int, data: Data) -> float:
    """f_ij(x) = r^2 / (1 + r^2) + ridge |x|^2 / 2, with r = <a, x> - y."""
    return margin_loss(phi, x, i, j, data)  # type: ignore[no-any-return]


@kernel
def value(x: FloatArray, data: Data) -> float:
    """f(x) = mean r^2 / (1 + r^2) + ridge |x|^2 / 2, with r = <a, x> - y."""
    return margin_value(phi, x, data)  # type: ignore[no-any-return]


KERNELS: dict[str, Any] = {"grads": grads, "value": value, "loss": loss, "walk": walk}
KERNELS["provenance"] = "made here; constants proved here"


def robust_on(examples: Table, *, ridge: float) -> Problem:
    """Return robust regression on a table of examples."""
    return margin_problem("robust", examples, ridge, Curvature(2.0), **KERNELS)


@PROBLEMS.register
def robust(
    *,
    m: int = 8,
    n: int = 64,
    d: int = 3,
    sigma: float = 0.5,
    outliers: float = 0.1,
    heterogeneity: float = 0.0,
    ridge: float = 0.0,
    seed: int = 0,
) -> Problem:
    r"""Linear regression with a bounded loss, so that outliers lose their pull.

    .. math::

        f_{ij}(x) = \phi(\langle a_{ij}, x \rangle - y_{ij}) + \tfrac12 \rho \|x\|^2, \qquad
        \phi(r) = \frac{r^2}{1 + r^2}

    Not convex. The second derivative 2 (1 - 3 r^2) / (1 + r^2)^3 of phi lies in [-1/2, 2] (derived here: the
    third, 24 r (r^2 - 1) / (1 + r^2)^4, vanishes at r = 0 and r = +-1 only, where the second is 2 and -1/2).

    Parameters
    ----------
    m, n, d : int
        Workers, examples per worker, dimension.
    sigma : float
        Standard deviation of the noise in the targets.
    outliers : float
        Probability, 0 to 1, that the noise of a target is 20 times as large.
    heterogeneity : float
        Standard deviation, in units of 1/sqrt(d), of each coordinate of the true weights of a worker around
        the common ones, whose own is 1/sqrt(d). Nothing of worker i depends on m.
    ridge : float
        rho.
    seed : int

    Returns
    -------
    Problem
        With constants ``L`` (of the roughest example, 2 max |a|_2^2 + rho) and ``L_2inf`` (2 max |a|_2
        |a|_1 + rho sqrt(d)). No minimiser is known.

    Examples
    --------
    >>> problem = robust(m=2, n=8, d=2)
    >>> bool(0.0 < problem.value(np.zeros(2), problem.data) < 1.0)
    True
    """
    m, n, d = _checks.sizes(m=m, n=n, d=d)
    sigma = _checks.spread("sigma", sigma)
    if (outliers := _checks.real("outliers", outliers, low=0.0)) > 1.0:
        raise ValueError(f"outliers: expected a probability 0..1; got {outliers:g}")
    X, rows = synthetic_features(m, n, d, seed=seed)
    y = true_margins(X, m, heterogeneity=heterogeneity, seed=seed)
    far = stream(seed, Role.DATA, OUTLIER).random(m * n) < outliers
    noise = stream(seed, Role.DATA, NOISE).standard_normal(m * n)
    y += np.where(far, _FAR * sigma, sigma) * noise
    return robust_on(table(X, y, rows), ridge=ridge)
