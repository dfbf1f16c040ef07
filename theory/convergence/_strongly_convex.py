"""Strongly convex examples: the distance to the optimum under any order, with steps up to 1/L.

Notation of :mod:`theory.convergence`, with every prefix P_k* taken at the optimum x*, where its centre
vanishes: ``P_k* = sum_{l<=k} (1/m) sum_i grad f_{i, pi_i(l)}(x*)``. H is the largest of their norms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import integer_at_least, nonnegative, nonnegative_array
from theory.convergence._epochs import condition, step_below


def strongly_convex_path(
    r0: float, prefix_squares: ArrayLike, alpha: float, L: float, mu: float
) -> NDArray[np.float64]:
    """Squared distance to the optimum after every epoch, in any orders, with large steps.

        b = ||x_0 - x*||^2;   in each epoch, for k = 0..n-1:   b <- (1 - alpha mu) b + alpha^3 L ||P_k*||^2

    Assumptions: every f_ij is mu-strongly convex and L-smooth; alpha <= 1/L (not 1/(n L)); P_k* is the prefix
    of the epoch's order at the optimum, P_0* = 0.

    Provenance: derived (T3, note ``T3-strongly-convex-any-order``).

    Parameters
    ----------
    r0 : float
        ||x_0 - x*||^2.
    prefix_squares : array of shape (T, n)
        ||P_k*||_2^2 for k = 0..n-1 in each of T epochs.
    alpha, L, mu : float
        Step size, smoothness, strong convexity.

    Returns
    -------
    array of shape (T + 1,)
        Upper bounds on ||x_t - x*||_2^2, t = 0..T.

    Raises
    ------
    ValueError
        If alpha > 1/L, mu > L, an entry is negative, or prefix_squares has not two axes.

    References
    ----------
    The technique of arXiv:2102.06704 (Theorem 2), here for every order and with measured prefixes.

    Examples
    --------
    >>> strongly_convex_path(1.0, [[0.0, 2.0]], alpha=0.5, L=1.0, mu=0.5)
    array([1.    , 0.8125])
    """
    mu, L = condition(mu, L)
    alpha = step_below(1.0, alpha, L, "T3")
    squares = np.asarray(prefix_squares, dtype=np.float64)
    if squares.ndim != 2:
        raise ValueError(f"expected prefix_squares with shape (T, n); got shape {squares.shape}; reshape it")
    T, n = squares.shape
    added = alpha**3 * L * nonnegative_array("prefix_squares", squares.ravel()).reshape(T, n)
    bounds = np.empty(T + 1)
    bounds[0] = bound = nonnegative("r0", r0)
    for t in range(T):
        for k in range(n):
            bound = (1 - alpha * mu) * bound + added[t, k]
        bounds[t + 1] = bound
    return bounds


def strongly_convex_bound(r0: float, L: float, H: float, mu: float, alpha: float, n: int, T: int) -> float:
    """Squared distance to the optimum after T epochs, in any orders, with large steps.

        ||x_T - x*||^2 <= (1 - alpha mu)^{n T} ||x_0 - x*||^2 + (alpha^2 L / mu) max_{t,k} ||P_k*||^2

    Assumptions: as :func:`strongly_convex_path`.

    Provenance: derived (T3, note ``T3-strongly-convex-any-order``).

    Parameters
    ----------
    r0, L : float
        ||x_0 - x*||^2, smoothness.
    H : float
        Largest herding error at the optimum over all epochs, divided by m.
    mu, alpha : float
        Strong convexity, step size.
    n, T : int
        Examples per worker, epochs.

    Returns
    -------
    float
        Upper bound on ||x_T - x*||_2^2.

    Raises
    ------
    ValueError
        If alpha > 1/L, mu > L, T < 1, or an argument has the wrong sign.

    References
    ----------
    The technique of arXiv:2102.06704 (Theorem 2).

    Examples
    --------
    >>> round(strongly_convex_bound(1.0, L=1.0, H=2.0, mu=0.5, alpha=0.1, n=10, T=100), 9)
    0.08
    """
    n, T = integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    mu, L = condition(mu, L)
    alpha = step_below(1.0, alpha, L, "T3")
    contraction = (1 - alpha * mu) ** (n * T)
    return contraction * nonnegative("r0", r0) + alpha**2 * L / mu * nonnegative("H", H) ** 2


def rr_strongly_convex_bound(
    r0: float, L: float, sigma: float, mu: float, alpha: float, m: int, n: int, T: int
) -> float:
    """Bound the expected squared distance of (distributed) random reshuffling after T epochs.

        E ||x_T - x*||^2 <= (1 - alpha mu)^{n T} ||x_0 - x*||^2
                            + alpha^2 L n^2 sigma*^2 / (4 (n - 1) m mu)

    Assumptions: as :func:`strongly_convex_path`; permutations uniform and independent over workers, fresh in
    every epoch or drawn once.

    Provenance: derived (T3, note ``T3-strongly-convex-any-order``).

    Parameters
    ----------
    r0, L : float
        ||x_0 - x*||^2, smoothness.
    sigma : float
        Root of the mean within-worker variance of the gradients at x*.
    mu, alpha : float
        Strong convexity, step size.
    m, n, T : int
        Workers, examples per worker (at least 2), epochs.

    Returns
    -------
    float
        Upper bound on E ||x_T - x*||_2^2.

    Raises
    ------
    ValueError
        If alpha > 1/L, mu > L, n < 2, T < 1, or an argument has the wrong sign.

    References
    ----------
    For m = 1 the shape of arXiv:2102.06704 (Theorems 1 and 2), with half its constant.

    Examples
    --------
    >>> round(rr_strongly_convex_bound(1.0, 1.0, sigma=1.0, mu=0.5, alpha=0.1, m=1, n=2, T=1000), 9)
    0.02
    """
    m, n = integer_at_least("m", m, 1), integer_at_least("n", n, 2)
    H = nonnegative("sigma", sigma) * n / (2 * ((n - 1) * m) ** 0.5)
    return strongly_convex_bound(r0, L, H, mu, alpha, n, T)
