"""Quadratics with a shared Hessian under given orders: exact paths and herding bounds (Q1, Q7, Q9, Q10)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, nonnegative_array
from theory._spectral import Array, complement, coordinates, geometric_sum, losses, power, rows, stack


def epoch_displacement(alpha: float, eigenvalues: ArrayLike, deviations: ArrayLike) -> Array:
    r"""Return the displacement xi that one epoch in a given order adds to the contraction (Q1, Q9).

    .. math:: e_{t+1} = M^n e_t + \xi, \quad
              \xi = \alpha H \sum_{k=1}^{n} M^{n-k} u_k = -\alpha^2 H^2 \sum_{k=1}^{n-1} M^{n-1-k} U_k,

    with M = I - alpha H and U_k = u_1 + ... + u_k. The second form, summation by parts, shows that xi depends
    on the order only through the prefix sums; it is the one computed.

    Assumes a shared Hessian, and that the epoch visits every example once (so U_n = 0).

    Provenance: proved here, notes ``Q1-epoch-map`` and ``Q9-abel-identity``. See Lu, Guo, De Sa,
    arXiv:2205.10733, states the role of prefix sums for general losses.

    Parameters
    ----------
    deviations : array_like, shape (n, d)
        u_k in the order of the epoch, in the eigenbasis.

    Returns
    -------
    ndarray, shape (d,)
        xi in the eigenbasis.

    Examples
    --------
    >>> epoch_displacement(0.5, [1.0], [[1.0], [-1.0]])
    array([-0.25])
    """
    x = losses(alpha, eigenvalues)
    u = rows("deviations", deviations, x)
    prefixes = np.cumsum(u, axis=0)
    excess = float(np.abs(prefixes[-1]).max())
    if excess > 1e-9 * float(np.abs(u).sum()):
        raise ValueError(
            f"expected deviations that sum to zero over the epoch; got a sum of {excess:.3g}; "
            "subtract x_star, the mean of all centres"
        )
    n = u.shape[0]
    k = np.arange(1.0, n)[:, None]
    return np.asarray(-(x**2) * (power(x, n - 1.0 - k) * prefixes[:-1]).sum(axis=0))


def fixed_order(alpha: float, eigenvalues: ArrayLike, deviations: ArrayLike, e0: ArrayLike, T: int) -> Array:
    r"""Return the error e_T after T epochs that all use the same order (Q7).

    .. math:: e_T = M^{nT} e_0 + (I - M^{nT})(I - M^n)^{-1} \xi

    so the loss (1/2) sum_p lambda_p e_{T,p}^2 is known exactly for incremental gradient, a sorted order or
    one fixed herded order.

    Assumes a shared Hessian and an order that visits every example once per epoch.

    Provenance: proved here, note ``Q7-given-order``. Safran, Shamir, arXiv:1908.00045, compares the
    orderings.

    Returns
    -------
    ndarray, shape (d,)
        e_T in the eigenbasis.

    Examples
    --------
    >>> fixed_order(0.5, [1.0], [[1.0], [-1.0]], [1.0], 1)
    array([0.])
    """
    xi = epoch_displacement(alpha, eigenvalues, deviations)
    x = losses(alpha, eigenvalues)
    start = coordinates("e0", e0, x)
    n = len(np.asarray(deviations))
    epochs = integer_at_least("T", T, 0)
    return np.asarray(power(x, n * epochs) * start + geometric_sum(x, n, epochs) * xi)


def changing_orders(alpha: float, eigenvalues: ArrayLike, deviations: ArrayLike, e0: ArrayLike) -> Array:
    r"""Return the errors at all epoch ends when every epoch has its own given order (Q1, Q7).

    .. math:: e_{t+1} = M^n e_t + \xi_t, \qquad \xi_t \text{ as in } \texttt{epoch\_displacement}

    Assumes a shared Hessian and, in every epoch, an order that visits every example once.

    Provenance: proved here, note ``Q1-epoch-map``. See Lu, Guo, De Sa, arXiv:2205.10733: orders that change
    from epoch to epoch.

    Parameters
    ----------
    deviations : array_like, shape (T, n, d)
        u_k of every epoch in its own order, in the eigenbasis.

    Returns
    -------
    ndarray, shape (T + 1, d)
        e_0, ..., e_T in the eigenbasis.

    Examples
    --------
    >>> changing_orders(0.5, [1.0], [[[1.0], [-1.0]], [[-1.0], [1.0]]], [0.0]).ravel()
    array([ 0.    , -0.25  ,  0.1875])
    """
    x = losses(alpha, eigenvalues)
    orders = stack("deviations", deviations, ("T", "n", "d"))
    shrink = power(x, orders.shape[1])
    errors = [coordinates("e0", e0, x)]
    for u in orders:
        errors.append(shrink * errors[-1] + epoch_displacement(alpha, eigenvalues, u))
    return np.array(errors)


def prefix_weights(alpha: float, eigenvalues: ArrayLike, n: int) -> Array:
    r"""Return the weights with which the prefixes of a fixed order make up its limit (Q9).

    .. math:: e_{\infty,p} = \alpha \sum_{k=1}^{n-1} w_{kp} Z_{kp}, \qquad
              w_{kp} = \frac{\alpha \lambda_p \rho_p^{n-1-k}}{1 - \rho_p^n} \ge 0, \qquad
              \sum_k w_{kp} = \frac{1 - \rho_p^{n-1}}{1 - \rho_p^n} \le 1.

    Hence |e_inf| <= alpha max_k |Z_k| per coordinate; as alpha lambda n tends to 0 all weights tend to 1/n,
    and e_inf to alpha times the MEAN prefix.

    Assumes a shared Hessian and alpha lambda_p <= 1 (for the signs; then rho_p >= 0).

    Provenance: proved here, note ``Q9-abel-identity``. See Lu, Guo, De Sa, arXiv:2205.10733: prefixes as the
    quantity an order should make small.

    Returns
    -------
    ndarray, shape (n - 1, d)
        w for k = 1, ..., n - 1.

    Examples
    --------
    >>> prefix_weights(0.5, [1.0], 3).ravel()
    array([0.28571429, 0.57142857])
    """
    x = _short_losses(alpha, eigenvalues)
    n = integer_at_least("n", n, 2)
    k = np.arange(1.0, n)[:, None]
    return np.asarray(x * power(x, n - 1.0 - k) / complement(x, n))


def changing_orders_bound(
    alpha: float, eigenvalues: ArrayLike, n: int, max_prefix: ArrayLike, e0: ArrayLike, T: int
) -> Array:
    r"""Bound the error after T epochs coordinate by coordinate, whatever the orders (Q10).

    .. math:: |e_{T,p}| \le \rho_p^{nT} |e_{0,p}| + \alpha \max_{t,k} |Z^t_{kp}| \,
              \frac{(1 - \rho_p^{n-1})(1 - \rho_p^{nT})}{1 - \rho_p^n}

    Assumes a shared Hessian and alpha lambda_p <= 1. Attained by a fixed order whose prefixes are constant.

    Provenance: proved here, note ``Q10-changing-orders``. See Lu, Guo, De Sa, arXiv:2205.10733 and Cooper et
    al., arXiv:2302.00845.

    Parameters
    ----------
    max_prefix : array_like, shape (d,)
        max over epochs and k of |Z_kp|, >= 0.

    Returns
    -------
    ndarray, shape (d,)
        Bound on |e_T|.

    Examples
    --------
    >>> changing_orders_bound(0.5, [1.0], 2, [1.0], [0.0], 1)
    array([0.25])
    """
    x = _short_losses(alpha, eigenvalues)
    n = integer_at_least("n", n, 2)
    start = power(x, n * integer_at_least("T", T, 0)) * np.abs(coordinates("e0", e0, x))
    largest = coordinates("max_prefix", nonnegative_array("max_prefix", max_prefix), x)
    return np.asarray(start + alpha * largest * complement(x, n - 1) * geometric_sum(x, n, T))


def mean_prefix_bound(alpha: float, eigenvalues: ArrayLike, prefixes: ArrayLike) -> float:
    r"""Bound the limit of a fixed order by its mean prefix norm (Q9).

    .. math:: \|e_\infty\|_2 \le \frac{e}{e - 1} \, \frac{\alpha}{n} \sum_{k=1}^{n} \|Z_k\|_2
              \qquad \text{if } \alpha \lambda_{max} n \le 1

    Assumes a shared Hessian and a fixed order. The constant is 1.5820.

    Provenance: proved here, note ``Q9-abel-identity``. See Lu, Guo, De Sa, arXiv:2205.10733.

    Parameters
    ----------
    prefixes : array_like, shape (n, d)
        Z_1, ..., Z_n.

    Examples
    --------
    >>> round(mean_prefix_bound(0.1, [1.0], [[1.0], [0.0]]), 4)
    0.0791
    """
    x = losses(alpha, eigenvalues)
    z = rows("prefixes", prefixes, x)
    h = float(x.max()) * len(z)
    if h > 1.0:
        raise ValueError(f"expected alpha * n * max(eigenvalues) <= 1; got {h:.6g}; lower alpha")
    return math.e / (math.e - 1.0) * alpha * float(np.linalg.norm(z, axis=1).mean())


def _short_losses(alpha: float, eigenvalues: ArrayLike) -> Array:
    """Return x_p = alpha lambda_p, refused above 1, where the weights would change sign."""
    x = losses(alpha, eigenvalues)
    if x.max() > 1.0:
        raise ValueError(f"expected alpha * eigenvalues <= 1; got {x.max():.6g}; lower alpha")
    return x
