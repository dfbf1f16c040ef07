"""Uniformly random orders: exact moments of the prefix sums and their limits (R1, R2, R3, R5, R6).

S_k = sum_i sum_{l<=k} z_{i,pi_i(l)} sums the first k vectors of every worker's order, NOT divided by m; the
vectors have global sum 0. Lengths run over k = 1, ..., n. Tail bounds (R4, R4', R7) live in
:mod:`theory.random_orders` and are offered here too.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import kolmogorov

from theory._checks import (
    finite_array,
    integer_at_least,
    nonnegative,
    nonnegative_array,
    one_of,
    symmetric_psd,
)

BRIDGE_MAXIMUM_MEAN = math.sqrt(math.pi / 2.0) * math.log(2.0)
"""Limit of E max_k |S_k| / (sigma sqrt(n)) for d = m = 1 (R5): sqrt(pi/2) log 2 = 0.8687."""

BRIDGE_MAXIMUM_SECOND_MOMENT = math.pi**2 / 12.0
"""Limit of E max_k S_k^2 / (sigma^2 n) for d = 1 (R5): pi^2/12 = 0.8225."""

BRIDGE_AREA_MEAN = math.sqrt(2.0 / math.pi) * math.pi / 8.0
"""Limit of sum_k E|S_k| / (sigma n^{3/2}) for d = m = 1 (R5): sqrt(2/pi) pi/8 = 0.31333."""


def prefix_second_moment(n: int, m: int, variance: float) -> NDArray[np.float64]:
    """Return E||S_k||_2^2 for independent random orders on m workers (R1 for m = 1, R2 a).

    ::

        E||S_k||_2^2 = m sigma^2 k (n-k) / (n-1)

    Assumes independent uniformly random orders, one per worker; sigma^2 is the mean WITHIN-worker variance
    (1/(mn)) sum_{i,j} ||z_ij - zbar_i||_2^2. Worker means cancel as the global sum is 0.

    Provenance: derived, notes ``R1-random-order`` and ``R2-random-orders-on-workers``.

    Parameters
    ----------
    n : int
        Examples per worker, at least 2.
    m : int
        Workers, at least 1.
    variance : float
        sigma^2.

    Returns
    -------
    ndarray, shape (n,)
        The moments for k = 1, ..., n; the last is 0.

    Raises
    ------
    ValueError
        If n < 2, m < 1 or the variance is negative.

    References
    ----------
    Mishchenko, Khaled, Richtarik, "Random Reshuffling", arXiv:2006.05988 (the same variance for m = 1).

    Examples
    --------
    >>> prefix_second_moment(4, 1, 1.0)
    array([1.        , 1.33333333, 1.        , 0.        ])
    """
    k, examples = _lengths(n)
    workers, sigma2 = integer_at_least("m", m, 1), nonnegative("variance", variance)
    return workers * sigma2 * k * (examples - k) / (examples - 1)


def _lengths(n: int) -> tuple[NDArray[np.float64], int]:
    """Return k = 1, ..., n as floats and the checked n."""
    examples = integer_at_least("n", n, 2)
    return np.arange(1.0, examples + 1.0), examples


def prefix_covariance(n: int, m: int, covariance: ArrayLike, k: int, length: int) -> NDArray[np.float64]:
    """Return the covariance of two prefix sums of random orders (R1, R2 a).

    ::

        Cov(S_k, S_l) = m Sigma k (n-l) / (n-1),  k <= l

    Assumes independent uniformly random orders; Sigma is the mean within-worker covariance
    (1/(mn)) sum_{i,j} (z_ij - zbar_i)(z_ij - zbar_i)'.

    Provenance: derived, notes ``R1-random-order`` and ``R2-random-orders-on-workers``.

    Parameters
    ----------
    n : int
        Examples per worker, at least 2.
    m : int
        Workers, at least 1.
    covariance : array_like, shape (d, d)
        Sigma.
    k, length : int
        The two lengths, in 0, ..., n, in any order.

    Returns
    -------
    ndarray, shape (d, d)
        The cross-covariance E S_k S_l'.

    Raises
    ------
    ValueError
        If n < 2, m < 1, a length is outside 0, ..., n or Sigma is not symmetric positive semi-definite.

    References
    ----------
    Mishchenko, Khaled, Richtarik, arXiv:2006.05988 (k = l, m = 1).

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
    """Return the mean over an epoch of E||S_k||_2^2 (R1, R2 a).

    ::

        (1/n) sum_{k=1}^{n} E||S_k||_2^2 = m sigma^2 (n+1) / 6

    The same mean over k = 0, ..., n-1, since S_0 = S_n = 0.

    Assumes independent uniformly random orders, sigma^2 as in :func:`prefix_second_moment`.

    Provenance: derived, note ``R1-random-order``.

    Parameters
    ----------
    n : int
        Examples per worker, at least 2.
    m : int
        Workers, at least 1.
    variance : float
        sigma^2.

    Returns
    -------
    float
        The mean; divide by m^2 for the mean-square herding error V of averaged gradients.

    Raises
    ------
    ValueError
        If n < 2, m < 1 or the variance is negative.

    References
    ----------
    Mishchenko, Khaled, Richtarik, arXiv:2006.05988 (an upper bound of the same order).

    Examples
    --------
    >>> mean_square_prefix(5, 1, 1.0)
    1.0
    """
    examples, workers = integer_at_least("n", n, 2), integer_at_least("m", m, 1)
    return workers * nonnegative("variance", variance) * (examples + 1) / 6.0


def mean_prefix_second_moment(n: int, m: int, variance: float) -> float:
    """Return the second moment of the mean prefix of an epoch (R1, R2 a).

    ::

        E || (1/n) sum_{k=1}^{n} S_k ||_2^2 = m sigma^2 (n+1) / 12

    Assumes independent uniformly random orders, sigma^2 as in :func:`prefix_second_moment`.

    Provenance: derived, note ``R1-random-order``.

    Parameters
    ----------
    n : int
        Examples per worker, at least 2.
    m : int
        Workers, at least 1.
    variance : float
        sigma^2.

    Returns
    -------
    float
        The second moment, half of :func:`mean_square_prefix`.

    Raises
    ------
    ValueError
        If n < 2, m < 1 or the variance is negative.

    References
    ----------
    Mishchenko, Khaled, Richtarik, arXiv:2006.05988 (the prefixes).

    Examples
    --------
    >>> mean_prefix_second_moment(5, 1, 1.0)
    0.5
    """
    return mean_square_prefix(n, m, variance) / 2.0


def same_order_second_moment(z: ArrayLike) -> NDArray[np.float64]:
    """Return E||S_k||_2^2 when all workers share ONE random order (R2 b).

    ::

        E||S_k||_2^2 = k (n-k) / (n-1) (1/n) sum_j || sum_i z_ij ||_2^2

    Assumes global sum 0 and the same uniformly random order on every worker, as equal seeds produce. Equal
    data on the workers give m times the value of independent orders: the speedup in m is lost.

    Provenance: derived, note ``R2-random-orders-on-workers``.

    Parameters
    ----------
    z : array_like, shape (m, n, d)
        The vectors.

    Returns
    -------
    ndarray, shape (n,)
        The moments for k = 1, ..., n.

    Raises
    ------
    ValueError
        If the shape is not (m, n, d) with n >= 2, or the global sum is not 0.

    References
    ----------
    Yun, Rajput, Sra, "Minibatch vs Local SGD with Shuffling", arXiv:2110.10342 (shared orders).

    Examples
    --------
    >>> same_order_second_moment([[[1.0], [-1.0]], [[1.0], [-1.0]]])  # independent orders: 2
    array([4., 0.])
    """
    vectors = finite_array("z", z, 3, "(m, n, d)")
    k, n = _lengths(vectors.shape[1])
    joint = vectors.sum(axis=0)
    if np.abs(joint.sum(axis=0)).max() > 1e-9 * vectors.size * (np.abs(vectors).max() or 1.0):
        raise ValueError(f"expected global sum 0; got {joint.sum(axis=0)}; subtract the mean of all vectors")
    return k * (n - k) / (n - 1) * float((joint**2).sum() / n)


def pooled_second_moment(n: int, m: int, variance: float) -> NDArray[np.float64]:
    """Return E||S_k||_2^2 for one random order of all mn examples, m per step (R2 c).

    ::

        E||S_k||_2^2 = sigma_tot^2 (m k) m (n-k) / (mn-1)

    Assumes minibatch random reshuffling: one uniformly random order of the pool, cut into n batches of m;
    sigma_tot^2 = (1/(mn)) sum_{i,j} ||z_ij||_2^2 around the global mean.

    Provenance: derived, note ``R2-random-orders-on-workers``.

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

    Raises
    ------
    ValueError
        If n < 2, m < 1 or the variance is negative.

    References
    ----------
    Yun, Rajput, Sra, arXiv:2110.10342 (minibatch RR).

    Examples
    --------
    >>> pooled_second_moment(2, 2, 3.0)
    array([4., 0.])
    """
    k, examples = _lengths(n)
    workers, sigma2 = integer_at_least("m", m, 1), nonnegative("variance", variance)
    return sigma2 * workers**2 * k * (examples - k) / (workers * examples - 1)


def any_order_bound(n: int, m: int, variance: float) -> NDArray[np.float64]:
    """Bound ||S_k||_2 for EVERY choice of orders (R2 d).

    ::

        ||S_k||_2 <= m sigma sqrt(k (n-k)) <= m n sigma / 2

    Assumes global sum 0; sigma^2 is the mean within-worker variance. Attained at k = n/2 by equal workers
    holding +-1 in sorted order.

    Provenance: derived, note ``R2-random-orders-on-workers``.

    Parameters
    ----------
    n : int
        Examples per worker, at least 2.
    m : int
        Workers, at least 1.
    variance : float
        sigma^2.

    Returns
    -------
    ndarray, shape (n,)
        The bounds for k = 1, ..., n.

    Raises
    ------
    ValueError
        If n < 2, m < 1 or the variance is negative.

    References
    ----------
    Cauchy-Schwarz; arXiv:2302.00845 (the quantity).

    Examples
    --------
    >>> any_order_bound(4, 1, 1.0)[1]
    np.float64(2.0)
    """
    k, examples = _lengths(n)
    sigma = math.sqrt(nonnegative("variance", variance))
    return integer_at_least("m", m, 1) * sigma * np.sqrt(k * (examples - k))


def maximum_second_moment_bounds(n: int, m: int, variance: float) -> tuple[float, float]:
    """Bound E max_k ||S_k||_2^2 from both sides (R3).

    ::

        m sigma^2 floor(n/2) ceil(n/2) / (n-1) <= E max_k ||S_k||_2^2 <= 8 m sigma^2 n^2 / (n-1)

    Assumes independent uniformly random orders, sigma^2 as in :func:`prefix_second_moment`. For long lists
    the truth lies between m n sigma^2 / 4, approached as d grows, and m n sigma^2 pi^2 / 12, attained at
    d = 1 (note ``R5-brownian-bridge``): the upper bound is 10 to 32 times too large.

    Provenance: derived, note ``R3-expected-maximum``.

    Parameters
    ----------
    n : int
        Examples per worker, at least 2.
    m : int
        Workers, at least 1.
    variance : float
        sigma^2.

    Returns
    -------
    lower, upper : float
        The two bounds.

    Raises
    ------
    ValueError
        If n < 2, m < 1 or the variance is negative.

    References
    ----------
    Doob's L2 inequality; see the note.

    Examples
    --------
    >>> maximum_second_moment_bounds(2, 1, 1.0)  # the true value is 1
    (1.0, 32.0)
    """
    lower = float(prefix_second_moment(n, m, variance).max())
    return lower, 8.0 * m * variance * n * n / (n - 1)


def bridge_maximum_cdf(x: float) -> float:
    """Return the limit law of the largest prefix of a random order (R5).

    ::

        P( max_k |S_k| <= x sigma sqrt(n) ) -> K(x) = 1 - 2 sum_{k>=1} (-1)^{k-1} exp(-2 k^2 x^2)

    Assumes d = m = 1, n -> infinity and max_j |z_j| / (sigma sqrt(n)) -> 0. The mean of K is
    ``BRIDGE_MAXIMUM_MEAN``.

    Provenance: derived from the Brownian bridge, note ``R5-brownian-bridge``.

    Parameters
    ----------
    x : float
        Size in units of sigma sqrt(n), at least 0.

    Returns
    -------
    float
        The probability K(x), the law of Kolmogorov.

    Raises
    ------
    ValueError
        If x is negative or not finite.

    References
    ----------
    Kolmogorov, 1933; no arXiv version.

    Examples
    --------
    >>> round(bridge_maximum_cdf(1.3581), 4)
    0.95
    """
    return 1.0 - float(kolmogorov(nonnegative("x", x)))


def workers_herding(single: ArrayLike, relation: str) -> float:
    """Return the size of S_k over m workers from the sizes on single workers (R6).

    ::

        identical:    ||S_k|| = sum_i ||S_k^i||                  (slope 1 in m)
        independent:  ( E||S_k||_2^2 )^{1/2} = ( sum_i E||S_k^i||_2^2 )^{1/2}   (slope 1/2 in m)

    Assumes either equal data and equal orders on all workers (any norm; exact, and the worst case of
    independent balancing), or independent workers with prefixes of mean 0 (``single`` is then the root mean
    square in the Euclidean norm). Balancing the workers together removes the growth: slope 0, by V8 and H4.

    Provenance: derived, note ``R6-growth-in-workers``.

    Parameters
    ----------
    single : array_like, shape (m,)
        ||S_k^i||, or its root mean square.
    relation : {"identical", "independent"}
        How the workers relate.

    Returns
    -------
    float
        ||S_k||, or its root mean square, not divided by m.

    Raises
    ------
    ValueError
        If an entry is negative, the relation is unknown, or identical workers differ.

    References
    ----------
    Cooper et al., arXiv:2302.00845 (ID-GraB against CD-GraB).

    Examples
    --------
    >>> workers_herding([3.0, 3.0, 3.0, 3.0], "identical"), workers_herding([3.0, 4.0], "independent")
    (12.0, 5.0)
    """
    sizes = nonnegative_array("single", single)
    if one_of("relation", relation, ("identical", "independent")) == "independent":
        return float(np.sqrt((sizes**2).sum()))
    if np.ptp(sizes) > 1e-9 * sizes.max():
        raise ValueError(f"expected equal sizes for identical workers; got {sizes}; check data and orders")
    return float(sizes.sum())
