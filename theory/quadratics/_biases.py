"""Leading bias of SGD on quadratics with different Hessians (G3, G4, G4b)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import positive
from theory._spectral import Array, examples


def reshuffling_bias(alpha: float, hessians: ArrayLike, gradients: ArrayLike) -> Array:
    r"""Return the leading bias of random reshuffling on m workers: independent of n (G3).

    .. math:: \lim_t E x_t - x_* = -\frac{\alpha}{2m} \bar A^{-1} \frac1m \sum_i \mathrm{Cov}_i(A, z)
              + O(\alpha^2), \qquad
              \mathrm{Cov}_i(A, z) = \frac1n \sum_j A_{ij} z_{ij} - \bar A_i \bar z_i

    Squared it is a term in 1/(m n T)^2 at alpha ~ 1/(n T), so reshuffling reaches that order on EVERY
    quadratic once T is large against m n.

    Assumes independent uniform permutations on the workers, fresh in every epoch.

    Provenance: proved here, note ``G3-reshuffling-bias``. Safran, Shamir, arXiv:1908.00045: a lower bound
    with 1/(nT)^2.

    Parameters
    ----------
    hessians : array_like, shape (m, n, d, d)
        A_ij; their mean is invertible.
    gradients : array_like, shape (m, n, d)
        z_ij at x_star; their sum is zero.

    Returns
    -------
    ndarray, shape (d,)
        The term of first order in alpha.

    Examples
    --------
    >>> reshuffling_bias(0.5, [[[[1.0]], [[3.0]]]], [[[1.0], [-1.0]]])
    array([0.125])
    """
    a, z = examples(hessians, "gradients", gradients, ("m", "n"))
    together = np.einsum("ijpq,ijq->ip", a, z) / a.shape[1]
    apart = np.einsum("ipq,iq->ip", a.mean(axis=1), z.mean(axis=1))
    curvature = a.mean(axis=(0, 1))
    return (
        -positive("alpha", alpha) / (2 * len(a)) * np.linalg.solve(curvature, (together - apart).mean(axis=0))
    )


def fixed_order_bias(alpha: float, hessians: ArrayLike, gradients: ArrayLike) -> Array:
    r"""Return the leading error of one order repeated forever (G4).

    .. math:: e_\infty = \frac{\alpha}{n} \bar A^{-1} \sum_{k=2}^{n} A_{\pi(k)} Z_{k-1} + O(\alpha^2),
              \qquad Z_k = \sum_{l \le k} z_{\pi(l)}

    Assumes the same order in every epoch; with m workers pass, for each step, the means over workers.

    Provenance: proved here, note ``G4-fixed-order-bias``. See Lu, Guo, De Sa, arXiv:2205.10733: prefixes as
    the quantity an order should make small.

    Parameters
    ----------
    hessians : array_like, shape (n, d, d)
        A in the order used; their mean is invertible.
    gradients : array_like, shape (n, d)
        z at x_star in the order used; their sum is zero.

    Returns
    -------
    ndarray, shape (d,)
        The term of first order in alpha.

    Examples
    --------
    >>> fixed_order_bias(0.5, [[[1.0]], [[3.0]]], [[1.0], [-1.0]])
    array([0.375])
    """
    a, z = examples(hessians, "gradients", gradients)
    drift = np.einsum("kpq,kq->p", a[1:], np.cumsum(z, axis=0)[:-1])
    return positive("alpha", alpha) / len(a) * np.linalg.solve(a.mean(axis=0), drift)


def reversed_pair_bias(alpha: float, hessians: ArrayLike, gradients: ArrayLike) -> Array:
    r"""Return the leading error, after complete pairs, of an order followed by its reverse (G4b).

    .. math:: e_\infty = -\frac{\alpha}{2} \bar A^{-1} \frac1n \sum_j A_j z_j + O(\alpha^2)

    The order has dropped out: reversal makes every order as good as the average one.

    Assumes the same pair (order, reverse) repeated; with m workers the step means, as in
    :func:`fixed_order_bias`, so that which examples meet in a step still matters.

    Provenance: proved here, note ``G4b-reversed-pair-bias``. See Rajput, Lee, Papailiopoulos,
    arXiv:2102.09718: FlipFlop.

    Returns
    -------
    ndarray, shape (d,)
        The term of first order in alpha.

    Examples
    --------
    >>> reversed_pair_bias(0.5, [[[1.0]], [[3.0]]], [[1.0], [-1.0]])
    array([0.125])
    """
    a, z = examples(hessians, "gradients", gradients)
    products = np.einsum("jpq,jq->p", a, z) / len(a)
    return -0.5 * positive("alpha", alpha) * np.linalg.solve(a.mean(axis=0), products)
