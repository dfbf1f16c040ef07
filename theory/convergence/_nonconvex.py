"""Smooth non-convex objectives: how the gradient shrinks in any order, and under random reshuffling (T1)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, nonnegative, positive, real
from theory.convergence._epochs import capped_step, per_epoch


def epoch_descent_bound(value: float, grad_norm: float, V: float, alpha: float, n: int, L: float) -> float:
    r"""Bound the value of f after one epoch, in any order (T1).

    .. math::
        f(x_{t+1}) \le f(x_t) - \tfrac{\alpha n}{2} \bigl(1 - 1.6 (\alpha n L)^2\bigr) \|\nabla f(x_t)\|^2
                       + 2.4 \alpha^3 n L^2 V_t

    Assumes every f_ij is L-smooth; alpha n L <= 1/2.

    Provenance: proved here, note ``T1-nonconvex-any-order``. Counterpart with explicit constants of the
    descent step in arXiv:2205.10733.

    Examples
    --------
    By hand, 1 - 0.05 times 0.984 times 4, and 2.4 times 5e-6: 1 - 0.1968 + 0.000012.

    >>> round(epoch_descent_bound(1.0, 2.0, 0.5, alpha=0.01, n=10, L=1.0), 6)
    0.803212
    """
    n = integer_at_least("n", n, 1)
    alpha = capped_step(alpha, n, L, 1 / 2, "T1")
    grad_norm, V = nonnegative("grad_norm", grad_norm), nonnegative("V", V)
    descent = alpha * n / 2 * (1 - 1.6 * (alpha * n * L) ** 2) * grad_norm**2
    return real("value", value) - descent + 2.4 * alpha**3 * n * L**2 * V


def nonconvex_bound(F0: float, L: float, V: ArrayLike, alpha: float, n: int, T: int) -> float:
    r"""Bound the mean squared gradient norm over T epochs, in any orders (T1).

    .. math::
        \frac1T \sum_t \|\nabla f(x_t)\|^2
            \le \frac{10}{3} \frac{F_0}{\alpha n T} + 8 \alpha^2 L^2 \, \frac1T \sum_t V_t

    Assumes every f_ij is L-smooth; alpha n L <= 1/2; F0 = f(x_0) - inf f.

    Provenance: proved here, note ``T1-nonconvex-any-order``. Counterpart with explicit constants of the
    herding theorem in arXiv:2205.10733.

    Examples
    --------
    By hand, 10 / 3 times 3 / 10, and 8 times 10^-4 / 2: 1 + 0.0004.

    >>> round(nonconvex_bound(F0=3.0, L=1.0, V=0.5, alpha=0.01, n=10, T=100), 6)
    1.0004
    """
    n, T = integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    alpha, F0 = capped_step(alpha, n, L, 1 / 2, "T1"), nonnegative("F0", F0)
    return 10 / 3 * F0 / (alpha * n * T) + 8 * alpha**2 * L**2 * float(np.mean(per_epoch("V", V, T)))


def nonconvex_step(F0: float, L: float, V: float, n: int, T: int) -> float:
    r"""Return the step size that minimises the bound for any orders under its cap (T1).

    .. math:: \alpha = \min\Bigl\{ \frac{1}{2nL}, \Bigl(\frac{5 F_0}{24 n T L^2 V}\Bigr)^{1/3} \Bigr\}

    Assumes what :func:`nonconvex_bound` assumes; V bounds the mean of V_t.

    Provenance: proved here, note ``T1-nonconvex-any-order``.

    Examples
    --------
    >>> nonconvex_step(F0=1.0, L=1.0, V=0.0, n=10, T=100)
    0.05
    """
    F0, L, V = positive("F0", F0), positive("L", L), nonnegative("V", V)
    n, T = integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    cap = 1 / (2 * n * L)
    return cap if V == 0 else min(cap, math.cbrt(5 * F0 / (24 * n * T * L**2 * V)))


def nonconvex_rate(F0: float, L: float, V: float, n: int, T: int) -> float:
    r"""Bound the mean squared gradient norm at the step of :func:`nonconvex_step`, in any orders (T1).

    .. math::
        \frac1T \sum_t \|\nabla f(x_t)\|^2
            \le 8.44 \Bigl(\frac{F_0 L \sqrt V}{n T}\Bigr)^{2/3} + \frac{20}{3} \frac{L F_0}{T}

    Assumes what :func:`nonconvex_bound` assumes; V bounds the mean of V_t.

    Provenance: proved here, note ``T1-nonconvex-any-order``. The rate (n T)^{-2/3} at V = O(1) is the one in
    the abstract of arXiv:2205.10733.

    Examples
    --------
    By hand, 8.44 times (10^-3)^(2/3), and 20 / 3 / 100: 0.0844 + 0.066667.

    >>> round(nonconvex_rate(F0=1.0, L=1.0, V=1.0, n=10, T=100), 6)
    0.151067
    """
    F0, L, V = nonnegative("F0", F0), positive("L", L), nonnegative("V", V)
    n, T = integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    return 8.44 * math.pow(F0 * L * math.sqrt(V) / (n * T), 2 / 3) + 20 / 3 * L * F0 / T


def rr_mean_square_herding(sigma: float, m: int, n: int) -> float:
    r"""Return the mean-square herding error of fresh independent random permutations (T1-RR).

    .. math:: E V_t = (n + 1) \sigma^2 / (6 m)

    Assumes worker i draws its permutation uniformly and independently of x_t and of the other workers.

    Provenance: proved here, note ``T1-nonconvex-any-order``; an equality.

    Examples
    --------
    >>> rr_mean_square_herding(sigma=1.0, m=2, n=11)
    1.0
    """
    sigma = nonnegative("sigma", sigma)
    m, n = integer_at_least("m", m, 1), integer_at_least("n", n, 1)
    # A worker with one example has no variance and no prefix to speak of.
    return 0.0 if n == 1 else (n + 1) * sigma**2 / (6 * m)


def rr_nonconvex_bound(F0: float, L: float, sigma: float, alpha: float, m: int, n: int, T: int) -> float:
    r"""Bound the expected mean squared gradient norm of (distributed) random reshuffling (T1-RR).

    .. math::
        \frac1T \sum_t E \|\nabla f(x_t)\|^2
            \le \frac{10}{3} \frac{F_0}{\alpha n T} + \frac43 \frac{\alpha^2 L^2 (n + 1) \sigma^2}{m}

    Optimised over alpha it is of order m^{-1/3} n^{-1/3} T^{-2/3}.

    Assumes every f_ij is L-smooth; alpha n L <= 1/2; permutations fresh in every epoch and independent over
    workers; the mean within-worker variance is at most sigma^2 wherever the iterates go.

    Provenance: proved here, note ``T1-nonconvex-any-order``. Counterpart of the non-convex theorem of
    arXiv:2006.05988.

    Examples
    --------
    By hand, 10 / 3 times 3 / 11, and 4 / 3 times 10^-4 times 12 / 2: 0.909091 + 0.0008.

    >>> round(rr_nonconvex_bound(F0=3.0, L=1.0, sigma=1.0, alpha=0.01, m=2, n=11, T=100), 6)
    0.909891
    """
    return nonconvex_bound(F0, L, rr_mean_square_herding(sigma, m, n), alpha, n, T)
