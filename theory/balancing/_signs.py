"""Independent fair signs R_k (V4), and reference lines of the literature (V9)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import NORMS, integer_at_least, nonnegative, nonnegative_array, one_of, probability


def random_signs_second_moment(norms: ArrayLike) -> NDArray[np.float64]:
    r"""Return E||R_k||_2^2 of independent fair signs (V4 b, exact).

    .. math:: E\|R_k\|_2^2 = \sum_{j \le k} \|z_j\|_2^2 = W_k, \qquad E \max_{k \le n} \|R_k\|_2^2 \le 4 W_n

    Assumes independent fair signs and vectors fixed in advance.

    Provenance: proved here, note ``V4-random-signs``. Doob's L2 inequality.

    Returns
    -------
    ndarray, shape (k,)
        W_1, ..., W_k; four times the last bounds the expected maximum.

    Examples
    --------
    >>> random_signs_second_moment([1.0, 2.0])
    array([1., 5.])
    """
    return np.cumsum(nonnegative_array("norms", norms) ** 2)


def random_signs_inf_bound(variance: float, d: int, delta: float) -> float:
    r"""Bound all signed sums of independent fair signs in the inf-norm (V4 a).

    .. math::
        P\Bigl( \max_k \|R_k\|_\infty > \sqrt{2 V \log(2d/\delta)} \Bigr) \le \delta,
        \qquad V = \max_c \sum_j z_j(c)^2

    Assumes independent fair signs and vectors fixed in advance. No log n is paid for the maximum.

    Provenance: proved here, note ``V4-random-signs``. Doob's maximal inequality.

    Parameters
    ----------
    variance : float
        V, the largest coordinate sum of squares.

    Examples
    --------
    >>> round(random_signs_inf_bound(2.0, 1, 2 * math.exp(-4)), 12)
    4.0
    """
    v, dimension = nonnegative("variance", variance), integer_at_least("d", d, 1)
    return math.sqrt(2.0 * v * math.log(2.0 * dimension / probability("delta", delta)))


def random_signs_l2_bound(norms: ArrayLike, delta: float) -> float:
    r"""Bound all signed sums of independent fair signs in the Euclidean norm (V4 c).

    .. math::
        P\Bigl( \max_k \|R_k\|_2 > \bigl(2 + \sqrt{2 \log(1/\delta)}\bigr) \sqrt W \Bigr) \le \delta,
        \qquad W = \sum_j \|z_j\|_2^2

    Assumes independent fair signs and vectors fixed in advance. No dimension appears.

    Provenance: proved here, note ``V4-random-signs``. McDiarmid's bounded differences inequality.

    Examples
    --------
    >>> round(random_signs_l2_bound([3.0, 4.0], math.exp(-2)), 12)
    20.0
    """
    weight = float(random_signs_second_moment(norms)[-1])
    return (2.0 + math.sqrt(2.0 * math.log(1.0 / probability("delta", delta)))) * math.sqrt(weight)


def spencer_bound(n: int) -> float:
    r"""Return Spencer's six standard deviations (V9, a reference line).

    .. math::
        z_1, ..., z_n \in \{0, 1\}^n \ \Longrightarrow \
        \min_\epsilon \Bigl\|\sum_j \epsilon_j z_j\Bigr\|_\infty \le 6 \sqrt n

    Assumes n vectors in n dimensions; existential, for the last sum only.

    Provenance: published, read (quoted in arXiv:2104.07009, introduction), see note ``V9-reference-lines``.

    Examples
    --------
    >>> spencer_bound(4)
    12.0
    """
    return 6.0 * math.sqrt(integer_at_least("n", n, 1))


def banaszczyk_prefix_bound(N: int, d: int, norm: str) -> float:
    r"""Return Banaszczyk's bound on the best prefix signing (V9, a reference line).

    .. math::
        \max_k \|r_k\|_\infty \le 5 \sqrt{2 \log(4Nd)}, \qquad
        \max_k \|r_k\|_2 \le 5 \bigl(\sqrt d + \sqrt{2 \log(2N)}\bigr)

    Assumes N vectors of Euclidean norm at most 1; existential, no algorithm.

    Provenance: published, recalled. The orders were read in the abstract of arXiv:2111.07049; the form behind
    the constants (all prefixes in 5K when K has Gaussian measure >= 1 - 1/(2N)) was not, see note
    ``V9-reference-lines``. Never a test.

    Examples
    --------
    >>> banaszczyk_prefix_bound(100, 4, "inf") < banaszczyk_prefix_bound(100, 4, "l2")
    True
    """
    count, dimension = integer_at_least("N", N, 1), integer_at_least("d", d, 1)
    if one_of("norm", norm, NORMS) == "inf":
        return 5.0 * math.sqrt(2.0 * math.log(4.0 * count * dimension))
    return 5.0 * (math.sqrt(dimension) + math.sqrt(2.0 * math.log(2.0 * count)))


def barany_grinberg_bound(d: int, B: float = 1.0) -> float:
    r"""Return the Barany-Grinberg constant for prefix signing (V9, a reference line).

    .. math:: \min_\epsilon \max_k \|r_k\| \le (2d - 1) B \quad \text{in any norm}

    Assumes ||z_j|| <= B in that norm. :func:`theory.herding.prefix_signing_bound` is the derived 2 d B.

    Provenance: published, recalled (Barany, Grinberg, 1981), see note ``V9-reference-lines``. Never the
    expected value of a test.

    Examples
    --------
    >>> barany_grinberg_bound(3)
    5.0
    """
    return (2.0 * integer_at_least("d", d, 1) - 1.0) * nonnegative("B", B)


def cd_grab_balance_published(N: int, d: int, delta: float) -> float:
    r"""Return the balancing bound that the theorems of CD-GraB are stated with (V9, a reference line).

    .. math::
        \|z_j\|_2 \le 1 \ \Longrightarrow \ P\Bigl( \max_k \|r_k\|_\infty \le A \Bigr) \ge 1 - \delta, \qquad
        A = \sqrt{2 \log(4d/\delta) \, \log(4N/\delta)}

    Assumes N vectors of EUCLIDEAN norm at most 1, fixed in advance, signed by the self-balancing walk.

    Provenance: published, read (arXiv:2302.00845, Theorem 1, pp. 6-8, restated there from arXiv:2105.05842,
    Corollary 7), see note ``V9-reference-lines``; proved counterpart: :func:`self_balancing_bound`.

    Examples
    --------
    >>> round(cd_grab_balance_published(1024, 1024, 0.01), 2)  # as computed by hand: sqrt(2) log(409600)
    18.28
    """
    count, dimension = integer_at_least("N", N, 1), integer_at_least("d", d, 1)
    failure = probability("delta", delta)
    return math.sqrt(2.0 * math.log(4.0 * dimension / failure) * math.log(4.0 * count / failure))
