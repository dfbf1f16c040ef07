"""Linear updates as filters: power in, floor out (P1, P2, P3)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import matrix, nonnegative, nonnegative_array, one_of, real, vector
from theory._spectral import Array, coordinates, losses, rows

UPDATES = ("heavy-ball", "nesterov")
"""How momentum enters; without any, both are SGD."""


def order_power(stream: ArrayLike) -> Array:
    r"""Return the power of a stream at the frequencies 2 pi j / N (P1).

    .. math:: P_j = \frac1{N^2} \Bigl| \sum_{k=1}^N z_k e^{-i \omega_j k} \Bigr|^2, \qquad
              \sum_{j=0}^{N-1} P_j = \frac1N \sum_k z_k^2

    Assumes nothing.

    Provenance: proved here, note ``P1-parseval``; Parseval's identity is classical.

    Parameters
    ----------
    stream : array_like, shape (N, d)
        One row for each step of the period.

    Returns
    -------
    ndarray, shape (N, d)
        P for j = 0, ..., N - 1.

    Examples
    --------
    >>> order_power([[1.0], [-1.0]]).ravel()
    array([0., 1.])
    """
    z = matrix("stream", stream)
    return np.asarray(np.abs(np.fft.fft(z, axis=0)) ** 2 / len(z) ** 2)


def transfer(
    omega: ArrayLike,
    alpha: float,
    eigenvalues: ArrayLike,
    momentum: float = 0.0,
    kind: str = "heavy-ball",
    mixing: float = 1.0,
) -> NDArray[np.complex128]:
    r"""Return the transfer function from the stream of gradients to the errors (P2).

    .. math:: H(\omega) = \frac{-\alpha w r}{z - w (1 - \alpha \lambda r)}, \qquad z = e^{i \omega}, \qquad
              r = 1, \quad \frac{1}{1 - \beta/z}, \quad \frac{1 + \beta - \beta/z}{1 - \beta/z}

    for SGD, heavy ball and Nesterov; |H| is that of a low pass with corner near omega = alpha lambda. w is
    an eigenvalue of the mixing matrix W of x_i <- sum_l W_il (x_l - alpha g_l), for the stream in that
    eigenvector: 1 for the mean over the workers.

    Assumes a shared Hessian, and for w other than 1 a symmetric W.

    Provenance: proved here, note ``P2-transfer-functions``.

    Parameters
    ----------
    omega : array_like, shape (K,)
        Radians per step.
    momentum : float
        beta.
    kind : {"heavy-ball", "nesterov"}
    mixing : float
        w.

    Returns
    -------
    ndarray, shape (K, d)
        H, complex.

    Examples
    --------
    SGD passes a constant as Newton's method would, and damps the fastest frequency to alpha / 2 or less:

    >>> transfer([0.0, np.pi], 0.5, [1.0]).real.ravel().round(12)
    array([-1.        ,  0.33333333])
    """
    x = losses(alpha, eigenvalues)
    z = np.exp(1j * vector("omega", omega))[:, None]
    beta, w = nonnegative("momentum", momentum), real("mixing", mixing)
    ahead = beta - beta / z if one_of("kind", kind, UPDATES) == "nesterov" else 0.0
    r = (1.0 + ahead) / (1.0 - beta / z)
    return np.asarray(-alpha * w * r / (z - w * (1.0 - x * r)))


def standing_floor(
    alpha: float,
    eigenvalues: ArrayLike,
    stream: ArrayLike,
    momentum: float = 0.0,
    kind: str = "heavy-ball",
    mixing: float = 1.0,
) -> Array:
    r"""Return the mean square of the errors over a period, for orders that repeat (P1).

    .. math:: \frac1N \sum_{k=1}^N e_{k,p}^2 = \sum_{j=0}^{N-1} |H_p(\omega_j)|^2 P_{j,p}

    Assumes a shared Hessian, orders of period N steps, and a step at which the update is stable.

    Provenance: proved here, note ``P1-parseval``.

    Parameters
    ----------
    stream : array_like, shape (N, d)
        z over one period, in the eigenbasis.

    Returns
    -------
    ndarray, shape (d,)
        The floor of each coordinate.

    Examples
    --------
    Plus and minus 1 in turn: e = -e/2 - 1/2 from +1/3 to -1/3 and back, so that the floor is 1/9.

    >>> standing_floor(0.5, [1.0], [[1.0], [-1.0]]).round(12)
    array([0.11111111])
    """
    z = rows("stream", stream, losses(alpha, eigenvalues))
    omega = 2.0 * np.pi * np.arange(len(z)) / len(z)
    gain = np.abs(transfer(omega, alpha, eigenvalues, momentum, kind, mixing)) ** 2
    return np.asarray((gain * order_power(z)).sum(axis=0))


def prefix_power_bound(omega: float, variance: ArrayLike) -> Array:
    r"""Bound the power of a stream up to a frequency by its prefix sums (P3).

    .. math:: \sum_{|\omega_j| \le \omega} P_j \le 4 \sin^2 \tfrac{\omega}{2} \, V, \qquad
              V = \frac1N \sum_{k=1}^N (S_k - \bar S)^2, \qquad S_k = z_1 + \dots + z_k

    Assumes that the stream sums to zero over the period, 0 <= omega <= pi.

    Provenance: proved here, note ``P3-prefixes-and-low-frequencies``.

    Parameters
    ----------
    omega : float
        Radians per step.
    variance : array_like, shape (d,)
        V of each coordinate.

    Returns
    -------
    ndarray, shape (d,)
        The bound.

    Examples
    --------
    >>> prefix_power_bound(np.pi, [0.25])
    array([1.])
    """
    at = nonnegative("omega", omega)
    if at > math.pi:
        raise ValueError(f"expected omega <= pi; got {at:.6g}; frequencies repeat beyond it")
    return np.asarray(4.0 * math.sin(at / 2.0) ** 2 * nonnegative_array("variance", variance))


def prefix_floor_bound(alpha: float, eigenvalues: ArrayLike, variance: ArrayLike) -> Array:
    r"""Bound the floor of SGD over a period by the prefix sums of the order (P3).

    .. math:: \frac1N \sum_{k=1}^N e_{k,p}^2 \le \Bigl( \frac{2 \alpha}{1 + \rho_p} \Bigr)^2 V_p

    Assumes what :func:`standing_floor` assumes, a stream that sums to zero, and alpha lambda < 2.

    Provenance: proved here, note ``P3-prefixes-and-low-frequencies``.

    Parameters
    ----------
    variance : array_like, shape (d,)
        V of each coordinate, as in :func:`prefix_power_bound`.

    Returns
    -------
    ndarray, shape (d,)
        The bound.

    Examples
    --------
    >>> prefix_floor_bound(0.5, [1.0], [0.25]).round(12)
    array([0.11111111])
    """
    x = losses(alpha, eigenvalues)
    if x.max() >= 2.0:
        raise ValueError(f"expected alpha * eigenvalues < 2; got {x.max():.6g}; lower alpha")
    V = coordinates("variance", nonnegative_array("variance", variance), x)
    return np.asarray((2.0 * alpha / (2.0 - x)) ** 2 * V)
