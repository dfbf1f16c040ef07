"""The instances for step sizes (I3) and the robust loss (I8)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, matrix, one_of, positive, vector
from theory._spectral import Array


def scalar_loss(curvature: float, alpha: float, x0: float, steps: int) -> float:
    r"""Return the loss of noiseless steps on one coordinate (I3).

    .. math:: f(x) = \tfrac{c}{2} x^2, \qquad f(x_k) = \tfrac{c}{2} (1 - \alpha c)^{2k} x_0^2

    Diverges for alpha > 2 / c. A coordinate with c = mu guards against small steps (see
    :func:`small_step_loss`), one with c = L against large ones; stacked with I1 or I6 they cover all step
    sizes.

    Assumes all examples equal f on this coordinate.

    Provenance: proved here, note ``I3-step-size-regimes``.

    Examples
    --------
    >>> scalar_loss(2.0, 0.25, 4.0, 2)
    1.0
    """
    c, a = positive("curvature", curvature), positive("alpha", alpha)
    start = float(vector("x0", [x0])[0])
    return float(0.5 * c * start**2 * (1.0 - a * c) ** (2 * integer_at_least("steps", steps, 0)))


def small_step_loss(mu: float, x0: float) -> float:
    r"""Bound the loss at curvature mu from below when the step is too small (I3).

    .. math:: \alpha \le \frac{1}{\mu N}, \ N = nT \ge 2 \ \Longrightarrow \
              f(x_N) \ge \tfrac{\mu}{2} x_0^2 \Bigl(1 - \tfrac1N\Bigr)^{2N} \ge \frac{\mu x_0^2}{32}

    Assumes the stated step size and at least two steps; attained at N = 2, alpha = 1 / (2 mu).

    Provenance: proved here, note ``I3-step-size-regimes``. See Cha, Lee, Yun, arXiv:2303.07160 (recalled).

    Examples
    --------
    >>> small_step_loss(2.0, 4.0) == scalar_loss(2.0, 0.25, 4.0, 2)
    True
    """
    return positive("mu", mu) * float(vector("x0", [x0])[0]) ** 2 / 32.0


def robust_loss(t: ArrayLike, derivative: int = 0) -> Array:
    r"""Return the smooth non-convex loss or one of its first two derivatives (I8).

    .. math:: \phi(t) = \frac{t^2}{1 + t^2}, \quad \phi'(t) = \frac{2t}{(1 + t^2)^2}, \quad
              \phi''(t) = \frac{2 - 6 t^2}{(1 + t^2)^3} \in [-\tfrac12, 2]

    The instance is f_ij(x) = phi(<a_ij, x> - y_ij).

    Assumes nothing.

    Provenance: proved here, note ``I8-robust-loss``.

    Parameters
    ----------
    derivative : {0, 1, 2}
        Order of the derivative.

    Returns
    -------
    ndarray, shape (k,)
        phi, phi' or phi''.

    Examples
    --------
    >>> robust_loss([0.0, 1.0], derivative=2)
    array([ 2. , -0.5])
    """
    residual = vector("t", t)
    square = residual**2
    if derivative == 0:
        return np.asarray(square / (1.0 + square))
    if derivative == 1:
        return np.asarray(2.0 * residual / (1.0 + square) ** 2)
    if derivative == 2:
        return np.asarray((2.0 - 6.0 * square) / (1.0 + square) ** 3)
    raise ValueError(
        f"expected derivative among 0, 1, 2; got {derivative!r}; higher ones are not needed here"
    )


def robust_smoothness(features: ArrayLike, norm: str = "l2") -> float:
    r"""Return the smoothness constants of the robust loss (I8).

    .. math:: L = 2 \max \|a_{ij}\|_2^2, \qquad L_{2,\infty} = 2 \max \|a_{ij}\|_2 \|a_{ij}\|_1

    L holds from l2 to l2, the second from the inf-norm of the step to the l2-norm of the change of gradient.

    Assumes the loss :func:`robust_loss`, |phi''| <= 2.

    Provenance: proved here, note ``I8-robust-loss``. See Cooper et al., arXiv:2302.00845, assumes the
    cross-norm constant.

    Parameters
    ----------
    features : array_like, shape (rows, d)
        All a_ij, one a row.
    norm : {"l2", "inf"}
        Norm in which steps are measured.

    Examples
    --------
    >>> robust_smoothness([[3.0, 4.0]]), robust_smoothness([[3.0, 4.0]], norm="inf")
    (50.0, 70.0)
    """
    one_of("norm", norm, ("l2", "inf"))
    a = matrix("features", features)
    euclid = np.linalg.norm(a, axis=1)
    other = euclid if norm == "l2" else np.abs(a).sum(axis=1)
    return float(2.0 * (euclid * other).max())
