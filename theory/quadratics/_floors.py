"""Where SGD ends up on quadratics with a shared Hessian: stationary moments, floors (Q5, Q6, Q11, Q13)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, nonnegative, nonnegative_array, one_of, positive
from theory._spectral import Array, complement, coordinates, losses, pair_loss, power, rows
from theory.quadratics._moments import ORDERINGS, epoch_noise_covariance


def stationary_covariance(
    ordering: str, alpha: float, eigenvalues: ArrayLike, n: int, m: int, covariance: ArrayLike
) -> Array:
    r"""Return the limit of E[e_T e_T'] as T grows, for flipflop along even T (Q5, Q6).

    .. math:: \frac{C_{pq}}{1 - r^n} \ \text{(sgd, rr)}, \qquad \frac{C_{pq}}{1 - r^{2n}} \ \text{(flipflop)},
              \qquad \frac{C^{rr}_{pq}}{(1 - \rho_p^n)(1 - \rho_q^n)} \ \text{(so)}

    Assumes what :func:`second_moment` assumes, and alpha lambda_p < 2.

    Provenance: proved here, notes ``Q5-many-epochs`` and ``Q6-shuffle-once``. See Ying, Yuan, Vlaski, Sayed,
    arXiv:1803.07964: the steady state to leading order.

    Parameters
    ----------
    ordering : {"sgd", "rr", "so", "flipflop"}
        Law of the orders.

    Returns
    -------
    ndarray, shape (d, d)
        Stationary second moment at epoch ends, in the eigenbasis.

    Examples
    --------
    With replacement the variance is alpha lambda / (2 - alpha lambda), whatever n.

    >>> stationary_covariance("sgd", 0.5, [1.0], 7, 1, [[3.0]])
    array([[1.]])
    """
    one_of("ordering", ordering, ORDERINGS)
    x = losses(alpha, eigenvalues)
    if x.max() >= 2.0:
        raise ValueError(
            f"expected alpha * eigenvalues < 2; got {x.max():.6g}; the iteration diverges, lower alpha"
        )
    law = "rr" if ordering == "so" else ordering
    noise = epoch_noise_covariance(law, alpha, eigenvalues, n, m, covariance)
    if ordering == "so":
        shrink = complement(x, n)
        return np.asarray(noise / np.outer(shrink, shrink))
    return np.asarray(noise / complement(pair_loss(x), 2 * n if ordering == "flipflop" else n))


def small_step_floor(
    ordering: str, alpha: float, eigenvalue: float, variance: float, n: int, m: int
) -> float:
    r"""Return the leading term of the stationary E e^2, one coordinate, as h = alpha lambda n vanishes (Q11).

    .. math::
        \text{sgd} &: \frac{\alpha \sigma_g^2}{2 \lambda m}, \qquad
        \text{rr} : \frac{\alpha^3 \lambda \sigma_g^2 \, n(n+1)}{24 m}, \qquad
        \text{so} : \frac{\alpha^2 \sigma_g^2 (n+1)}{12 m}, \\
        \text{flipflop} &: \frac{\alpha^5 \lambda^3 \sigma_g^2 \, n(n+1)(4n^2-1)}{180 m}.

    At alpha of order 1 / (lambda n T) these are, per epoch count T, of order 1/(nT), 1/(nT^3), 1/(nT^2) and
    1/(nT^5).

    Assumes a shared Hessian; "flipflop" is observed after complete pairs of epochs.

    Provenance: proved here, note ``Q11-small-step-floors``. Safran, Shamir, arXiv:1908.00045 and Rajput et
    al., arXiv:2102.09718: the same orders in n and T.

    Parameters
    ----------
    ordering : {"sgd", "rr", "so", "flipflop"}
        Law of the orders.
    variance : float
        sigma_g^2 = lambda^2 Sig: within-worker variance of the coordinate's GRADIENTS at x_star.

    Examples
    --------
    >>> round(small_step_floor("sgd", 0.5, 2.0, 8.0, 10, 4), 12)
    0.25
    """
    one_of("ordering", ordering, ORDERINGS)
    a, lam = positive("alpha", alpha), positive("eigenvalue", eigenvalue)
    n = integer_at_least("n", n, 1 if ordering == "sgd" else 2)
    noise = nonnegative("variance", variance) / integer_at_least("m", m, 1)
    if ordering == "sgd":
        return a * noise / (2.0 * lam)
    if ordering == "rr":
        return a**3 * lam * noise * n * (n + 1.0) / 24.0
    if ordering == "so":
        return a**2 * noise * (n + 1.0) / 12.0
    return a**5 * lam**3 * noise * n * (n + 1.0) * (4.0 * n**2 - 1.0) / 180.0


def sorted_floor(alpha: float, variance: float, n: int, spread: str = "linear") -> float:
    r"""Return the leading term of the stationary e^2 of passes over sorted data, one coordinate (Q11).

    .. math:: \text{two-point} : \frac{\alpha^2 \sigma_g^2 n^2}{16} \ (n \text{ even}), \qquad
              \text{linear} : \frac{\alpha^2 \sigma_g^2 (n^2-1)}{12}

    "two-point" is half the gradients +sigma_g and half -sigma_g; "linear", equally spaced gradients, is the
    worst case over ALL data of variance sigma_g^2. Neither depends on m when all workers are sorted alike.

    Assumes a shared Hessian, and every worker in the same sorted order.

    Provenance: proved here, note ``Q11-small-step-floors``. Safran, Shamir, arXiv:1908.00045: order 1/T^2 for
    such passes.

    Parameters
    ----------
    variance : float
        sigma_g^2, variance of the coordinate's gradients at x_star.
    spread : {"linear", "two-point"}
        Shape of the data.

    Examples
    --------
    >>> sorted_floor(0.5, 1.0, 4, "two-point")
    0.25
    """
    one_of("spread", spread, ("linear", "two-point"))
    scale = positive("alpha", alpha) ** 2 * nonnegative("variance", variance)
    n = integer_at_least("n", n, 2)
    if spread == "linear":
        return scale * (n**2 - 1.0) / 12.0
    if n % 2:
        raise ValueError(f"expected an even n for two-point data; got {n}; add or drop an example")
    return scale * n**2 / 16.0


def filtered_errors(
    alpha: float, eigenvalues: ArrayLike, n: int, mean_prefixes: ArrayLike, e0: ArrayLike
) -> Array:
    r"""Predict the errors at epoch ends from the mean prefix of every epoch alone (Q13).

    .. math:: e_{t+1} \approx \rho^n e_t + (1 - \rho^n) \, \alpha \bar Z_t, \qquad
              \bar Z_t = \frac1n \sum_{k=1}^{n} Z^t_k

    The exact weights of Q9 are replaced by 1/n: a relative error of order h = alpha lambda n.

    Assumes a shared Hessian and small h.

    Provenance: proved here, note ``Q13-two-term-floor``. See Lu, Guo, De Sa, arXiv:2205.10733: prefixes as
    the quantity an order should make small.

    Parameters
    ----------
    mean_prefixes : array_like, shape (T, d)
        Zbar_t in the eigenbasis.

    Returns
    -------
    ndarray, shape (T + 1, d)
        Predicted e_0, ..., e_T.

    Examples
    --------
    >>> filtered_errors(0.5, [1.0], 1, [[4.0], [4.0]], [0.0]).ravel()
    array([0. , 1. , 1.5])
    """
    x = losses(alpha, eigenvalues)
    means = rows("mean_prefixes", mean_prefixes, x)
    n = integer_at_least("n", n, 1)
    errors = [coordinates("e0", e0, x)]
    for mean in means:
        errors.append(power(x, n) * errors[-1] + complement(x, n) * alpha * mean)
    return np.array(errors)


def two_term_floor(
    alpha: float, eigenvalues: ArrayLike, n: int, mean: ArrayLike, variance: ArrayLike
) -> Array:
    r"""Return the floor of E e_p^2 for a stationary sequence of orders: a bias and a variance (Q13).

    .. math:: \alpha^2 \bar z_p^2 + \tfrac12 \alpha^3 \lambda_p n \, v_p

    zbar and v are the time mean and the time variance of Zbar_t. RR has zbar = 0 and
    v = sigma_g^2 (n+1) / (12 m), a fixed order v = 0; orders that keep a mean prefix lose to RR once
    alpha lambda n < 24 zbar^2 m / (n sigma_g^2) or so.

    Assumes a shared Hessian, small h, and Zbar_t uncorrelated between epochs.

    Provenance: proved here, note ``Q13-two-term-floor``. See Lu, Guo, De Sa, arXiv:2205.10733.

    Parameters
    ----------
    mean, variance : array_like, shape (d,)
        zbar and v per coordinate; v >= 0.

    Returns
    -------
    ndarray, shape (d,)
        Predicted floor of E e_p^2.

    Examples
    --------
    >>> two_term_floor(0.5, [1.0], 4, [1.0], [2.0])
    array([0.75])
    """
    x = losses(alpha, eigenvalues)
    n = integer_at_least("n", n, 1)
    bias = coordinates("mean", mean, x)
    spread = coordinates("variance", nonnegative_array("variance", variance), x)
    return np.asarray(alpha**2 * bias**2 + 0.5 * alpha**2 * x * n * spread)
