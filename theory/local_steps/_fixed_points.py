"""Where local gradient descent ends when the workers' minimisers differ (L2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import finite_array, integer_at_least, positive
from theory._spectral import Array


def _checked(hessians: ArrayLike, minimisers: ArrayLike) -> tuple[Array, Array]:
    A = finite_array("hessians", hessians, 3, "(m, d, d)")
    points = finite_array("minimisers", minimisers, 2, "(m, d)")
    if A.shape != (*points.shape, points.shape[1]):
        raise ValueError(
            f"expected hessians (m, d, d) and minimisers (m, d); got {A.shape} and {points.shape}"
        )
    return A, points


def local_fixed_point(alpha: float, hessians: ArrayLike, minimisers: ArrayLike, H: int) -> Array:
    r"""Return where rounds of H full local gradient steps on quadratics end (L2).

    .. math:: x_\infty = \Bigl( I - \frac1m \sum_i P_i \Bigr)^{-1} \frac1m \sum_i (I - P_i) x_i^*,
              \qquad P_i = (I - \alpha A_i)^H

    Assumes positive definite Hessians and alpha < 2 / L.

    Provenance: proved here, note ``L2-local-fixed-point``.

    Parameters
    ----------
    hessians : array_like, shape (m, d, d)
        A_i of f_i(x) = (x - x_i*)' A_i (x - x_i*) / 2.
    minimisers : array_like, shape (m, d)
        x_i*.

    Returns
    -------
    ndarray, shape (d,)
        The fixed point.

    Examples
    --------
    By hand, weights 1 - 0.9^4 = 0.3439 and 1 - 0.8^4 = 0.5904: 3 times 0.5904 / 0.9343.

    >>> local_fixed_point(0.1, [[[1.0]], [[2.0]]], [[0.0], [3.0]], 4).round(6).tolist()
    [1.895751]
    """
    A, points = _checked(hessians, minimisers)
    eye, step, H = np.eye(points.shape[1]), positive("alpha", alpha), integer_at_least("H", H, 1)
    pulls = np.array([eye - np.linalg.matrix_power(eye - step * a, H) for a in A])
    return np.linalg.solve(pulls.mean(axis=0), np.einsum("ipq,iq->p", pulls, points) / len(points))


def local_offset(alpha: float, hessians: ArrayLike, minimisers: ArrayLike, H: int) -> Array:
    r"""Return the first order in alpha of what local gradient descent ends away from the minimiser (L2).

    .. math:: x_\infty - x^* = -\frac{\alpha (H - 1)}2 \bar A^{-1} \frac1m \sum_i A_i^2 (x_i^* - x^*)
              + O(\alpha^2)

    Assumes as :func:`local_fixed_point`.

    Provenance: proved here, note ``L2-local-fixed-point``.

    Returns
    -------
    ndarray, shape (d,)
        The offset.

    Examples
    --------
    >>> local_offset(0.1, [[[1.0]], [[2.0]]], [[0.0], [3.0]], 1).tolist()
    [-0.0]
    """
    A, points = _checked(hessians, minimisers)
    mean = A.mean(axis=0)
    star = np.linalg.solve(mean, np.einsum("ipq,iq->p", A, points) / len(A))
    pull = np.einsum("ipq,iqr,ir->p", A, A, points - star) / len(A)
    return -0.5 * positive("alpha", alpha) * (integer_at_least("H", H, 1) - 1) * np.linalg.solve(mean, pull)
