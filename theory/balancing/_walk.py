"""The self-balancing walk: random signs that remember, with explicit constants (V5 to V8).

For a threshold a > 0 and p = <w, v>: if |p| > a the walk falls back to w <- w - (p/a) v; otherwise
w <- w + v with probability (1 - p/a)/2 and w <- w - v with the rest. Until the first fallback ("clip") w is a
genuine signed sum of the vectors seen. The vectors must be fixed in advance of the coins (oblivious). Lengths
``norms`` are b_i = ||v_i||_2; ``thresholds`` are a_i > 0, in units of their squares.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import (
    NORMS,
    integer_at_least,
    nonnegative_array,
    one_of,
    positive,
    positive_array,
    probability,
)


def self_balancing_variances(norms: ArrayLike, thresholds: ArrayLike) -> NDArray[np.float64]:
    r"""Return the sub-Gaussian variance of the walk after every vector (V5).

    .. math::
        E e^{\langle w_i, u \rangle} \le e^{\sigma_i^2 \|u\|_2^2 / 2} \ \text{for all } u, \qquad
        \sigma_i^2 = \sigma_{i-1}^2 + b_i^2 \Bigl( 1 + \sigma_{i-1}^2 \frac{b_i^2 - 2 a_i}{a_i^2} \Bigr)_+,
        \quad \sigma_0 = 0

    Assumes vectors and thresholds fixed before the coins are tossed, b_i = ||v_i||_2.

    Provenance: proved here, note ``V5-self-balancing-walk``; the recursion is the one ``goodpoints``
    computes. See Dwivedi, Mackey, arXiv:2105.05842 (the self-balancing Hilbert walk).

    Returns
    -------
    ndarray, shape (k,)
        sigma_1^2, ..., sigma_k^2.

    Examples
    --------
    >>> self_balancing_variances([1.0, 1.0], [2.0, 2.0])
    array([1.  , 1.25])
    """
    b, a = nonnegative_array("norms", norms), positive_array("thresholds", thresholds)
    if a.shape != b.shape:
        raise ValueError(f"expected thresholds with shape {b.shape}; got {a.shape}; pass one per vector")
    variances = np.empty_like(b)
    variance = 0.0
    for i in range(b.size):
        variance = _next_variance(variance, float(b[i]), float(a[i]))
        variances[i] = variance
    return variances


def _next_variance(variance: float, b: float, a: float) -> float:
    """One step of the recursion of V5."""
    return variance + b * b * max(0.0, 1.0 + variance * (b * b - 2.0 * a) / (a * a))


def self_balancing_variance_limit(threshold: float, B: float = 1.0) -> float:
    r"""Return the largest sub-Gaussian variance a constant threshold can lead to (V5).

    .. math:: \sigma_i^2 \le \frac{a^2}{2a - B^2} \le a \quad \text{for every } i

    Assumes ||v_i||_2 <= B and a >= B^2. Reached in the limit by vectors of norm exactly B.

    Provenance: proved here, note ``V5-self-balancing-walk``. See Dwivedi, Mackey, arXiv:2105.05842 (the
    walk).

    Examples
    --------
    >>> self_balancing_variance_limit(1.0), self_balancing_variance_limit(4.5)
    (1.0, 2.53125)
    """
    a, bound = positive("threshold", threshold), positive("B", B)
    if a < bound**2:
        raise ValueError(f"expected threshold >= B^2 = {bound**2}; got {a}; raise the threshold")
    return a * a / (2.0 * a - bound**2)


def kernel_halving_thresholds(norms: ArrayLike, delta: float) -> NDArray[np.float64]:
    r"""Return the adaptive thresholds of kernel halving (V5).

    .. math:: a_i = \max\bigl( b_i \sigma_{i-1} \sqrt{2 \log(2/\delta)}, \, b_i^2 \bigr)

    Assumes the variances sigma_i^2 follow the recursion of V5 under these thresholds; then each clip has
    probability at most delta.

    Provenance: proved here, note ``V5-self-balancing-walk``; the rule is the one ``goodpoints`` computes. See
    Dwivedi, Mackey, arXiv:2110.01593 (as implemented in ``goodpoints``).

    Parameters
    ----------
    delta : float
        Clip probability per vector, in (0, 1).

    Returns
    -------
    ndarray, shape (k,)
        a_1, ..., a_k.

    Examples
    --------
    >>> kernel_halving_thresholds([1.0, 1.0], 2 * math.exp(-2)).round(12)
    array([1., 2.])
    """
    b, log_term = positive_array("norms", norms), 2.0 * math.log(2.0 / probability("delta", delta))
    thresholds = np.empty_like(b)
    variance = 0.0
    for i, norm in enumerate(b.tolist()):
        thresholds[i] = max(norm * math.sqrt(variance * log_term), norm * norm)
        variance = _next_variance(variance, norm, float(thresholds[i]))
    return thresholds


def kernel_halving_variance_bound(delta: float, B: float = 1.0) -> float:
    r"""Bound the sub-Gaussian variance under the kernel-halving thresholds (V5).

    .. math:: \sigma_i^2 \le B^2 \frac{(G + 1)^2}{4G}, \qquad G = 2 \log(2/\delta)

    Assumes ||v_i||_2 <= B. Reached in the limit by vectors of norm exactly B.

    Provenance: proved here, note ``V5-self-balancing-walk``. See Dwivedi, Mackey, arXiv:2110.01593 (as
    implemented in ``goodpoints``).

    Examples
    --------
    >>> round(kernel_halving_variance_bound(2 * math.exp(-2)), 12)  # G = 4
    1.5625
    """
    G = 2.0 * math.log(2.0 / probability("delta", delta))
    return positive("B", B) ** 2 * (G + 1.0) ** 2 / (4.0 * G)


def clip_probabilities(norms: ArrayLike, thresholds: ArrayLike) -> NDArray[np.float64]:
    r"""Bound the probability that the walk falls back at each vector (V5).

    .. math::
        P( |\langle w_{i-1}, v_i \rangle| > a_i )
        \le 2 \exp\Bigl( -\frac{a_i^2}{2 \sigma_{i-1}^2 b_i^2} \Bigr)

    Assumes vectors and thresholds fixed in advance; sigma_i^2 from :func:`self_balancing_variances`.

    Provenance: proved here, note ``V5-self-balancing-walk``. See Dwivedi, Mackey, arXiv:2105.05842 (the
    walk).

    Returns
    -------
    ndarray, shape (k,)
        Upper bounds, at most 1; the first is 0.

    Examples
    --------
    >>> clip_probabilities([1.0, 1.0], [2.0, 2.0]).round(6)  # 2 exp(-2)
    array([0.      , 0.270671])
    """
    after = self_balancing_variances(norms, thresholds)
    before = np.concatenate([[0.0], after[:-1]])
    spread = 2.0 * before * np.asarray(norms, dtype=np.float64) ** 2
    bounds = np.zeros_like(after)
    moving = spread > 0.0
    bounds[moving] = 2.0 * np.exp(-(np.asarray(thresholds, dtype=np.float64)[moving] ** 2) / spread[moving])
    return np.minimum(bounds, 1.0)


def self_balancing_threshold(N: int, delta: float, B: float = 1.0) -> float:
    r"""Return the constant threshold behind the prefix bound (V6).

    .. math:: a = B^2 \bigl( \tfrac12 + \log(4N/\delta) \bigr)

    Assumes ||v_k||_2 <= B: inner products, hence thresholds, scale as B^2 while sums scale as B.

    Provenance: proved here, note ``V6-self-balancing-prefixes``. See Alweiss, Liu, Sawhney, arXiv:2006.14009
    (the walk).

    Examples
    --------
    >>> round(self_balancing_threshold(1, 4 * math.exp(-5)), 12)
    5.5
    """
    count, failure = integer_at_least("N", N, 1), probability("delta", delta)
    return positive("B", B) ** 2 * (0.5 + math.log(4.0 * count / failure))


def self_balancing_bound(N: int, d: int, delta: float, norm: str, B: float = 1.0) -> float:
    r"""Bound every signed sum of the self-balancing walk (V6).

    .. math::
        & P\bigl( \text{no clip and } \max_{k \le N} \|w_k\| \le B A \bigr) \ge 1 - \delta,
          \qquad s^2 = a^2 / (2a - 1) \ \text{at } B = 1, \\
        & A_\infty = \sqrt{2 s^2 \log(4Nd/\delta)}, \qquad
          A_2 = s \sqrt{d + 2 \sqrt{dt} + 2t}, \quad t = \log(2N/\delta)

    Assumes vectors with ||v_k||_2 <= B fixed in advance and the threshold of
    :func:`self_balancing_threshold`. The two norms are two separate statements, each at level delta.

    Provenance: proved here, note ``V6-self-balancing-prefixes``. See Alweiss, Liu, Sawhney, arXiv:2006.14009
    (the walk, with a constant about 25 times larger).

    Examples
    --------
    >>> a = self_balancing_threshold(1, 4 * math.exp(-5))
    >>> round(self_balancing_bound(1, 1, 4 * math.exp(-5), "inf") / a, 12)  # d = 1: the threshold itself
    1.0
    """
    count, dimension = integer_at_least("N", N, 1), integer_at_least("d", d, 1)
    s2 = self_balancing_variance_limit(self_balancing_threshold(count, delta))
    if one_of("norm", norm, NORMS) == "inf":
        return positive("B", B) * math.sqrt(2.0 * s2 * math.log(4.0 * count * dimension / delta))
    t = math.log(2.0 * count / delta)
    return positive("B", B) * math.sqrt(s2 * (dimension + 2.0 * math.sqrt(dimension * t) + 2.0 * t))


def alweiss_threshold(N: int, d: int, delta: float) -> float:
    r"""Return the published threshold of the self-balancing walk (V7, an upper bound only).

    .. math:: c = 30 \log(Nd/\delta), \qquad P\bigl( \max_k \|w_k\|_\infty \le c \bigr) \ge 1 - \delta

    Assumes ||v_k||_2 <= 1, vectors fixed in advance. About 25 times V6: valid, never a predicted value.

    Provenance: published, recalled (arXiv:2006.14009, Theorem 1.1 and Algorithm 1). The order was read in
    notes that quote the theorem and the constant in public code of the algorithm; the text of the theorem was
    not, see note ``V7-alweiss-liu-sawhney``.

    Examples
    --------
    >>> alweiss_threshold(1000, 8, 0.05) > 20 * self_balancing_bound(1000, 8, 0.05, "inf")
    True
    """
    count, dimension = integer_at_least("N", N, 1), integer_at_least("d", d, 1)
    return 30.0 * math.log(count * dimension / probability("delta", delta))


def walk_balance_bound(m: int, n: int, d: int, T: int, delta: float, norm: str, B: float = 1.0) -> float:
    r"""Bound the balance of CD-GraB with the self-balancing walk in every epoch (V8).

    .. math::
        P\bigl( \max_{t<T} A_t \le B A(N, d, \delta/T) \bigr) \ge 1 - \delta, \qquad N = m \lfloor n/2 \rfloor

    Here A is the bound of V6 and A_t the largest running pair sum of epoch t. The number of workers enters
    through log m alone.

    Assumes pair differences with ||d_{i,l}||_2 <= B, one walk restarted every epoch over all workers' pairs,
    and gradients of an epoch that do not depend on the coins of that epoch.

    Provenance: proved here, note ``V8-walk-balance``. See Cooper et al., arXiv:2302.00845 (the algorithm).

    Examples
    --------
    >>> one, many = (walk_balance_bound(m, 64, 4, 10, 0.01, "inf") for m in (1, 1024))
    >>> 1.5 < many / one < 1.7  # a thousand times the workers
    True
    """
    workers, examples = integer_at_least("m", m, 1), integer_at_least("n", n, 2)
    level = probability("delta", delta) / integer_at_least("T", T, 1)
    return self_balancing_bound(workers * (examples // 2), d, level, norm, B)
