"""Tail bounds for the prefix sums of uniformly random orders (R4, R4', R7).

S_k(c) is coordinate c of the sum over the workers of their first k vectors, each centred at its worker's
mean; the orders of the workers are independent. Lengths run over k = 1, ..., n.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import integer_at_least, nonnegative, nonnegative_array, positive, probability


def hoeffding_tail(t: float, n: int, m: int, width: float) -> NDArray[np.float64]:
    """Bound the tail of one coordinate of one prefix sum (R4, pointwise).

    ::

        P( |S_k(c)| >= t ) <= 2 exp( -2 t^2 / (m min(k, n-k) (b-a)^2) )

    Assumes independent uniformly random orders; on each worker coordinate c ranges over an interval of length
    b - a (its place may differ between workers).

    Provenance: derived, note ``R4-hoeffding-tails``.

    Parameters
    ----------
    t : float
        Size, > 0.
    n : int
        Examples per worker, at least 2.
    m : int
        Workers, at least 1.
    width : float
        b - a > 0.

    Returns
    -------
    ndarray, shape (n,)
        The bounds for k = 1, ..., n, at most 1; the last is 0 as S_n = 0.

    Raises
    ------
    ValueError
        If n < 2, m < 1, or t or the width is not positive.

    References
    ----------
    Hoeffding, 1963 (without replacement is dominated by with replacement); no arXiv version.

    Examples
    --------
    >>> hoeffding_tail(2.0, 4, 1, 1.0).round(6)
    array([0.000671, 0.036631, 0.000671, 0.      ])
    """
    size, spread = positive("t", t), _effective_terms(n, m) * positive("width", width) ** 2
    return _two_sided(2.0 * size * size, spread)


def _effective_terms(n: int, m: int) -> NDArray[np.float64]:
    """Return m min(k, n - k) for k = 1, ..., n."""
    k = np.arange(1.0, integer_at_least("n", n, 2) + 1.0)
    terms: NDArray[np.float64] = integer_at_least("m", m, 1) * np.minimum(k, n - k)
    return terms


def _two_sided(numerator: float, denominators: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return min(1, 2 exp(-numerator / denominator)), and 0 where the sum is 0 for sure."""
    bounds = np.zeros_like(denominators)
    bounds[:-1] = 2.0 * np.exp(-numerator / denominators[:-1])
    return np.minimum(bounds, 1.0)


def maximum_inf_bound(n: int, m: int, d: int, width: float, delta: float) -> float:
    """Bound the herding error of random orders in the inf-norm (R4).

    ::

        P( max_k ||S_k||_inf > (b-a) sqrt(m n log(4d/delta)) ) <= delta

    Assumes independent uniformly random orders; on each worker every coordinate ranges over an interval of
    length at most b - a. No log n is paid for the maximum.

    Provenance: derived, note ``R4-hoeffding-tails``.

    Parameters
    ----------
    n : int
        Examples per worker, at least 2.
    m : int
        Workers, at least 1.
    d : int
        Dimension, at least 1.
    width : float
        b - a > 0.
    delta : float
        Failure probability in (0, 1).

    Returns
    -------
    float
        The bound, not divided by m.

    Raises
    ------
    ValueError
        If n < 2, m < 1, d < 1, the width is not positive or delta is outside (0, 1).

    References
    ----------
    Hoeffding, 1963, and Doob's maximal inequality; see the note.

    Examples
    --------
    >>> round(maximum_inf_bound(16, 4, 1, 0.5, 4 * math.exp(-4)), 12)
    8.0
    """
    terms = integer_at_least("m", m, 1) * integer_at_least("n", n, 2)
    union = 4.0 * integer_at_least("d", d, 1) / probability("delta", delta)
    return positive("width", width) * math.sqrt(terms * math.log(union))


def hoeffding_serfling_radius(n: int, width: float, delta: float) -> NDArray[np.float64]:
    """Return the Hoeffding-Serfling radius of a prefix mean (R4', m = 1, one-sided).

    ::

        P( S_k / k > (b-a) sqrt(rho_k log(1/delta) / (2k)) ) <= delta,  where
        rho_k = 1 - (k-1)/n (k <= n/2),  (1 - k/n)(1 + 1/k) (k > n/2)

    Assumes one worker, a uniformly random order and a coordinate in an interval of length b - a. Use delta/2
    for a two-sided interval.

    Provenance: seen, Bardenet and Maillard, Corollary 2.5; not derived here, see note
    ``R4-hoeffding-serfling``.

    Parameters
    ----------
    n : int
        Examples, at least 2.
    width : float
        b - a > 0.
    delta : float
        Failure probability in (0, 1), for each k.

    Returns
    -------
    ndarray, shape (n,)
        The radii for k = 1, ..., n; the last is 0.

    Raises
    ------
    ValueError
        If n < 2, the width is not positive or delta is outside (0, 1).

    References
    ----------
    Bardenet, Maillard, "Concentration inequalities for sampling without replacement", arXiv:1309.4029,
    Corollary 2.5.

    Examples
    --------
    >>> hoeffding_serfling_radius(4, 1.0, math.exp(-2)).round(6)
    array([1.      , 0.612372, 0.333333, 0.      ])
    """
    k = np.arange(1.0, integer_at_least("n", n, 2) + 1.0)
    log_term = math.log(1.0 / probability("delta", delta))
    return positive("width", width) * np.sqrt(_serfling_factor(k, n) * log_term / (2.0 * k))


def _serfling_factor(k: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return rho_k, the gain of drawing without replacement."""
    factor: NDArray[np.float64] = np.where(k <= n / 2.0, 1.0 - (k - 1.0) / n, (1.0 - k / n) * (1.0 + 1.0 / k))
    return factor


def bernstein_tail(t: float, n: int, m: int, variance: float, bound: float) -> NDArray[np.float64]:
    """Bound the tail of one coordinate of one prefix sum by its variance (R7).

    ::

        P( |S_k(c)| >= t ) <= 2 exp( -t^2 / (2 (m min(k, n-k) sigma_c^2 + B t / 3)) )

    Assumes independent uniformly random orders, |z_ij(c) - zbar_i(c)| <= B and sigma_c^2 the mean
    within-worker variance of the coordinate.

    Provenance: derived, note ``R7-bernstein-tails``.

    Parameters
    ----------
    t : float
        Size, > 0.
    n : int
        Examples per worker, at least 2.
    m : int
        Workers, at least 1.
    variance : float
        sigma_c^2.
    bound : float
        B > 0.

    Returns
    -------
    ndarray, shape (n,)
        The bounds for k = 1, ..., n, at most 1; the last is 0 as S_n = 0.

    Raises
    ------
    ValueError
        If n < 2, m < 1, the variance is negative, or t or B is not positive.

    References
    ----------
    Hoeffding, 1963, and Bernstein's inequality; see the note.

    Examples
    --------
    >>> (bernstein_tail(20.0, 400, 1, 0.01, 1.0) < hoeffding_tail(20.0, 400, 1, 2.0))[199]
    np.True_
    """
    size = positive("t", t)
    spread = (
        _effective_terms(n, m) * nonnegative("variance", variance) + positive("bound", bound) * size / 3.0
    )
    return _two_sided(size * size, 2.0 * spread)


def empirical_bernstein_radius(
    n: int, deviations: ArrayLike, width: float, delta: float
) -> NDArray[np.float64]:
    """Return the two-sided empirical Bernstein-Serfling radius of a prefix mean (R7, m = 1).

    ::

        P( |S_k| / k > sd_k sqrt(2 rho_k log(10/delta) / k) + kappa (b-a) log(10/delta) / k ) <= delta

    Here kappa = 7/3 + 3/sqrt(2), rho_k is that of :func:`hoeffding_serfling_radius` and sd_k the standard
    deviation of the first k values seen (divisor k).

    Assumes one worker, a uniformly random order and a coordinate in an interval of length b - a.

    Provenance: seen, the constants of Bardenet and Maillard's empirical Bernstein-Serfling radius;
    the divisor k in sd_k is recalled; not derived here, see note ``R7-bernstein-tails``.

    Parameters
    ----------
    n : int
        Examples, at least 2.
    deviations : array_like, shape (n,)
        sd_1, ..., sd_n.
    width : float
        b - a > 0.
    delta : float
        Failure probability in (0, 1), for each k.

    Returns
    -------
    ndarray, shape (n,)
        The radii for k = 1, ..., n.

    Raises
    ------
    ValueError
        If n < 2, the width is not positive, delta is outside (0, 1), or there are not n standard deviations.

    References
    ----------
    Bardenet, Maillard, arXiv:1309.4029.

    Examples
    --------
    >>> empirical_bernstein_radius(2, [0.0, 0.0], 1.0, 10 * math.exp(-5)).round(3)
    array([22.273, 11.137])
    """
    k = np.arange(1.0, integer_at_least("n", n, 2) + 1.0)
    sd, log_term = nonnegative_array("deviations", deviations), math.log(10.0 / probability("delta", delta))
    if sd.shape != k.shape:
        raise ValueError(f"expected deviations with shape {k.shape}; got {sd.shape}; pass one per length")
    kappa = 7.0 / 3.0 + 3.0 / math.sqrt(2.0)
    return (
        sd * np.sqrt(2.0 * _serfling_factor(k, n) * log_term / k)
        + kappa * positive("width", width) * log_term / k
    )
