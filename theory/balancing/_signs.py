"""Vector balancing: how large the running signed sums can become (V1 to V9).

Signs eps_1, eps_2, ... in {-1, +1} are chosen one after the other for vectors z_1, z_2, ... of R^d; the
signed sums are r_k = eps_1 z_1 + ... + eps_k z_k. Two rules have files of their own and are offered here too:
:mod:`theory.balancing` (V1 to V3) and :mod:`theory.balancing` (V5 to V8). This file adds independent signs
(V4) and the reference lines of the literature (V9).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import NORMS, integer_at_least, nonnegative, nonnegative_array, one_of, probability


def random_signs_second_moment(norms: ArrayLike) -> NDArray[np.float64]:
    """Return E||R_k||_2^2 of independent fair signs (V4 b, exact).

    ::

        E||R_k||_2^2 = sum_{j<=k} ||z_j||_2^2 = W_k,  E max_{k<=n} ||R_k||_2^2 <= 4 W_n

    Assumes independent fair signs and vectors fixed in advance.

    Provenance: derived, note ``V4-random-signs``.

    Parameters
    ----------
    norms : array_like, shape (k,)
        Euclidean norms ||z_j||_2.

    Returns
    -------
    ndarray, shape (k,)
        W_1, ..., W_k; four times the last bounds the expected maximum.

    Raises
    ------
    ValueError
        If a norm is negative or not finite.

    References
    ----------
    Doob's L2 inequality; see the note.

    Examples
    --------
    >>> random_signs_second_moment([1.0, 2.0])
    array([1., 5.])
    """
    return np.cumsum(nonnegative_array("norms", norms) ** 2)


def random_signs_inf_bound(variance: float, d: int, delta: float) -> float:
    """Bound all signed sums of independent fair signs in the inf-norm (V4 a).

    ::

        P( max_k ||R_k||_inf > sqrt(2 V log(2d/delta)) ) <= delta,  V = max_c sum_j z_j(c)^2

    Assumes independent fair signs and vectors fixed in advance. No log n is paid for the maximum.

    Provenance: derived, note ``V4-random-signs``.

    Parameters
    ----------
    variance : float
        V, the largest coordinate sum of squares.
    d : int
        Dimension, at least 1.
    delta : float
        Failure probability in (0, 1).

    Returns
    -------
    float
        The bound.

    Raises
    ------
    ValueError
        If V < 0, d < 1 or delta is outside (0, 1).

    References
    ----------
    Doob's maximal inequality; see the note.

    Examples
    --------
    >>> round(random_signs_inf_bound(2.0, 1, 2 * math.exp(-4)), 12)
    4.0
    """
    v, dimension = nonnegative("variance", variance), integer_at_least("d", d, 1)
    return math.sqrt(2.0 * v * math.log(2.0 * dimension / probability("delta", delta)))


def random_signs_l2_bound(norms: ArrayLike, delta: float) -> float:
    """Bound all signed sums of independent fair signs in the Euclidean norm (V4 c).

    ::

        P( max_k ||R_k||_2 > (2 + sqrt(2 log(1/delta))) sqrt(W) ) <= delta,  W = sum_j ||z_j||_2^2

    Assumes independent fair signs and vectors fixed in advance. No dimension appears.

    Provenance: derived, note ``V4-random-signs``.

    Parameters
    ----------
    norms : array_like, shape (k,)
        Euclidean norms ||z_j||_2.
    delta : float
        Failure probability in (0, 1).

    Returns
    -------
    float
        The bound.

    Raises
    ------
    ValueError
        If a norm is negative or delta is outside (0, 1).

    References
    ----------
    McDiarmid's bounded differences inequality; see the note.

    Examples
    --------
    >>> round(random_signs_l2_bound([3.0, 4.0], math.exp(-2)), 12)
    20.0
    """
    weight = float(random_signs_second_moment(norms)[-1])
    return (2.0 + math.sqrt(2.0 * math.log(1.0 / probability("delta", delta)))) * math.sqrt(weight)


def spencer_bound(n: int) -> float:
    """Return Spencer's six standard deviations (V9, a reference line).

    ::

        for z_1, ..., z_n in {0, 1}^n some signs give ||sum eps_j z_j||_inf <= 6 sqrt(n)

    Assumes n vectors in n dimensions; existential, for the last sum only.

    Provenance: seen, quoted in the introduction of arXiv:2104.07009; not derived here, see note
    ``V9-reference-lines``.

    Parameters
    ----------
    n : int
        Number of vectors and dimension, at least 1.

    Returns
    -------
    float
        6 sqrt(n).

    Raises
    ------
    ValueError
        If n < 1.

    References
    ----------
    Spencer, "Six standard deviations suffice", 1985, as quoted in arXiv:2104.07009.

    Examples
    --------
    >>> spencer_bound(4)
    12.0
    """
    return 6.0 * math.sqrt(integer_at_least("n", n, 1))


def banaszczyk_prefix_bound(N: int, d: int, norm: str) -> float:
    """Return Banaszczyk's bound on the best prefix signing (V9, a reference line).

    ::

        max_k ||r_k|| <= 5 sqrt(2 log(4 N d))  (inf),  5 (sqrt(d) + sqrt(2 log(2N)))  (l2)

    Assumes N vectors of Euclidean norm at most 1; existential, no algorithm.

    Provenance: recalled. The orders are seen in the abstract of arXiv:2111.07049; the form behind the
    constants (all prefixes in 5K when K has Gaussian measure >= 1 - 1/(2N)) is unconfirmed, see note
    ``V9-reference-lines``. Never a test.

    Parameters
    ----------
    N : int
        Number of vectors, at least 1.
    d : int
        Dimension, at least 1.
    norm : {"l2", "inf"}
        Norm of the signed sums.

    Returns
    -------
    float
        The recalled bound.

    Raises
    ------
    ValueError
        If N < 1, d < 1 or the norm is unknown.

    References
    ----------
    Banaszczyk, "On series of signed vectors and their rearrangements", 2012; orders in arXiv:2111.07049.

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
    """Return the Barany-Grinberg constant for prefix signing (V9, a reference line).

    ::

        in any norm some signs give max_k ||r_k|| <= (2d - 1) B

    Assumes ||z_j|| <= B in that norm. :func:`theory.herding.prefix_signing_bound` is the derived 2 d B.

    Provenance: recalled, not confirmed against the text, see note ``V9-reference-lines``. Never the expected
    value of a test.

    Parameters
    ----------
    d : int
        Dimension, at least 1.
    B : float
        Largest norm of the vectors.

    Returns
    -------
    float
        (2d - 1) B.

    Raises
    ------
    ValueError
        If d < 1 or B < 0.

    References
    ----------
    Barany, Grinberg, "On some combinatorial questions in finite-dimensional spaces", 1981; no arXiv version.

    Examples
    --------
    >>> barany_grinberg_bound(3)
    5.0
    """
    return (2.0 * integer_at_least("d", d, 1) - 1.0) * nonnegative("B", B)
