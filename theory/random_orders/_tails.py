"""Tail bounds for the prefix sums of uniformly random orders (R4, R4', R7)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import integer_at_least, nonnegative, nonnegative_array, positive, probability
from theory.random_orders._moments import lengths


def hoeffding_tail(t: float, n: int, m: int, width: float) -> NDArray[np.float64]:
    r"""Bound the tail of one coordinate of one prefix sum (R4, pointwise).

    .. math:: P( |S_k(c)| \ge t ) \le 2 \exp\Bigl( -\frac{2 t^2}{m \min(k, n-k) (b-a)^2} \Bigr)

    Assumes independent uniformly random orders; on each worker coordinate c ranges over an interval of length
    b - a (its place may differ between workers).

    Provenance: proved here, note ``R4-hoeffding-tails``. See Hoeffding, 1963 (without replacement is
    dominated by with replacement).

    Returns
    -------
    ndarray, shape (n,)
        The bounds for k = 1, ..., n, at most 1; the last is 0 as S_n = 0.

    Examples
    --------
    >>> hoeffding_tail(2.0, 4, 1, 1.0).round(6)
    array([0.000671, 0.036631, 0.000671, 0.      ])
    """
    size, spread = positive("t", t), _effective_terms(n, m) * positive("width", width) ** 2
    return _two_sided(2.0 * size * size, spread)


def _effective_terms(n: int, m: int) -> NDArray[np.float64]:
    """Return m min(k, n - k) for k = 1, ..., n."""
    k, n = lengths(n)
    terms: NDArray[np.float64] = integer_at_least("m", m, 1) * np.minimum(k, n - k)
    return terms


def _two_sided(numerator: float, denominators: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return min(1, 2 exp(-numerator / denominator)), and 0 where the sum is 0 for sure."""
    bounds = np.zeros_like(denominators)
    bounds[:-1] = 2.0 * np.exp(-numerator / denominators[:-1])
    return np.minimum(bounds, 1.0)


def maximum_inf_bound(n: int, m: int, d: int, width: float, delta: float) -> float:
    r"""Bound the herding error of random orders in the inf-norm (R4).

    .. math:: P\Bigl( \max_k \|S_k\|_\infty > (b-a) \sqrt{m n \log(4d/\delta)} \Bigr) \le \delta

    Assumes independent uniformly random orders; on each worker every coordinate ranges over an interval of
    length at most b - a. No log n is paid for the maximum.

    Provenance: proved here, note ``R4-hoeffding-tails``. See Hoeffding, 1963, and Doob's maximal inequality.

    Examples
    --------
    >>> round(maximum_inf_bound(16, 4, 1, 0.5, 4 * math.exp(-4)), 12)
    8.0
    """
    terms = integer_at_least("m", m, 1) * integer_at_least("n", n, 2)
    union = 4.0 * integer_at_least("d", d, 1) / probability("delta", delta)
    return positive("width", width) * math.sqrt(terms * math.log(union))


def hoeffding_serfling_radius(n: int, width: float, delta: float) -> NDArray[np.float64]:
    r"""Return the Hoeffding-Serfling radius of a prefix mean (R4', m = 1, one-sided).

    .. math::
        P\Bigl( \frac{S_k}{k} > (b-a) \sqrt{\frac{\rho_k \log(1/\delta)}{2k}} \Bigr) \le \delta, \qquad
        \rho_k = 1 - \frac{k-1}{n} \ \Bigl(k \le \frac n2\Bigr), \quad
        \Bigl(1 - \frac kn\Bigr)\Bigl(1 + \frac1k\Bigr) \ \Bigl(k > \frac n2\Bigr)

    Assumes one worker, a uniformly random order and a coordinate in an interval of length b - a. Use delta/2
    for a two-sided interval.

    Provenance: published, read (arXiv:1309.4029, Corollary 2.5), see note ``R4-hoeffding-serfling``.
    Bardenet, Maillard, 2015.

    Returns
    -------
    ndarray, shape (n,)
        The radii for k = 1, ..., n; the last is 0.

    Examples
    --------
    >>> hoeffding_serfling_radius(4, 1.0, math.exp(-2)).round(6)
    array([1.      , 0.612372, 0.333333, 0.      ])
    """
    k, n = lengths(n)
    log_term = math.log(1.0 / probability("delta", delta))
    return positive("width", width) * np.sqrt(_serfling_factor(k, n) * log_term / (2.0 * k))


def _serfling_factor(k: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return rho_k, the gain of drawing without replacement."""
    factor: NDArray[np.float64] = np.where(k <= n / 2.0, 1.0 - (k - 1.0) / n, (1.0 - k / n) * (1.0 + 1.0 / k))
    return factor


def bernstein_tail(t: float, n: int, m: int, variance: float, bound: float) -> NDArray[np.float64]:
    r"""Bound the tail of one coordinate of one prefix sum by its variance (R7).

    .. math::
        P( |S_k(c)| \ge t ) \le 2 \exp\Bigl( -\frac{t^2}{2 (m \min(k, n-k) \sigma_c^2 + B t / 3)} \Bigr)

    Assumes independent uniformly random orders, |z_ij(c) - zbar_i(c)| <= B and sigma_c^2 the mean
    within-worker variance of the coordinate.

    Provenance: proved here, note ``R7-bernstein-tails``. See Hoeffding, 1963, and Bernstein's inequality.

    Parameters
    ----------
    variance : float
        sigma_c^2.
    bound : float
        B > 0.

    Returns
    -------
    ndarray, shape (n,)
        The bounds for k = 1, ..., n, at most 1; the last is 0 as S_n = 0.

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
    r"""Return the two-sided empirical Bernstein-Serfling radius of a prefix mean (R7, m = 1).

    .. math::
        P\Bigl( \frac{|S_k|}{k} > sd_k \sqrt{\frac{2 \rho_k \log(10/\delta)}{k}}
                + \kappa (b-a) \frac{\log(10/\delta)}{k} \Bigr) \le \delta, \qquad
        \kappa = \frac73 + \frac{3}{\sqrt2}

    rho_k is that of :func:`hoeffding_serfling_radius` and sd_k the standard deviation of the first k values
    seen (divisor k).

    Assumes one worker, a uniformly random order and a coordinate in an interval of length b - a.

    Provenance: published, recalled (arXiv:1309.4029, the empirical Bernstein-Serfling radius: its constants
    were read, that sd_k divides by k is recalled), see note ``R7-bernstein-tails``.

    Parameters
    ----------
    deviations : array_like, shape (n,)
        sd_1, ..., sd_n.

    Returns
    -------
    ndarray, shape (n,)
        The radii for k = 1, ..., n.

    Examples
    --------
    >>> empirical_bernstein_radius(2, [0.0, 0.0], 1.0, 10 * math.exp(-5)).round(3)
    array([22.273, 11.137])
    """
    k, n = lengths(n)
    sd, log_term = nonnegative_array("deviations", deviations), math.log(10.0 / probability("delta", delta))
    if sd.shape != k.shape:
        raise ValueError(f"expected deviations with shape {k.shape}; got {sd.shape}; pass one per length")
    kappa = 7.0 / 3.0 + 3.0 / math.sqrt(2.0)
    return (
        sd * np.sqrt(2.0 * _serfling_factor(k, n) * log_term / k)
        + kappa * positive("width", width) * log_term / k
    )
