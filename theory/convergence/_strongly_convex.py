"""Strongly convex examples: the distance to the optimum in any order, with steps up to 1/L (T3).

Every prefix P_k* is taken at the optimum x*, where its centre vanishes:
``P_k* = sum_{l<=k} (1/m) sum_i grad f_{i, pi_i(l)}(x*)``. ``H`` is the largest of their norms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import integer_at_least, nonnegative, nonnegative_array
from theory.convergence._epochs import condition, step_below


def strongly_convex_path(
    r0: float, prefix_squares: ArrayLike, alpha: float, L: float, mu: float
) -> NDArray[np.float64]:
    r"""Bound the squared distance to the optimum after every epoch, any orders, large steps (T3).

    .. math::
        b_0 = \|x_0 - x_*\|^2; \qquad \text{in each epoch, for } k = 0..n-1: \quad
        b \leftarrow (1 - \alpha \mu) b + \alpha^3 L \|P_k^*\|^2

    Assumes every f_ij is mu-strongly convex and L-smooth; alpha <= 1/L (not 1/(n L)); P_k* is the prefix of
    the epoch's order at the optimum, P_0* = 0.

    Provenance: proved here, note ``T3-strongly-convex-any-order``. The technique of arXiv:2102.06704 (Theorem
    2), here for every order and with measured prefixes.

    Parameters
    ----------
    prefix_squares : array_like, shape (T, n)
        ||P_k*||_2^2 for k = 0..n-1 in each of T epochs.

    Returns
    -------
    ndarray, shape (T + 1,)
        Upper bounds on ||x_t - x*||_2^2, t = 0..T.

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
    r"""Bound the squared distance to the optimum after T epochs, any orders, large steps (T3).

    .. math::
        \|x_T - x_*\|^2 \le (1 - \alpha \mu)^{nT} \|x_0 - x_*\|^2
                              + \frac{\alpha^2 L}{\mu} \max_{t,k} \|P_k^*\|^2

    Assumes what :func:`strongly_convex_path` assumes.

    Provenance: proved here, note ``T3-strongly-convex-any-order``. The technique of arXiv:2102.06704 (Theorem
    2).

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
    r"""Bound the expected squared distance of (distributed) random reshuffling after T epochs (T3).

    .. math::
        E \|x_T - x_*\|^2 \le (1 - \alpha \mu)^{nT} \|x_0 - x_*\|^2
                              + \frac{\alpha^2 L n^2 \sigma_*^2}{4 (n - 1) m \mu}

    Assumes what :func:`strongly_convex_path` assumes; permutations uniform and independent over workers,
    fresh in every epoch or drawn once.

    Provenance: proved here, note ``T3-strongly-convex-any-order``. For m = 1 the shape of arXiv:2102.06704
    (Theorems 1 and 2), with half its constant.

    Examples
    --------
    >>> round(rr_strongly_convex_bound(1.0, 1.0, sigma=1.0, mu=0.5, alpha=0.1, m=1, n=2, T=1000), 9)
    0.02
    """
    m, n = integer_at_least("m", m, 1), integer_at_least("n", n, 2)
    H = nonnegative("sigma", sigma) * n / (2 * ((n - 1) * m) ** 0.5)
    return strongly_convex_bound(r0, L, H, mu, alpha, n, T)
