"""Exact moments of compressed gradients in given orders (C2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import nonnegative
from theory._spectral import Array, coordinates, losses, stack


def compressed_moments(
    alpha: float, eigenvalues: ArrayLike, omega: float, deviations: ArrayLike, e0: ArrayLike
) -> Array:
    r"""Return E e and E e^2 after every step of compressed gradients in a given order (C2).

    .. math::
        E e' &= \rho E e + \alpha \lambda \bar u, \qquad \rho = 1 - \alpha \lambda, \\
        E e'^2 &= \rho^2 E e^2 + 2 \rho \alpha \lambda \bar u E e + (\alpha \lambda \bar u)^2
            + \frac{\alpha^2 \lambda^2 \omega}{m^2} \sum_i (E e^2 - 2 u_i E e + u_i^2)

    coordinate by coordinate, with u_i the centre that worker i visits less x_star, and ubar their mean.

    Assumes a shared Hessian, and an unbiased compressor with E (Q(v)_p - v_p)^2 = omega v_p^2 in each of its
    eigenvectors, such as Rand-k in the coordinates themselves; summed over p, E |Q(v) - v|^2 = omega |v|^2 is
    enough where all eigenvalues are equal.

    Provenance: proved here, note ``C2-compressed-gradients``. See Sadiev et al., arXiv:2206.07021: Q-RR.

    Parameters
    ----------
    omega : float
        Relative variance.
    deviations : array_like, shape (K, m, d)
        u_i of every step.
    e0 : array_like, shape (d,)
        The start, which is not random.

    Returns
    -------
    ndarray, shape (2, K + 1, d)
        E e and E e^2.

    Examples
    --------
    One worker at its minimiser's distance 1, half of the coordinates kept: v = 1, E Q(v)^2 = 2.

    >>> compressed_moments(0.5, [1.0], 1.0, [[[0.0]]], [1.0])[1].ravel()
    array([1. , 0.5])
    """
    x, w = losses(alpha, eigenvalues), nonnegative("omega", omega)
    u = stack("deviations", deviations, ("K", "m", "d"))
    mean = coordinates("e0", e0, x)
    square = mean**2
    path = [(mean, square)]
    for one in u:
        move, m = x * one.mean(axis=0), len(one)
        noise = w * x**2 / m**2 * (m * square - 2.0 * one.sum(axis=0) * mean + (one**2).sum(axis=0))
        square = (1.0 - x) ** 2 * square + 2.0 * (1.0 - x) * move * mean + move**2 + noise
        mean = (1.0 - x) * mean + move
        path.append((mean, square))
    return np.array(path).swapaxes(0, 1)
