"""CD-GraB end to end, non-convex and PL, with the balancing bound as the only input from the signs (T5, T6).

The m workers step together, and the server signs the differences of consecutive live gradients in one running
sum over all workers; A_t is its largest norm after a full pair of all workers. A bound on A_t, certain or
with high probability, turns each line into a rate; where it does not grow with m, the m^{-2} below is the
linear speedup.

With one worker (m = 1) these are statements about pair-balanced GraB. For pair balancing on every worker by
itself (D-GraB) they hold with A_t / m replaced by the mean of the workers' own bounds and H_0 by the mean of
their own herding errors (note ``T8-independent-herding``).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, nonnegative, positive
from theory.convergence._epochs import capped_step, condition, per_epoch


def cd_grab_nonconvex_bound(
    F0: float, L: float, H0: float, balance: ArrayLike, alpha: float, m: int, n: int, T: int
) -> float:
    r"""Bound the mean squared gradient norm of CD-GraB over T epochs (T5).

    .. math::
        \frac1T \sum_t \|\nabla f(x_t)\|^2 \le 2.05 \frac{F_0}{\alpha n T} + 9.9 \frac{\alpha^2 L^2 H_0^2}{T}
            + 22.5 \frac{\alpha^2 L^2}{m^2} \, \frac1T \sum_t A_t^2

    Assumes every f_ij is L-smooth; alpha n L <= 1/12; A_t = max_j ||running pair sum after pair j|| as the
    server sees it in epoch t (live gradients, not divided by m); signs by any rule.

    Provenance: proved here, note ``T5-cd-grab-nonconvex``. Counterpart of Theorem 2 of arXiv:2302.00845 with
    other constants.

    Examples
    --------
    By hand, 2.05 / 5 and 9.9 times 25e-8 and 22.5 times 625e-8: 0.41 + 0.000002475 + 0.000140625.

    >>> round(cd_grab_nonconvex_bound(F0=1.0, L=1.0, H0=1.0, balance=2.0, alpha=0.005, m=4, n=10, T=100), 6)
    0.410143
    """
    m, n, T = integer_at_least("m", m, 1), integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    alpha, F0, H0 = capped_step(alpha, n, L, 1 / 12, "T5"), nonnegative("F0", F0), nonnegative("H0", H0)
    mean_square = float(np.mean(per_epoch("balance", balance, T) ** 2))
    return (
        2.05 * F0 / (alpha * n * T)
        + 9.9 * (alpha * L * H0) ** 2 / T
        + 22.5 * (alpha * L / m) ** 2 * mean_square
    )


def cd_grab_nonconvex_step(F0: float, L: float, balance: float, m: int, n: int, T: int) -> float:
    r"""Return the step size that minimises the leading terms of the CD-GraB bound under its cap (T5).

    .. math::
        \alpha = \min\Bigl\{ \frac{1}{12nL}, \Bigl(\frac{2.05 F_0 m^2}{45 n T L^2 A^2}\Bigr)^{1/3} \Bigr\}

    Assumes what :func:`cd_grab_nonconvex_bound` assumes; A bounds the root mean square of A_t.

    Provenance: proved here, note ``T5-cd-grab-nonconvex``.

    Examples
    --------
    >>> cd_grab_nonconvex_step(F0=1.0, L=1.0, balance=0.0, m=4, n=10, T=100) == 1 / 120
    True
    """
    F0, L, balance = positive("F0", F0), positive("L", L), nonnegative("balance", balance)
    m, n, T = integer_at_least("m", m, 1), integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    cap = 1 / (12 * n * L)
    if balance == 0:
        return cap
    return min(cap, math.cbrt(2.05 * F0 * m**2 / (45 * n * T * (L * balance) ** 2)))


def cd_grab_nonconvex_rate(
    F0: float, L: float, balance: float, m: int, n: int, T: int, sigma: float = 0.0
) -> float:
    r"""Bound the mean squared gradient norm of CD-GraB at the step of :func:`cd_grab_nonconvex_step` (T5).

    .. math::
        \frac1T \sum_t \|\nabla f(x_t)\|^2
            \le 8.62 \Bigl(\frac{F_0 L A}{m n T}\Bigr)^{2/3} + \frac{24.6 L F_0 + 0.02 \sigma^2}{T}

    The first term dominates for T >= 23.3 F0 L (m n / A)^2.

    Assumes what :func:`cd_grab_nonconvex_bound` assumes; A bounds the root mean square of A_t. The term in
    sigma pays for an arbitrary first order; sigma = 0 leaves it out, which is right only for a first order
    without herding error.

    Provenance: proved here, note ``T5-cd-grab-nonconvex``. Counterpart of Theorem 2 of arXiv:2302.00845 with
    other constants.

    Examples
    --------
    By hand, 8.62 times (10^-6)^(2/3) and 24.6 / 1000: 0.000862 + 0.0246.

    >>> round(cd_grab_nonconvex_rate(F0=1.0, L=1.0, balance=1.0, m=8, n=125, T=1000), 6)
    0.025462
    """
    F0, L, balance = nonnegative("F0", F0), positive("L", L), nonnegative("balance", balance)
    m, n, T = integer_at_least("m", m, 1), integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    leading = 8.62 * math.pow(F0 * L * balance / (m * n * T), 2 / 3)
    return leading + (24.6 * L * F0 + 0.02 * nonnegative("sigma", sigma) ** 2) / T


def cd_grab_pl_bound(
    F0: float, L: float, H0: float, balance: float, mu: float, alpha: float, m: int, n: int, T: int
) -> float:
    r"""Bound the optimality gap of CD-GraB after T epochs under the PL condition (T6).

    .. math::
        f(x_T) - f_* \le (1 - 0.97 \alpha n \mu)^T (F_0 + 8 \alpha^3 n L^2 H_0^2)
                         + \frac{19 \alpha^2 L^2 \max_t A_t^2}{\mu m^2}

    Assumes every f_ij is L-smooth; ||grad f||^2 >= 2 mu (f - f*); alpha n L <= 1/12; signs by any rule.

    Provenance: proved here, note ``T6-cd-grab-pl``. Counterpart of Theorem 3 of arXiv:2302.00845 with other
    constants.

    Examples
    --------
    >>> round(cd_grab_pl_bound(1.0, 1.0, 0.0, balance=2.0, mu=0.5, alpha=0.005, m=4, n=10, T=1000), 9)
    0.0002375
    """
    m, n, T = integer_at_least("m", m, 1), integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    mu, L = condition(mu, L)
    alpha, F0, H0 = capped_step(alpha, n, L, 1 / 12, "T6"), nonnegative("F0", F0), nonnegative("H0", H0)
    start = F0 + 8 * alpha**3 * n * (L * H0) ** 2
    return (1 - 0.97 * alpha * n * mu) ** T * start + cd_grab_pl_floor(alpha, L, balance, mu, m)


def cd_grab_pl_floor(alpha: float, L: float, balance: float, mu: float, m: int) -> float:
    r"""Bound the optimality gap that CD-GraB keeps in the end at a constant step size, PL condition (T6).

    .. math:: \limsup_T f(x_T) - f_* \le 19 \alpha^2 L^2 \max_t A_t^2 / (\mu m^2)

    Assumes what :func:`cd_grab_pl_bound` assumes, alpha n L <= 1/12 included (n does not enter the value).

    Provenance: proved here, note ``T6-cd-grab-pl``. Counterpart of Theorem 3 of arXiv:2302.00845 with other
    constants.

    Examples
    --------
    >>> round(cd_grab_pl_floor(alpha=0.01, L=1.0, balance=2.0, mu=0.5, m=4), 9)
    0.00095
    """
    alpha, balance, m = positive("alpha", alpha), nonnegative("balance", balance), integer_at_least("m", m, 1)
    mu, L = condition(mu, L)
    return 19 * (alpha * L * balance / m) ** 2 / mu


def live_difference_bound(spread: float, grad_norm: float, alpha: float, L: float) -> float:
    r"""Bound the length of every pair difference on the way, for the threshold of the walk (T10).

    .. math:: B = \varsigma + \alpha L \, (\varsigma + \Gamma)

    With ``balance = theory.balancing.walk_balance_bound(m, n, d, T, delta, "l2", B)`` the bounds of T5 and T6
    hold in all epochs at once with probability 1 - delta; beside m^2 the workers enter through log m alone.

    Assumes every f_ij is L-smooth; ||grad f_ij(x) - grad f_ij'(x)|| <= spread for two examples of one worker
    and ||grad f(x)|| <= grad_norm, wherever the iterates go.

    Provenance: proved here, note ``T10-linear-speedup``.

    Examples
    --------
    >>> live_difference_bound(spread=2.0, grad_norm=8.0, alpha=0.05, L=1.0)
    2.5
    """
    spread, grad_norm = nonnegative("spread", spread), nonnegative("grad_norm", grad_norm)
    return spread + positive("alpha", alpha) * positive("L", L) * (spread + grad_norm)
