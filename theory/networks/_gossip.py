"""How far workers are apart under gossip, on a shared Hessian (N2, N3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, matrix, nonnegative_array, positive
from theory._spectral import Array, losses, rows, stack


def gossip_fixed_point(alpha: float, eigenvalues: ArrayLike, weights: ArrayLike, centres: ArrayLike) -> Array:
    r"""Return where workers stop under gossip with full gradients at a constant step (N2).

    .. math:: x = (I - \rho W)^{-1} \, \alpha \lambda W b

    coordinate by coordinate, with b (m,) the workers' minimisers: in an eigenvector of a symmetric W with
    eigenvalue w, the offset is w alpha lambda b / (1 - w rho). Only the mean is exact; the workers do not
    agree unless their minimisers do.

    Assumes a shared Hessian and a connected graph.

    Provenance: proved here, note ``N2-gossip-offset``; a textbook result for decentralized gradient descent.

    Parameters
    ----------
    centres : array_like, shape (m, d)
        b.

    Returns
    -------
    ndarray, shape (m, d)
        x_i in the limit.

    Examples
    --------
    >>> gossip_fixed_point(0.5, [1.0], [[0.75, 0.25], [0.25, 0.75]], [[-3.0], [3.0]]).ravel()
    array([-1.,  1.])
    """
    x, w = losses(alpha, eigenvalues), _square(weights)
    b = rows("centres", centres, x)
    solved = [np.linalg.solve(np.eye(len(w)) - (1.0 - one) * w, one * w @ b[:, p]) for p, one in enumerate(x)]
    return np.array(solved).T


def filtered_disagreement(
    alpha: float, eigenvalues: ArrayLike, weights: ArrayLike, deviations: ArrayLike, start: ArrayLike
) -> Array:
    r"""Return x_i - xbar after gossip in a given order: prefix sums that W and the contraction filter (N3).

    .. math:: Y_K = A^K Y_0 + \alpha \lambda W \Bigl[ B_K - (I - A) \sum_{k<K} A^{K-1-k} B_k \Bigr],
        \qquad A = \rho W, \quad B_k = \sum_{l \le k} (b_l - \bar b_l)

    with b_l (m,) the centres that the workers visit in step l, less their mean over the workers. A forgets in
    1 / (1 - w) steps: workers are apart by their own prefix sums over that long a window, not by the sum over
    the workers that coordinated orders keep small.

    Assumes a shared Hessian.

    Provenance: proved here, note ``N3-filtered-prefixes``.

    Parameters
    ----------
    deviations : array_like, shape (K, m, d)
        Centres in the order of the visits; their means over the workers are taken off.
    start : array_like, shape (m, d)
        Y_0.

    Returns
    -------
    ndarray, shape (m, d)
        Y_K.

    Examples
    --------
    >>> filtered_disagreement(0.5, [1.0], [[0.5, 0.5], [0.5, 0.5]], [[[1.0], [3.0]]], [[2.0], [0.0]]).ravel()
    array([0., 0.])
    """
    x, w = losses(alpha, eigenvalues), _square(weights)
    b, y0 = stack("deviations", deviations, ("K", "m", "d")), rows("start", start, x)
    prefixes = np.cumsum(b - b.mean(axis=1, keepdims=True), axis=0)
    ends = []
    for p, one in enumerate(x):
        A, filtered, y = (1.0 - one) * w, np.zeros(len(w)), y0[:, p] - y0[:, p].mean()
        for k, prefix in enumerate(prefixes[:, :, p]):
            y = A @ y
            if k + 1 < len(prefixes):
                filtered = A @ filtered + prefix
        ends.append(y + one * w @ (prefixes[-1, :, p] - filtered + A @ filtered))
    return np.array(ends).T


def consensus_covariance(
    alpha: float, eigenvalue: float, weights: ArrayLike, variances: ArrayLike, n: int
) -> Array:
    r"""Return the stationary covariance of x_i - xbar at the ends of reshuffled epochs, one coordinate (N3).

    .. math::
        S &= A^n S A^{n\prime} + C, \qquad A = \rho W, \\
        C &= \frac{n (\alpha \lambda)^2}{n - 1}
            \Bigl[ \sum_k V_k D V_k' - \frac1n \sum_k V_k D \sum_k V_k' \Bigr], \qquad
        V_k = \Bigl( I - \frac{1 1'}{m} \Bigr) W A^{n-k}

    with D = diag of the variances of the workers' centres. What differs between their means comes on top, as
    the offset of :func:`gossip_fixed_point`, which does not fluctuate.

    Assumes a shared Hessian, and fresh independent permutations on the workers.

    Provenance: proved here, note ``N3-filtered-prefixes``.

    Parameters
    ----------
    variances : array_like, shape (m,)
        Within-worker variances of the coordinate's centres (divisor n).

    Returns
    -------
    ndarray, shape (m, m)
        E (x_i - xbar)(x_l - xbar) less that of the means.

    Examples
    --------
    Nothing differs where everybody averages with everybody.

    >>> consensus_covariance(0.5, 1.0, [[0.5, 0.5], [0.5, 0.5]], [1.0, 1.0], 4)
    array([[0., 0.],
           [0., 0.]])
    """
    x, w = positive("alpha", alpha) * positive("eigenvalue", eigenvalue), _square(weights)
    m, n = len(w), integer_at_least("n", n, 2)
    spread = nonnegative_array("variances", variances)
    A = (1.0 - x) * (w - 1.0 / m)  # on what sums to zero, where W 1 = 1 plays no part
    V, squares, total = w - 1.0 / m, np.zeros((m, m)), np.zeros((m, m))
    for _ in range(n):
        squares += V * spread @ V.T
        total += V
        V = V @ A
    C = n * x**2 / (n - 1.0) * (squares - total * spread @ total.T / n)
    power = np.linalg.matrix_power(A, n)
    S = C.copy()
    while np.abs(power).max() > 1e-18:  # S = sum of A^(n t) C A^(n t)', doubling t
        S = S + power @ S @ power.T
        power = power @ power
    return np.asarray(S)


def consensus_error(alpha: float, eigenvalues: ArrayLike, weights: ArrayLike, centres: ArrayLike) -> float:
    r"""Return the stationary mean over workers of E |x_i - xbar|^2 at the ends of reshuffled epochs (N3).

    .. math:: \frac1m \sum_p \operatorname{tr} S_p + \frac1m \sum_i |x_i^\infty - \bar x^\infty|^2

    with S_p of :func:`consensus_covariance` and x^infinity of :func:`gossip_fixed_point`. Small steps make it
    alpha^2 times a number that grows like 1 / (1 - w^2): its exponent in alpha is 2.

    Assumes a shared Hessian, and fresh independent permutations on the workers.

    Provenance: proved here, note ``N3-filtered-prefixes``. See Huang et al., arXiv:2112.15287: the same order
    in a bound.

    Parameters
    ----------
    centres : array_like, shape (m, n, d)
        b_ij in the eigenbasis.

    Examples
    --------
    >>> consensus_error(0.5, [1.0], [[0.5, 0.5], [0.5, 0.5]], [[[0.0], [1.0]], [[2.0], [5.0]]])
    0.0
    """
    x, b = losses(alpha, eigenvalues), stack("centres", centres, ("m", "n", "d"))
    m, n, _ = b.shape
    fixed = gossip_fixed_point(alpha, eigenvalues, weights, b.mean(axis=1))
    total = float(((fixed - fixed.mean(axis=0)) ** 2).sum())
    variances = b.var(axis=1)
    for p, one in enumerate(x):
        total += float(np.trace(consensus_covariance(1.0, one, weights, variances[:, p], n)))
    return float(total / m)


def _square(weights: ArrayLike) -> Array:
    w = stack("weights", matrix("weights", weights), ("m", "m"), equal=2)
    worst = max(float(np.abs(w.sum(axis=axis) - 1.0).max()) for axis in (0, 1))
    if worst > 1e-10 * len(w):
        raise ValueError(f"expected doubly stochastic weights; got a sum off by {worst:.3g}; scale them")
    return w
