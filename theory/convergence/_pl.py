"""PL objectives: the optimality gap in any order, and under random reshuffling (T2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import integer_at_least, nonnegative, positive
from theory.convergence._epochs import capped_step, condition, per_epoch
from theory.convergence._nonconvex import rr_mean_square_herding


def pl_bound(
    F0: float, L: float, V: ArrayLike, mu: float, alpha: float, n: int, T: int
) -> NDArray[np.float64]:
    r"""Bound the optimality gap after every epoch, in any orders, under the PL condition (T2).

    .. math:: f(x_{t+1}) - f_* \le (1 - 0.6 \alpha n \mu) (f(x_t) - f_*) + 2.4 \alpha^3 n L^2 V_t

    Assumes every f_ij is L-smooth; ||grad f||^2 >= 2 mu (f - f*); alpha n L <= 1/2.

    Provenance: proved here, note ``T2-pl-any-order``. Counterpart with explicit constants of the PL theorem
    of arXiv:2205.10733.

    Returns
    -------
    ndarray, shape (T + 1,)
        Upper bounds on f(x_t) - f*, t = 0..T: the recursion unrolled from F0.

    Examples
    --------
    >>> pl_bound(1.0, L=1.0, V=0.0, mu=0.5, alpha=0.05, n=10, T=2).round(4)
    array([1.    , 0.85  , 0.7225])
    """
    n, T = integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    mu, L = condition(mu, L)
    alpha = capped_step(alpha, n, L, 1 / 2, "T2")
    added = 2.4 * alpha**3 * n * L**2 * per_epoch("V", V, T)
    bounds = np.empty(T + 1)
    bounds[0] = nonnegative("F0", F0)
    for t in range(T):
        bounds[t + 1] = (1 - 0.6 * alpha * n * mu) * bounds[t] + added[t]
    return bounds


def pl_floor(alpha: float, L: float, V: float, mu: float) -> float:
    r"""Bound the optimality gap that a constant step size keeps in the end, any orders, PL condition (T2).

    .. math:: \limsup_T f(x_T) - f_* \le 4 \alpha^2 L^2 \max_t V_t / \mu

    Assumes what :func:`pl_bound` assumes, alpha n L <= 1/2 included (n does not enter the value).

    Provenance: proved here, note ``T2-pl-any-order``.

    Examples
    --------
    >>> round(pl_floor(alpha=0.01, L=1.0, V=0.5, mu=0.5), 9)
    0.0004
    """
    alpha, V = positive("alpha", alpha), nonnegative("V", V)
    mu, L = condition(mu, L)
    return 4 * (alpha * L) ** 2 * V / mu


def rr_pl_floor(alpha: float, L: float, sigma: float, mu: float, m: int, n: int) -> float:
    r"""Bound the expected floor of (distributed) random reshuffling under the PL condition (T2).

    .. math:: \limsup_T E f(x_T) - f_* \le \tfrac23 \alpha^2 L^2 (n + 1) \sigma^2 / (m \mu)

    Assumes what :func:`pl_bound` assumes; permutations fresh in every epoch and independent over workers; the
    mean within-worker variance is at most sigma^2 wherever the iterates go.

    Provenance: proved here, note ``T2-pl-any-order``. Counterpart of Theorem 1 of arXiv:2110.10342 (large
    epochs, up to logarithms there).

    Examples
    --------
    >>> round(rr_pl_floor(alpha=0.01, L=1.0, sigma=1.0, mu=0.5, m=2, n=11), 9)
    0.0008
    """
    V = rr_mean_square_herding(sigma, m, n)
    return pl_floor(capped_step(alpha, n, L, 1 / 2, "T2"), L, V, mu)
