"""Published on herding: the lemma of pair balancing (H9) and a list that no order herds well (H10)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import hadamard

from theory._checks import integer_at_least, nonnegative


def pair_balancing_published(old: float, total: float, deviation: float, balance: float) -> float:
    r"""Bound the herding error after one step of pair balancing, as the published lemma does (H9).

    .. math::
        \Bigl\| \sum_j z_j \Bigr\|_\infty \le c_1, \ \|z_j - \bar z\| \le c_2 \ \Longrightarrow \
        H_{new} \le \tfrac12 H_{old} + c_1 + A c_2

    Assumes signs with ||r_k||_inf <= A max_j ||z_j||_2, as the balancing bound A of CD-GraB gives with
    probability 1 - delta. The lemma is printed with the inf-norm for c_2, and then it is FALSE: see
    :func:`hadamard_pairs`. With the 2-norm it holds; the theorems of the paper assume 2-norms and stand.

    Provenance: published, read (arXiv:2302.00845, Lemma 1, p. 19), note ``H9-pair-balancing-lemma``; proved
    counterpart: :func:`reorder_bound`.

    Parameters
    ----------
    total, deviation : float
        c_1, c_2.
    balance : float
        A, for vectors of norm 1.

    Examples
    --------
    >>> pair_balancing_published(old=1.0, total=0.0, deviation=1.0, balance=18.25)
    18.75
    """
    static = nonnegative("old", old) / 2.0 + nonnegative("total", total)
    return static + nonnegative("balance", balance) * nonnegative("deviation", deviation)


def hadamard_pairs(d: int) -> NDArray[np.float64]:
    r"""Return pairs of vectors that no choice of signs balances in the inf-norm (H9).

    .. math::
        z_{2k-1} = h_k, \ z_{2k} = -h_k, \ h_k \in \{-1, 1\}^d \text{ orthogonal}: \qquad
        \Bigl\| \sum_k \epsilon_k h_k \Bigr\|_\infty \ge \sqrt d \ \text{for all signs}

    Every vector has inf-norm 1, all sum to 0, and the old herding error is 1; the new one is sqrt(d) or more.

    Assumes d a power of two.

    Provenance: proved here, note ``H9-pair-balancing-lemma``.

    Returns
    -------
    ndarray, shape (2 d, d)

    Examples
    --------
    >>> hadamard_pairs(2)
    array([[ 1.,  1.],
           [-1., -1.],
           [ 1., -1.],
           [-1.,  1.]])
    """
    d = integer_at_least("d", d, 1)
    if d & (d - 1):
        raise ValueError(f"expected d as a power of two; got {d}; pass 1, 2, 4, 8, ...")
    h, pairs = hadamard(d, dtype=np.int8), np.empty((2 * d, d))
    pairs[::2], pairs[1::2] = h, -h
    return pairs


def harvey_samadi_vectors(d: int) -> NDArray[np.float64]:
    r"""Return a list that no order herds well (H10).

    .. math:: e_1, \dots, e_d \ \text{and} \ n = d^2 \text{ times} \ -\tfrac1n (1, \dots, 1)

    Assumes one worker. All lengths are at most 1, and the sum is 0.

    Provenance: published, read (Harvey, Samadi, COLT 2014, Theorem 11), note ``H10-no-order-is-good``.

    Returns
    -------
    ndarray, shape (d + d^2, d)

    Examples
    --------
    >>> harvey_samadi_vectors(2)[1:4].tolist()
    [[0.0, 1.0], [-0.25, -0.25], [-0.25, -0.25]]
    """
    d = integer_at_least("d", d, 1)
    return np.vstack([np.eye(d), np.full((d * d, d), -1.0 / (d * d))])


def harvey_samadi_bound(d: int, *, published: bool = False) -> float:
    r"""Bound the herding error of :func:`harvey_samadi_vectors` from below, for every order (H10).

    .. math::
        H \ge \frac{\sqrt d}2, \qquad
        \text{published: } H \ge \min\Bigl\{ \frac{\sqrt d}{6}, \frac d3 - \frac16 \Bigr\}

    Assumes herding errors in the Euclidean norm.

    Provenance: proved here, note ``H10-no-order-is-good``, and attained where d is even; the second form was
    read (Harvey, Samadi, COLT 2014, Theorem 11).

    Parameters
    ----------
    published : bool
        Return the second form.

    Examples
    --------
    >>> harvey_samadi_bound(16), harvey_samadi_bound(9, published=True)
    (2.0, 0.5)
    """
    d = integer_at_least("d", d, 1)
    if published:
        return min(math.sqrt(d) / 6.0, d / 3.0 - 1.0 / 6.0)
    return math.sqrt(d) / 2.0
