"""The greedy sign rule: what it guarantees, where it fails, and how it does on random data (V1 to V3).

eps_k = +1 if <r_{k-1}, z_k> <= 0 else -1, and r_k = r_{k-1} + eps_k z_k: the sign that makes the next signed
sum no longer than the other one would. GraB and CD-GraB balance with this rule.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from theory._checks import integer_at_least, nonnegative, nonnegative_array, one_of, positive, vector

LAWS = ("sphere", "gaussian")
"""Isotropic laws with a closed form in V3: uniform on the unit sphere, and N(0, I_d)."""

_TILT = 1e-10  # in greedy_worst_case: far above rounding, far below anything visible


def greedy_squared_norms(norms: ArrayLike, inner: ArrayLike) -> NDArray[np.float64]:
    r"""Return ||r_k||^2 of the greedy rule from what it saw (V1, identity).

    .. math:: \|r_k\|^2 = \sum_{j \le k} \bigl( \|z_j\|^2 - 2 |\langle r_{j-1}, z_j \rangle| \bigr)

    Assumes eps_k = +1 if <r_{k-1}, z_k> <= 0 else -1, and r_0 = 0; nothing on the vectors.

    Provenance: proved here, note ``V1-greedy-sign``; the rule is that of the published GraB code. See Lu,
    Guo, De Sa, arXiv:2205.10733.

    Parameters
    ----------
    inner : array_like, shape (k,)
        Inner products <r_{j-1}, z_j>; the first is 0.

    Returns
    -------
    ndarray, shape (k,)
        Squared Euclidean norms of r_1, ..., r_k.

    Examples
    --------
    >>> greedy_squared_norms([1.0, 1.0], [0.0, 1.0])  # z = (1, 1) in R: signs +, -
    array([1., 0.])
    """
    lengths, products = nonnegative_array("norms", norms), vector("inner", inner)
    if lengths.shape != products.shape:
        raise ValueError(
            f"expected inner with shape {lengths.shape}; got {products.shape}; pass one per vector"
        )
    return np.cumsum(lengths**2 - 2.0 * np.abs(products))


def greedy_prefix_bound(norms: ArrayLike) -> NDArray[np.float64]:
    r"""Bound every signed sum of the greedy rule (V1).

    .. math:: \|r_k\|_2 \le \Bigl( \sum_{j \le k} \|z_j\|_2^2 \Bigr)^{1/2} \le B \sqrt k

    Assumes the greedy rule and nothing else: the vectors may answer the signs. Attained by V2.

    Provenance: proved here, note ``V1-greedy-sign``. See Lu, Guo, De Sa, arXiv:2205.10733.

    Returns
    -------
    ndarray, shape (k,)
        Upper bounds on ||r_1||_2, ..., ||r_k||_2.

    Examples
    --------
    >>> greedy_prefix_bound([3.0, 4.0])
    array([3., 5.])
    """
    return np.sqrt(np.cumsum(nonnegative_array("norms", norms) ** 2))


def greedy_line_bound(magnitudes: ArrayLike) -> NDArray[np.float64]:
    r"""Bound every signed sum of the greedy rule on the line (V2, d = 1).

    .. math:: |r_k| \le \max_{j \le k} |z_j|

    Assumes d = 1 and the greedy rule. Attained by the first vector.

    Provenance: proved here, note ``V2-greedy-worst-case``. See Lu, Guo, De Sa, arXiv:2205.10733 (the rule).

    Returns
    -------
    ndarray, shape (k,)
        Upper bounds on |r_1|, ..., |r_k|.

    Examples
    --------
    >>> greedy_line_bound([1.0, 3.0, 2.0])
    array([1., 3., 3.])
    """
    return np.maximum.accumulate(nonnegative_array("magnitudes", magnitudes))


def greedy_worst_case(k: int, d: int) -> NDArray[np.float64]:
    r"""Return unit vectors on which the greedy rule reaches the bound of V1 (V2, d >= 2).

    .. math:: z_1 = e_1, \quad z_j \perp r_{j-1}, \ \|z_j\| = 1, \quad \text{so that } \|r_k\|_2 = \sqrt k

    Assumes d >= 2. Greedy being deterministic, the list is fixed in advance: an oblivious adversary suffices.
    Each z_j leans against r_{j-1} by 1e-10, so that no rounding can turn a tie; this costs 1e-10 sqrt(k) of
    the norm. Played adaptively, the same choice gives sqrt(k) against every sign rule.

    Provenance: proved here, note ``V2-greedy-worst-case``. See Kulkarni, Reis, Rothvoss, arXiv:2308.01406.

    Returns
    -------
    ndarray, shape (k, d)
        The vectors z_1, ..., z_k.

    Examples
    --------
    >>> greedy_worst_case(3, 2).round(6).tolist()
    [[1.0, 0.0], [-0.0, 1.0], [-0.707107, 0.707107]]
    """
    count, dimension = integer_at_least("k", k, 1), integer_at_least("d", d, 2)
    z = np.zeros((count, dimension))
    z[0, 0] = 1.0
    r = np.array([1.0, 0.0])
    for j in range(1, count):
        u = r / np.hypot(*r)
        across = np.array([-u[1], u[0]]) - _TILT * u
        z[j, :2] = across / np.hypot(*across)
        r += z[j, :2]
    return z


def mean_projection(d: int, law: str = "sphere") -> float:
    r"""Return the mean absolute projection of an isotropic law (V3).

    .. math::
        c = E |\langle u, z \rangle|, \quad \|u\|_2 = 1: \qquad
        c = \frac{\Gamma(d/2)}{\sqrt\pi \, \Gamma((d+1)/2)} \ \text{(sphere)}, \qquad
        c = \sqrt{2/\pi} \ \text{(gaussian)}

    Assumes z uniform on the unit sphere of R^d (``"sphere"``) or standard normal (``"gaussian"``).

    Provenance: proved here, note ``V3-greedy-stationary-norm``. See Lu, Guo, De Sa, arXiv:2205.10733 (the
    rule).

    Examples
    --------
    >>> mean_projection(1)
    1.0
    >>> round(mean_projection(2) * math.pi, 12)  # mean of |cos|: 2 / pi
    2.0
    """
    dimension = integer_at_least("d", d, 1)
    if one_of("law", law, LAWS) == "gaussian":
        return math.sqrt(2.0 / math.pi)
    return math.exp(gammaln(dimension / 2) - gammaln((dimension + 1) / 2)) / math.sqrt(math.pi)


def greedy_norm_sum(n: int, second_moment: float, projection: float, last_square: float) -> float:
    r"""Return the expected sum of the greedy norms over n isotropic vectors (V3, exact).

    .. math:: \sum_{k=0}^{n-1} E\|r_k\|_2 = \frac{n E\|z\|_2^2 - E\|r_n\|_2^2}{2 c}

    Assumes z_k independent and identically distributed with E|<u, z>| = c for every unit u.

    Provenance: proved here, note ``V3-greedy-stationary-norm``. See Lu, Guo, De Sa, arXiv:2205.10733 (the
    rule).

    Parameters
    ----------
    second_moment : float
        E||z||_2^2.
    projection : float
        c = E|<u, z>|, see :func:`mean_projection`.
    last_square : float
        E||r_n||_2^2; 0 turns the identity into an upper bound.

    Examples
    --------
    >>> greedy_norm_sum(2, 1.0, 1.0, 0.0)  # signs of +-1 on the line: |r| = 0, 1
    1.0
    """
    count = integer_at_least("n", n, 1)
    c = positive("projection", projection)
    square, last = nonnegative("second_moment", second_moment), nonnegative("last_square", last_square)
    return (count * square - last) / (2.0 * c)


def greedy_stationary_norm(d: int, law: str = "sphere") -> float:
    r"""Return the long-run mean norm of the greedy signed sum on isotropic vectors (V3).

    .. math::
        \lim_n \frac1n \sum_{k<n} E\|r_k\|_2 = \frac{E\|z\|_2^2}{2c}
            &= \frac{\sqrt\pi \, \Gamma((d+1)/2)}{2 \Gamma(d/2)} \sim \sqrt{\pi d / 8} && \text{(sphere)} \\
            &= d \sqrt{\pi / 8} && \text{(gaussian)}

    The limit also bounds the time average for every n.

    Assumes z_k independent, uniform on the unit sphere or standard normal. No n appears: this, and no
    worst-case theorem, is why greedy balancing does well on random data.

    Provenance: proved here, note ``V3-greedy-stationary-norm``. See Lu, Guo, De Sa, arXiv:2205.10733 (the
    rule).

    Examples
    --------
    >>> greedy_stationary_norm(1)
    0.5
    >>> round(greedy_stationary_norm(2) * 4 / math.pi, 12)
    1.0
    """
    second_moment = 1.0 if law == "sphere" else float(integer_at_least("d", d, 1))
    return second_moment / (2.0 * mean_projection(d, law))
