"""Draws with probabilities p, and gradients that count 1/(n p) (W1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, nonnegative, positive, positive_array, vector
from theory._spectral import Array, examples


def weighted_moments(
    alpha: float, hessians: ArrayLike, linear: ArrayLike, p: ArrayLike, x0: ArrayLike, k: int
) -> tuple[Array, Array]:
    r"""Return E x and E x x' after k weighted steps (W1).

    .. math:: x' = x - \frac{\alpha}{n p_j} (A_j x - c_j) \ \text{with probability } p_j, \qquad
        E[y' y'^\top] = \sum_j p_j P_j E[y y^\top] P_j^\top, \quad y = (x, 1)

    Assumes quadratic examples.

    Provenance: proved here, note ``W1-weighted-draws``.

    Parameters
    ----------
    hessians : array_like, shape (n, d, d)
        A_j.
    linear : array_like, shape (n, d)
        c_j.
    p : array_like, shape (n,)
        Positive; divided by their sum.
    x0 : array_like, shape (d,)
        The start.
    k : int
        Steps.

    Returns
    -------
    tuple of ndarray, shapes (d,) and (d, d)
        E x and E x x'.

    Examples
    --------
    Curvatures 1 and 3, drawn in proportion: every step is the mean one, without noise.

    >>> weighted_moments(0.25, [[[1.0]], [[3.0]]], [[0.0], [0.0]], [1.0, 3.0], [1.0], 2)
    (array([0.25]), array([[0.0625]]))
    """
    A, c = examples(hessians, "linear", linear)
    a, q, start = positive("alpha", alpha), _probabilities(p, len(c)), vector("x0", x0)
    n, d = c.shape
    if start.shape != (d,):
        raise ValueError(f"expected x0 of shape (d,) = ({d},), as the Hessians; got {start.shape}")
    P = np.tile(np.eye(d + 1), (n, 1, 1))
    scale = a / (n * q)
    P[:, :d, :d] -= scale[:, None, None] * A
    P[:, :d, d] += scale[:, None] * c
    Y = np.outer(y := np.append(start, 1.0), y)
    for _ in range(integer_at_least("k", k, 0)):
        Y = np.tensordot(q, P @ Y @ P.swapaxes(1, 2), axes=1)
    return Y[:-1, -1], Y[:-1, :-1]


def weighted_bound(
    alpha: float, mu: float, smoothness: ArrayLike, squares: ArrayLike, p: ArrayLike, r0: float, k: int
) -> float:
    r"""Return a bound of E |x_k - x_star|^2 under weighted draws (W1).

    .. math::
        (1 - 2 \alpha \mu (1 - \alpha \ell))^k r_0 + \frac{\alpha s}{\mu (1 - \alpha \ell)}, \qquad
        \ell = \max_j \frac{L_j}{n p_j}, \quad s = \frac1n \sum_j \frac{|\nabla f_j(x_*)|^2}{n p_j}

    With p in proportion to L_j, l is their mean.

    Assumes convex examples with L_j-Lipschitz gradients, a mu-strongly convex mean, and alpha l < 1.

    Provenance: proved here, note ``W1-weighted-draws``, after Needell, Srebro, Ward, arXiv:1310.5715, Theorem
    2.1 (recalled).

    Parameters
    ----------
    smoothness : array_like, shape (n,)
        L_j.
    squares : array_like, shape (n,)
        Squared lengths of the gradients at x_star.
    p : array_like, shape (n,)
        Positive; divided by their sum.
    r0 : float
        The squared distance from x_star at first.
    k : int
        Steps.

    Examples
    --------
    >>> weighted_bound(0.25, 2.0, [1.0, 3.0], [0.0, 0.0], [1.0, 3.0], 1.0, 1)
    0.5
    """
    L, g2 = vector("smoothness", smoothness), vector("squares", squares)
    a, m, r = positive("alpha", alpha), positive("mu", mu), nonnegative("r0", r0)
    n = len(L)
    q = n * _probabilities(p, n)
    if g2.shape != L.shape:
        raise ValueError(f"expected squares of shape ({n},), as smoothness; got {g2.shape}")
    left = 1.0 - a * float((L / q).max())
    if left <= 0.0:
        raise ValueError(f"expected alpha max L_j / (n p_j) below 1; got {1.0 - left:.6g}; lower alpha")
    shrunk = (1.0 - 2.0 * a * m * left) ** integer_at_least("k", k, 0) * r
    return float(shrunk + a * float((g2 / q).mean()) / (m * left))


def _probabilities(p: ArrayLike, n: int) -> Array:
    given = positive_array("p", p)
    if given.shape != (n,):
        raise ValueError(f"expected p of shape (n,) = ({n},); got {given.shape}")
    return np.asarray(given / given.sum())
