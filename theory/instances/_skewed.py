"""The skewed instances: one kinked curvature for all examples, linear terms apart (I1, I6)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import erfcx

from theory._checks import integer_at_least, nonnegative, positive, vector
from theory._spectral import Array


def _curvatures(L: float, mu: float) -> tuple[float, float]:
    """Return the checked pair 0 < mu <= L."""
    high, low = positive("L", L), positive("mu", mu)
    if low > high:
        raise ValueError(f"expected mu <= L; got mu = {low} > L = {high}; exchange them")
    return high, low


def skewed_value(x: ArrayLike, L: float, mu: float) -> float:
    r"""Return the kinked part of the skewed instances: curvature L left of zero, mu right of it (I1, I6).

    .. math:: \sum_p \bigl(L 1_{x_p \le 0} + \mu 1_{x_p > 0}\bigr) \frac{x_p^2}{2}

    Convex, L-smooth, mu-strongly convex; the minimum 0 is at x = 0. I1 (one coordinate) adds z_ij nu x with
    signs z from :func:`sign_terms`, I6 adds <nu_ij, x> with any nu of sum zero. Either way the mean is this
    function, and centred gradients at a common point do not depend on the point.

    Assumes 0 < mu <= L.

    Provenance: proved here for I6, note ``I6-skewed-mean``; I1 was read (arXiv:2110.10342), note
    ``I1-sign-terms``.

    Examples
    --------
    >>> skewed_value([-1.0, 2.0], 10.0, 1.0)
    7.0
    """
    high, low = _curvatures(L, mu)
    point = vector("x", x)
    return float(0.5 * (np.where(point > 0.0, low, high) * point**2).sum())


def skewed_gradient(x: ArrayLike, L: float, mu: float) -> Array:
    r"""Return the gradient of :func:`skewed_value` (I1, I6).

    .. math:: h(x)_p = \bigl(L 1_{x_p \le 0} + \mu 1_{x_p > 0}\bigr) x_p

    Assumes 0 < mu <= L.

    Provenance: proved here, note ``I6-skewed-mean``; continuous at 0. Yun, Rajput, Sra, arXiv:2110.10342.

    Returns
    -------
    ndarray, shape (d,)
        The gradient.

    Examples
    --------
    >>> skewed_gradient([-1.0, 2.0], 10.0, 1.0)
    array([-10.,   2.])
    """
    high, low = _curvatures(L, mu)
    point = vector("x", x)
    return np.asarray(np.where(point > 0.0, low, high) * point)


def sign_terms(m: int, n: int, nu: float) -> Array:
    r"""Return linear terms, +nu on half of every worker's examples, -nu on the other half (I1).

    .. math:: f_{ij}(x) = \text{skewed}(x) + \nu_{ij} x, \qquad
              \nu_{ij} = +\nu \ (j \le n/2), \ -\nu \ (j > n/2)

    Degenerate for orders coordinated over an even number of workers, whose prefixes can cancel exactly; use
    I6 with generic terms to compare those.

    Assumes n even.

    Provenance: published, read (arXiv:2110.10342, the instance of the lower bound, Theorem 3), note
    ``I1-sign-terms``.

    Returns
    -------
    ndarray, shape (m, n)
        nu_ij, every row summing to zero.

    Examples
    --------
    >>> sign_terms(1, 4, 0.5)
    array([[ 0.5,  0.5, -0.5, -0.5]])
    """
    n = integer_at_least("n", n, 2)
    if n % 2:
        raise ValueError(f"expected an even n; got {n}; the two signs share the examples equally")
    row = nonnegative("nu", nu) * np.where(np.arange(n) < n // 2, 1.0, -1.0)
    return np.tile(row, (integer_at_least("m", m, 1), 1))


def _bridge_excess(c: float) -> float:
    """Return E of the time integral of (B(t) - c)_+ over a standard Brownian bridge B, for c >= 0.

    The expected local time at y is sqrt(pi/2) erfc(sqrt(2) y); integrating it twice gives this form.
    """
    z = math.sqrt(2.0) * c
    tail = (1.0 + 2.0 * z * z) * float(erfcx(z)) - 2.0 * z / math.sqrt(math.pi)
    return math.sqrt(math.pi / 2.0) / 8.0 * math.exp(-z * z) * tail


def bridge_constant(kappa: float) -> float:
    r"""Return the constant c(kappa) of the reshuffling drift on the skewed instance (I6).

    .. math:: (\kappa - 1) \, \frac{\sqrt{\pi/2}}{8} \Bigl[ (1 + 4c^2) \, \mathrm{erfc}(\sqrt2 c)
              - \tfrac{2 \sqrt2 c}{\sqrt\pi} e^{-2c^2} \Bigr] = c

    The left side over kappa - 1 is the mean time integral of (B - c)_+ for a Brownian bridge B. c(1) = 0, and
    c grows like sqrt(log kappa).

    Assumes kappa = L / mu >= 1.

    Provenance: proved here, note ``I6-skewed-mean``. Yun, Rajput, Sra, arXiv:2110.10342: the instance; the
    constant is derived here.

    Examples
    --------
    >>> round(bridge_constant(10.0), 4)
    0.3697
    """
    if positive("kappa", kappa) < 1.0:
        raise ValueError(f"expected kappa >= 1; got {kappa}; kappa is L / mu")
    upper = (kappa - 1.0) * _bridge_excess(0.0)
    if upper == 0.0:
        return 0.0
    return float(brentq(lambda c: (kappa - 1.0) * _bridge_excess(c) - c, 0.0, min(upper, 20.0), xtol=1e-15))


def skewed_mean(kappa: float, alpha: float, sigma: float, n: int, m: int) -> float:
    r"""Return the mean of one coordinate under random reshuffling, skewed instance, small-step limit (I6).

    .. math:: E x_p \to \alpha \sigma \sqrt{n / m} \; c(\kappa) \qquad (\alpha n L \to 0, \ n \to \infty),
              \qquad f - f_* \approx \tfrac{\mu}{2} (E x_p)^2 \text{ per coordinate}

    The sign is that of the flat side. Herded orders have f - f_* of order mu alpha^2 H^2 instead.

    Assumes independent permutations on m workers; n large enough for the bridge limit.

    Provenance: proved here, note ``I6-skewed-mean``. Yun, Rajput, Sra, arXiv:2110.10342: the instance.

    Parameters
    ----------
    sigma : float
        Root mean square over workers of the within-worker deviation of nu_ij, this coordinate; >= 0.

    Examples
    --------
    >>> skewed_mean(10.0, 0.1, 0.0, 64, 4)
    0.0
    """
    scale = positive("alpha", alpha) * nonnegative("sigma", sigma)
    ratio = integer_at_least("n", n, 2) / integer_at_least("m", m, 1)
    return scale * math.sqrt(ratio) * bridge_constant(kappa)
