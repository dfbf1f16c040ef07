"""What one reorder, or one after the other, does to prefix sums and herding errors (H1 to H5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import matrix, nonnegative, nonnegative_array, vector


def reordered_prefixes(prefixes: ArrayLike, signed: ArrayLike, signs: ArrayLike) -> NDArray[np.float64]:
    r"""Return the prefix sums of the reordered list from those of the old one (H1, identity).

    .. math::
        \text{front, ending at old position } k: \ \tfrac12 (S_k + R_k), \qquad
        \text{back: } \ S_n - \tfrac12 (S_{k-1} - R_{k-1})

    Assumes nothing: any vectors, any signs, any total S_n.

    Provenance: proved here, note ``H1-reorder``. See Lu, Guo, De Sa, arXiv:2205.10733 (the reorder); Harvey,
    Samadi, COLT 2014.

    Parameters
    ----------
    prefixes : array_like, shape (n, d)
        S_1, ..., S_n in the old order.
    signed : array_like, shape (n, d)
        R_1, ..., R_n.
    signs : array_like, shape (n,)
        +1 or -1, in the old order.

    Returns
    -------
    ndarray, shape (n, d)
        Prefix sums of lengths 1, ..., n in the new order.

    Examples
    --------
    >>> reordered_prefixes([[1.0], [2.0], [3.0]], [[1.0], [0.0], [-1.0]], [1, -1, -1]).ravel()
    array([1., 2., 3.])
    """
    S, R, eps = matrix("prefixes", prefixes), matrix("signed", signed), vector("signs", signs)
    if R.shape != S.shape or eps.shape != S.shape[:1]:
        raise ValueError(
            f"expected prefixes, signed (n, d), signs (n,); got {S.shape}, {R.shape}, {eps.shape}; align them"
        )
    if not np.isin(eps, (-1.0, 1.0)).all():
        raise ValueError(f"expected signs of +1 and -1; got {np.unique(eps)}; pass signs")
    minus_before = np.vstack([np.zeros_like(S[:1]), (S - R)[:-1] / 2.0])
    front, back = np.flatnonzero(eps > 0), np.flatnonzero(eps < 0)[::-1]
    return np.vstack([(S + R)[front] / 2.0, S[-1] - minus_before[back]])


def reorder_bound(old: float, signed: float, total: float = 0.0) -> float:
    r"""Bound the herding error after one reorder (H1; with pairs H3 and, over m workers, H4).

    .. math:: \max_k \|S_k^{new}\| \le \|S_n\| + \tfrac12 \bigl( \max_k \|S_k\| + \max_k \|R_k\| \bigr)

    Assumes the same norm, any norm, throughout. For one list (H1) the maxima run over all k. With pairs,
    where z_{2j-1} and z_{2j} get opposite signs (H3, H4), they need only run over the even old prefixes
    S_{2j} and the pair sums R_{2j} = sum_{l<=j} sum_i eps_{i,l} (z_{i,2l-1} - z_{i,2l}), j <= floor(n/2),
    taken after all workers. Without pairs the statement is FALSE for m >= 2 workers. The total cannot be
    dropped unless it is 0.

    Provenance: proved here, notes ``H1-reorder``, ``H3-pair-reorder``, ``H4-parallel-reorder``. See Lu, Guo,
    De Sa, arXiv:2205.10733; Cooper et al., arXiv:2302.00845 (the parallel reorder).

    Parameters
    ----------
    total : float
        ||S_n||, 0 for centred vectors (over m workers: a zero GLOBAL sum, worker sums may differ).

    Examples
    --------
    >>> reorder_bound(8.0, 2.0)
    5.0
    >>> reorder_bound(3.0, 1.0, total=3.0)  # z = 1, 1, 1 with signs +, -, -: the new maximum is 3
    5.0
    """
    return nonnegative("total", total) + (nonnegative("old", old) + nonnegative("signed", signed)) / 2.0


def recentred_signed_sums(signed: ArrayLike, signs: ArrayLike, shift: ArrayLike) -> NDArray[np.float64]:
    r"""Return the signed sums under another centre (H2, identity).

    .. math:: R_k^{exact} = R_k^{stale} - E_k (\bar z - m_0), \qquad E_k = \sum_{j \le k} \epsilon_j

    Assumes R^stale balances z_j - m_0 and R^exact the same signs on z_j - zbar. With pairs E_{2j} = 0: pair
    balancing does not see the centre.

    Provenance: proved here, note ``H2-stale-mean``. See Lu, Guo, De Sa, arXiv:2205.10733 (the stale mean).

    Parameters
    ----------
    signed : array_like, shape (n, d)
        R_1^stale, ..., R_n^stale.
    signs : array_like, shape (n,)
        +1 or -1.
    shift : array_like, shape (d,)
        zbar - m_0.

    Returns
    -------
    ndarray, shape (n, d)
        R_1^exact, ..., R_n^exact.

    Examples
    --------
    >>> recentred_signed_sums([[1.0], [3.0]], [1, 1], [1.0]).ravel()
    array([0., 1.])
    """
    R, eps, centre = matrix("signed", signed), vector("signs", signs), vector("shift", shift)
    if (eps.size, centre.size) != R.shape:
        raise ValueError(
            f"expected signs and shift for signed {R.shape}; got {eps.shape}, {centre.shape}; align"
        )
    return R - np.cumsum(eps)[:, None] * centre


def stale_mean_bound(old: float, signed: float, sign_sum: float, mean_error: float) -> float:
    r"""Bound the herding error after a reorder that balanced around a stale mean (H2).

    .. math::
        H_{new} \le \tfrac12 \bigl( H_{old} + \max_k \|R_k^{stale}\| + \max_k |E_k| \, \|\bar z - m_0\| \bigr)

    Assumes herding measured around the exact mean zbar, signs chosen for z_j - m_0; |E_k| <= n always.

    Provenance: proved here, note ``H2-stale-mean``. See Lu, Guo, De Sa, arXiv:2205.10733.

    Parameters
    ----------
    old : float
        H_old, around the exact mean.
    signed : float
        max_k ||R_k^stale||.
    sign_sum : float
        max_k |E_k|.
    mean_error : float
        ||zbar - m_0||.

    Examples
    --------
    >>> stale_mean_bound(8.0, 2.0, 3.0, 0.5)
    5.75
    """
    drift = nonnegative("sign_sum", sign_sum) * nonnegative("mean_error", mean_error)
    return reorder_bound(old, nonnegative("signed", signed) + drift)


def pair_reordered_prefixes(prefixes: ArrayLike, pair_sums: ArrayLike) -> NDArray[np.float64]:
    r"""Return the prefix sums after a pair reorder (H3, H4, identity).

    .. math::
        \text{length } j: \ \tfrac12 (S_{2j} + R_{2j}), \qquad
        \text{length } n - j: \ S_n - \tfrac12 (S_{2j} - R_{2j}), \qquad 0 \le j \le \lfloor n/2 \rfloor

    Assumes each worker sends one vector of every pair to its front and the other to its back; an unpaired
    last vector (odd n) takes the middle slot. S and R sum over all workers.

    Provenance: proved here, notes ``H3-pair-reorder`` and ``H4-parallel-reorder``. See Cooper et al.,
    arXiv:2302.00845 (pair balancing).

    Parameters
    ----------
    prefixes : array_like, shape (n, d)
        S_1, ..., S_n in the old orders, n >= 2.
    pair_sums : array_like, shape (floor(n/2), d)
        R_{2j} = sum_{l<=j} sum_i eps_{i,l} (z_{i,2l-1} - z_{i,2l}).

    Returns
    -------
    ndarray, shape (n, d)
        Prefix sums of lengths 1, ..., n in the new orders.

    Examples
    --------
    >>> pair_reordered_prefixes([[3.0], [4.0], [9.0]], [[-2.0]]).ravel()  # z = 3, 1, 5 becomes 1, 5, 3
    array([1., 6., 9.])
    """
    S, Rp = matrix("prefixes", prefixes), matrix("pair_sums", pair_sums)
    pairs = S.shape[0] // 2
    if Rp.shape != (pairs, S.shape[1]):
        raise ValueError(
            f"expected pair_sums with shape {(pairs, S.shape[1])}; got {Rp.shape}; one row per pair"
        )
    even = S[1::2]
    back = np.vstack([S[-1:], S[-1] - (even - Rp) / 2.0])
    return np.vstack([(even + Rp) / 2.0, back[::-1][1 - S.shape[0] % 2 :]])


def independent_reorder_bound(old: ArrayLike, signed: ArrayLike) -> float:
    r"""Bound the parallel herding error when every worker reorders alone (H4 c).

    .. math:: H_{new} \le \tfrac12 \sum_i (H_i + A_i)

    Assumes centred vectors on every worker; H_i, A_i are the worker's own herding error and balance. The
    bound grows like m: nothing makes the workers' errors cancel.

    Provenance: proved here, note ``H4-parallel-reorder``. See Cooper et al., arXiv:2302.00845 (ID-GraB).

    Examples
    --------
    >>> independent_reorder_bound([4.0, 2.0], [1.0, 1.0])
    4.0
    """
    H, A = nonnegative_array("old", old), nonnegative_array("signed", signed)
    if A.shape != H.shape:
        raise ValueError(f"expected signed with shape {H.shape}; got {A.shape}; pass one per worker")
    return float((H + A).sum() / 2.0)


def repeated_reorder_bound(initial: float, balances: ArrayLike) -> NDArray[np.float64]:
    r"""Bound the herding error along repeated reorders of static vectors (H5).

    .. math::
        H_T \le 2^{-T} H_0 + \sum_{s<T} 2^{-(T-s)} A_s \le 2^{-T} H_0 + (1 - 2^{-T}) \max_s A_s

    Assumes centred vectors that do not change between rounds, and one of the reorders of H1, H3, H4.

    Provenance: proved here, note ``H5-repeated-reorder``. See Lu, Guo, De Sa, arXiv:2205.10733; Harvey,
    Samadi, COLT 2014.

    Returns
    -------
    ndarray, shape (T + 1,)
        H_0 and the bounds on H_1, ..., H_T.

    Examples
    --------
    >>> repeated_reorder_bound(8.0, [2.0, 2.0, 2.0])
    array([8.  , 5.  , 3.5 , 2.75])
    """
    bounds = [nonnegative("initial", initial)]
    for balance in nonnegative_array("balances", balances).tolist():
        bounds.append(reorder_bound(bounds[-1], balance))
    return np.array(bounds)
