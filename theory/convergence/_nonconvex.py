"""Smooth non-convex objectives: how fast the gradient shrinks under any order, and under random reshuffling.

Every f_ij is L-smooth in the Euclidean norm, f is their mean over m workers and n examples per worker, and
one step is ``x_k = x_{k-1} - (alpha / m) sum_i grad f_{i, pi_i(k)}(x_{k-1})``. The order of an epoch enters
only through its prefixes at the epoch's first point x_t,

    P_k = sum_{l<=k} [ (1/m) sum_i grad f_{i, pi_i(l)}(x_t) - grad f(x_t) ],
    H_t = max_k ||P_k||,        V_t = (1/n) sum_{k<n} ||P_k||^2 <= H_t^2.

H is the parallel herding error of the unnormalised prefix sums DIVIDED BY m. The statements are pathwise:
they hold for every order of every method, random or not. They also hold with the norms of all prefixes taken
in the inf-norm and L replaced by L_{2,inf}, the constant of
``||grad f_ij(x) - grad f_ij(y)||_2 <= L_{2,inf} ||x - y||_inf`` (note ``T1-nonconvex-any-order``).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, nonnegative, positive, real
from theory.convergence._epochs import capped_step, per_epoch


def epoch_descent_bound(value: float, grad_norm: float, V: float, alpha: float, n: int, L: float) -> float:
    """Largest value of f after one epoch, in any order.

        f(x_{t+1}) <= f(x_t) - (alpha n / 2) (1 - 1.6 (alpha n L)^2) ||grad f(x_t)||^2 + 2.4 alpha^3 n L^2 V_t

    Assumptions: every f_ij is L-smooth; alpha n L <= 1/2.

    Provenance: derived (T1, note ``T1-nonconvex-any-order``).

    Parameters
    ----------
    value : float
        f(x_t), any sign.
    grad_norm : float
        ||grad f(x_t)||_2.
    V : float
        Mean-square herding error V_t of the epoch's order at x_t.
    alpha : float
        Step size.
    n : int
        Examples per worker.
    L : float
        Smoothness of every f_ij.

    Returns
    -------
    float
        Upper bound on f(x_{t+1}).

    Raises
    ------
    ValueError
        If alpha n L > 1/2 or an argument has the wrong sign.

    References
    ----------
    Counterpart with explicit constants of the descent step in arXiv:2205.10733.

    Examples
    --------
    >>> round(epoch_descent_bound(1.0, 2.0, 0.5, alpha=0.01, n=10, L=1.0), 6)
    0.803212
    """
    n = integer_at_least("n", n, 1)
    alpha = capped_step(alpha, n, L, 1 / 2, "T1")
    grad_norm, V = nonnegative("grad_norm", grad_norm), nonnegative("V", V)
    descent = alpha * n / 2 * (1 - 1.6 * (alpha * n * L) ** 2) * grad_norm**2
    return real("value", value) - descent + 2.4 * alpha**3 * n * L**2 * V


def nonconvex_bound(F0: float, L: float, V: ArrayLike, alpha: float, n: int, T: int) -> float:
    """Mean squared gradient norm over T epochs, in any orders.

        (1/T) sum_t ||grad f(x_t)||^2 <= (10/3) F0 / (alpha n T) + 8 alpha^2 L^2 (1/T) sum_t V_t

    Assumptions: every f_ij is L-smooth; alpha n L <= 1/2; F0 = f(x_0) - inf f.

    Provenance: derived (T1, note ``T1-nonconvex-any-order``).

    Parameters
    ----------
    F0 : float
        f(x_0) - inf f.
    L : float
        Smoothness of every f_ij.
    V : float or array of shape (T,)
        Mean-square herding errors V_t, or one bound on their mean over epochs.
    alpha : float
        Step size.
    n, T : int
        Examples per worker, epochs.

    Returns
    -------
    float
        Upper bound on the mean of ||grad f(x_t)||^2 over t = 0..T-1.

    Raises
    ------
    ValueError
        If alpha n L > 1/2, T < 1, V has another length than T, or an argument has the wrong sign.

    References
    ----------
    Counterpart with explicit constants of the herding theorem in arXiv:2205.10733.

    Examples
    --------
    >>> round(nonconvex_bound(F0=3.0, L=1.0, V=0.5, alpha=0.01, n=10, T=100), 6)
    1.0004
    """
    n, T = integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    alpha, F0 = capped_step(alpha, n, L, 1 / 2, "T1"), nonnegative("F0", F0)
    return 10 / 3 * F0 / (alpha * n * T) + 8 * alpha**2 * L**2 * float(np.mean(per_epoch("V", V, T)))


def nonconvex_step(F0: float, L: float, V: float, n: int, T: int) -> float:
    """Step size that minimises the bound for any orders under its cap.

        alpha = min{ 1 / (2 n L), (5 F0 / (24 n T L^2 V))^{1/3} }

    Assumptions: as :func:`nonconvex_bound`; V bounds the mean of V_t.

    Provenance: derived (T1, note ``T1-nonconvex-any-order``).

    Parameters
    ----------
    F0, L, V : float
        As in :func:`nonconvex_bound`; V = 0 gives the cap.
    n, T : int
        Examples per worker, epochs.

    Returns
    -------
    float
        The step size.

    Raises
    ------
    ValueError
        If T < 1 or an argument has the wrong sign.

    References
    ----------
    None: elementary calculus on :func:`nonconvex_bound`.

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
    """Mean squared gradient norm at the step of :func:`nonconvex_step`, in any orders.

        (1/T) sum_t ||grad f(x_t)||^2 <= 8.44 (F0 L sqrt(V) / (n T))^{2/3} + (20/3) L F0 / T

    Assumptions: as :func:`nonconvex_bound`; V bounds the mean of V_t.

    Provenance: derived (T1, note ``T1-nonconvex-any-order``).

    Parameters
    ----------
    F0, L, V : float
        As in :func:`nonconvex_bound`.
    n, T : int
        Examples per worker, epochs.

    Returns
    -------
    float
        Upper bound on the mean of ||grad f(x_t)||^2.

    Raises
    ------
    ValueError
        If T < 1 or an argument has the wrong sign.

    References
    ----------
    The rate (n T)^{-2/3} at V = O(1) is the one in the abstract of arXiv:2205.10733.

    Examples
    --------
    >>> round(nonconvex_rate(F0=1.0, L=1.0, V=1.0, n=10, T=100), 6)
    0.151067
    """
    F0, L, V = nonnegative("F0", F0), positive("L", L), nonnegative("V", V)
    n, T = integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    return 8.44 * math.pow(F0 * L * math.sqrt(V) / (n * T), 2 / 3) + 20 / 3 * L * F0 / T


def rr_mean_square_herding(sigma: float, m: int, n: int) -> float:
    """Mean-square herding error of fresh independent random permutations.

        E V_t = (n + 1) sigma^2 / (6 m)

    Assumptions: worker i draws its permutation uniformly and independently of x_t and of the other workers.

    Provenance: derived (T1-RR, note ``T1-nonconvex-any-order``; an equality).

    Parameters
    ----------
    sigma : float
        Root of the mean over workers of the within-worker variance of the gradients at x_t.
    m, n : int
        Workers, examples per worker.

    Returns
    -------
    float
        E V_t.

    Raises
    ------
    ValueError
        If sigma < 0, m < 1 or n < 1.

    References
    ----------
    None: sampling without replacement, enumerated in the tests.

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
    """Bound the expected mean squared gradient norm of (distributed) random reshuffling.

        (1/T) sum_t E ||grad f(x_t)||^2 <= (10/3) F0 / (alpha n T) + (4/3) alpha^2 L^2 (n + 1) sigma^2 / m

    Assumptions: every f_ij is L-smooth; alpha n L <= 1/2; permutations fresh in every epoch and independent
    over workers; the mean within-worker variance is at most sigma^2 wherever the iterates go.

    Provenance: derived (T1-RR, note ``T1-nonconvex-any-order``).

    Parameters
    ----------
    F0, L, sigma, alpha : float
        Initial gap, smoothness, within-worker standard deviation, step size.
    m, n, T : int
        Workers, examples per worker, epochs.

    Returns
    -------
    float
        Upper bound on the mean of E ||grad f(x_t)||^2; optimised over alpha: m^{-1/3} n^{-1/3} T^{-2/3}.

    Raises
    ------
    ValueError
        If alpha n L > 1/2, T < 1, or an argument has the wrong sign.

    References
    ----------
    Counterpart of the non-convex theorem of arXiv:2006.05988.

    Examples
    --------
    >>> round(rr_nonconvex_bound(F0=3.0, L=1.0, sigma=1.0, alpha=0.01, m=2, n=11, T=100), 6)
    0.909891
    """
    return nonconvex_bound(F0, L, rr_mean_square_herding(sigma, m, n), alpha, n, T)
