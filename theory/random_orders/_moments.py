"""Uniformly random orders: exact moments of the prefix sums (R1, R2)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import (
    finite_array,
    integer_at_least,
    nonnegative,
    symmetric_psd,
)


def prefix_second_moment(n: int, m: int, variance: float) -> NDArray[np.float64]:
    r"""Return E||S_k||_2^2 for independent random orders on m workers (R1 for m = 1, R2 a).

    .. math:: E\|S_k\|_2^2 = m \sigma^2 \frac{k (n-k)}{n-1}

    Assumes independent uniformly random orders, one per worker.

    Provenance: proved here, notes ``R1-random-order`` and ``R2-random-orders-on-workers``. See Mishchenko,
    Khaled, Richtarik, arXiv:2006.05988 (the same variance for m = 1).

    Returns
    -------
    ndarray, shape (n,)
        The moments for k = 1, ..., n; the last is 0.

    Examples
    --------
    >>> prefix_second_moment(4, 1, 1.0)
    array([1.        , 1.33333333, 1.        , 0.        ])
    """
    k, examples = lengths(n)
    workers, sigma2 = integer_at_least("m", m, 1), nonnegative("variance", variance)
    return workers * sigma2 * k * (examples - k) / (examples - 1)


def lengths(n: int) -> tuple[NDArray[np.float64], int]:
    """Return k = 1, ..., n as floats and the checked n."""
    examples = integer_at_least("n", n, 2)
    return np.arange(1.0, examples + 1.0), examples


def prefix_covariance(n: int, m: int, covariance: ArrayLike, k: int, length: int) -> NDArray[np.float64]:
    r"""Return the covariance of two prefix sums of random orders (R1, R2 a).

    .. math:: \mathrm{Cov}(S_k, S_l) = m \Sigma \frac{k (n-l)}{n-1}, \qquad k \le l

    Assumes independent uniformly random orders; Sigma is the mean within-worker covariance
    (1/(mn)) sum_{i,j} (z_ij - zbar_i)(z_ij - zbar_i)'.

    Provenance: proved here, notes ``R1-random-order`` and ``R2-random-orders-on-workers``. See Mishchenko,
    Khaled, Richtarik, arXiv:2006.05988 (k = l, m = 1).

    Parameters
    ----------
    covariance : array_like, shape (d, d)
        Sigma.
    k, length : int
        The two lengths, in 0, ..., n, in any order.

    Returns
    -------
    ndarray, shape (d, d)
        The cross-covariance E S_k S_l'.

    Examples
    --------
    >>> prefix_covariance(3, 1, [[2.0]], 1, 2)
    array([[1.]])
    """
    examples, workers = integer_at_least("n", n, 2), integer_at_least("m", m, 1)
    first, second = sorted((integer_at_least("k", k, 0), integer_at_least("length", length, 0)))
    if second > examples:
        raise ValueError(
            f"expected lengths of at most n = {examples}; got {second}; pass prefixes of one epoch"
        )
    return workers * first * (examples - second) / (examples - 1) * symmetric_psd("covariance", covariance)


def mean_square_prefix(n: int, m: int, variance: float) -> float:
    r"""Return the mean over an epoch of E||S_k||_2^2 (R1, R2 a).

    .. math:: \frac1n \sum_{k=1}^{n} E\|S_k\|_2^2 = \frac{m \sigma^2 (n+1)}{6}

    The same mean over k = 0, ..., n-1, since S_0 = S_n = 0. Divided by m^2 it is the mean-square herding
    error V of averaged gradients.

    Assumes independent uniformly random orders.

    Provenance: proved here, note ``R1-random-order``. See Mishchenko, Khaled, Richtarik, arXiv:2006.05988 (an
    upper bound of the same order).

    Examples
    --------
    >>> mean_square_prefix(5, 1, 1.0)
    1.0
    """
    examples, workers = integer_at_least("n", n, 2), integer_at_least("m", m, 1)
    return workers * nonnegative("variance", variance) * (examples + 1) / 6.0


def mean_prefix_second_moment(n: int, m: int, variance: float) -> float:
    r"""Return the second moment of the mean prefix of an epoch (R1, R2 a).

    .. math:: E \Bigl\| \frac1n \sum_{k=1}^{n} S_k \Bigr\|_2^2 = \frac{m \sigma^2 (n+1)}{12}

    Assumes independent uniformly random orders.

    Provenance: proved here, note ``R1-random-order``. See Mishchenko, Khaled, Richtarik, arXiv:2006.05988
    (the prefixes).

    Examples
    --------
    >>> mean_prefix_second_moment(5, 1, 1.0)
    0.5
    """
    return mean_square_prefix(n, m, variance) / 2.0


def same_order_second_moment(z: ArrayLike) -> NDArray[np.float64]:
    r"""Return E||S_k||_2^2 when all workers share ONE random order (R2 b).

    .. math:: E\|S_k\|_2^2 = \frac{k (n-k)}{n-1} \, \frac1n \sum_j \Bigl\| \sum_i z_{ij} \Bigr\|_2^2

    Assumes global sum 0 and the same uniformly random order on every worker, as equal seeds produce. Equal
    data on the workers give m times the value of independent orders: the speedup in m is lost.

    Provenance: proved here, note ``R2-random-orders-on-workers``. Yun, Rajput, Sra, arXiv:2110.10342 (shared
    orders).

    Parameters
    ----------
    z : array_like, shape (m, n, d)
        The vectors.

    Returns
    -------
    ndarray, shape (n,)
        The moments for k = 1, ..., n.

    Examples
    --------
    >>> same_order_second_moment([[[1.0], [-1.0]], [[1.0], [-1.0]]])  # independent orders: 2
    array([4., 0.])
    """
    vectors = finite_array("z", z, 3, "(m, n, d)")
    k, n = lengths(vectors.shape[1])
    joint = vectors.sum(axis=0)
    if np.abs(joint.sum(axis=0)).max() > 1e-9 * vectors.size * (np.abs(vectors).max() or 1.0):
        raise ValueError(f"expected global sum 0; got {joint.sum(axis=0)}; subtract the mean of all vectors")
    return k * (n - k) / (n - 1) * float((joint**2).sum() / n)


def pooled_second_moment(n: int, m: int, variance: float) -> NDArray[np.float64]:
    r"""Return E||S_k||_2^2 for one random order of all mn examples, m per step (R2 c).

    .. math:: E\|S_k\|_2^2 = \sigma_{tot}^2 \frac{m k \cdot m (n-k)}{mn-1}

    Assumes minibatch random reshuffling: one uniformly random order of the pool, cut into n batches of m;
    sigma_tot^2 = (1/(mn)) sum_{i,j} ||z_ij||_2^2 around the global mean.

    Provenance: proved here, note ``R2-random-orders-on-workers``. Yun, Rajput, Sra, arXiv:2110.10342
    (minibatch RR).

    Parameters
    ----------
    n : int
        Steps per epoch, at least 2.
    m : int
        Examples per step, at least 1.
    variance : float
        sigma_tot^2.

    Returns
    -------
    ndarray, shape (n,)
        The moments for k = 1, ..., n.

    Examples
    --------
    >>> pooled_second_moment(2, 2, 3.0)
    array([4., 0.])
    """
    k, examples = lengths(n)
    workers, sigma2 = integer_at_least("m", m, 1), nonnegative("variance", variance)
    return sigma2 * workers**2 * k * (examples - k) / (workers * examples - 1)


def any_order_bound(n: int, m: int, variance: float) -> NDArray[np.float64]:
    r"""Bound ||S_k||_2 for EVERY choice of orders (R2 d).

    .. math:: \|S_k\|_2 \le m \sigma \sqrt{k (n-k)} \le m n \sigma / 2

    Assumes global sum 0. Attained at k = n/2 by equal workers
    holding +-1 in sorted order.

    Provenance: proved here, note ``R2-random-orders-on-workers``. Cauchy-Schwarz; arXiv:2302.00845 (the
    quantity).

    Returns
    -------
    ndarray, shape (n,)
        The bounds for k = 1, ..., n.

    Examples
    --------
    >>> any_order_bound(4, 1, 1.0)[1]
    np.float64(2.0)
    """
    k, examples = lengths(n)
    sigma = math.sqrt(nonnegative("variance", variance))
    return integer_at_least("m", m, 1) * sigma * np.sqrt(k * (examples - k))
