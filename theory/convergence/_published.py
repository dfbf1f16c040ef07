"""Published theorems with their constants, as reference lines beside what is derived here.

Nothing in this module is derived here, and nothing in it is ever the expected value of a test. Each line says
whether its text was READ in the source named, or only RECALLED as commonly quoted, unconfirmed against the
paper. Letters are the project's: m workers, n examples per worker, T epochs, alpha step size (several papers
write K for T, and swap m and n).
"""

from __future__ import annotations

import math

from scipy.special import lambertw

from theory._checks import integer_at_least, nonnegative, positive
from theory.convergence._epochs import capped_step, step_below


def cd_grab_nonconvex_step_published(
    F: float, L: float, sigma: float, varsigma: float, balance: float, m: int, n: int, T: int
) -> float:
    """Step size of the published non-convex theorem on CD-GraB, as recalled.

        alpha = min{ 1 / (16 L (2 n + A/m)),
                     (4 F m^2 / (42 L^2 (varsigma + sigma)^2 A^2 n T + 18 L^2 m^2 n^3 sigma^2))^{1/3} }

    Assumptions: L is the cross-norm constant L_{2,inf}; within-worker variance at most sigma^2, heterogeneity
    of workers at most varsigma^2; A bounds the balancing for vectors of norm 1.

    Provenance: recalled, not confirmed against the paper. A reference line.

    Parameters
    ----------
    F, L, sigma, varsigma, balance : float
        f(x_0) - inf f, L_{2,inf}, within-worker and across-worker deviation, A.
    m, n, T : int
        Workers, examples per worker, epochs.

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
    Theorem 1 of arXiv:2302.00845.

    Examples
    --------
    >>> cd_grab_nonconvex_step_published(1.0, 1.0, 0.0, 0.0, balance=0.0, m=2, n=4, T=5) == 1 / 128
    True
    """
    F, L, A, m, n, T = _cd_grab_arguments(F, L, balance, m, n, T)
    spread, sigma = nonnegative("varsigma", varsigma) + nonnegative("sigma", sigma), float(sigma)
    cap = 1 / (16 * L * (2 * n + A / m))
    noise = 42 * (L * spread * A) ** 2 * n * T + 18 * (L * m * sigma) ** 2 * n**3
    return cap if noise == 0 else min(cap, math.cbrt(4 * F * m**2 / noise))


def cd_grab_nonconvex_published(
    F: float, L: float, sigma: float, varsigma: float, balance: float, m: int, n: int, T: int
) -> float:
    """Mean squared gradient norm in the published non-convex theorem on CD-GraB, as recalled.

        (1/T) sum_t ||grad f(x_t)||^2 <= 9 (F L (varsigma + sigma) A)^{2/3} / (m n T)^{2/3}
                                         + ((72 F sigma L)^{2/3} + 64 F L (2 + A / (m n))) / T

    Assumptions: as :func:`cd_grab_nonconvex_step_published`; probability at least 1 - T delta.

    Provenance: recalled, not confirmed against the paper. A reference line; derived counterpart:
    :func:`theory.convergence.cd_grab_nonconvex_rate`.

    Parameters
    ----------
    F, L, sigma, varsigma, balance : float
        f(x_0) - inf f, L_{2,inf}, within-worker and across-worker deviation, A.
    m, n, T : int
        Workers, examples per worker, epochs.

    Returns
    -------
    float
        The recalled right-hand side.

    Raises
    ------
    ValueError
        If T < 1 or an argument has the wrong sign.

    References
    ----------
    Theorem 1 of arXiv:2302.00845.

    Examples
    --------
    >>> cd_grab_nonconvex_published(1.0, 1.0, 0.0, 0.0, balance=0.0, m=2, n=4, T=64)
    2.0
    """
    F, L, A, m, n, T = _cd_grab_arguments(F, L, balance, m, n, T)
    sigma, varsigma = nonnegative("sigma", sigma), nonnegative("varsigma", varsigma)
    leading = 9 * math.pow(F * L * (varsigma + sigma) * A / (m * n * T), 2 / 3)
    return leading + (math.pow(72 * F * sigma * L, 2 / 3) + 64 * F * L * (2 + A / (m * n))) / T


def cd_grab_pl_published(
    F: float, L: float, mu: float, sigma: float, varsigma: float, balance: float, m: int, n: int, T: int
) -> float:
    """Optimality gap in the published PL theorem on CD-GraB, as recalled.

        f(x_T) - f* <= (m n T)^{-2} [ (F + L^2 alpha^2 sigma^2) W / C
                                      + 112 L^2 (varsigma + sigma)^2 A^2 W^2 / mu^3 ]
        W = W_0(T^2 m^2 n^2 C),   alpha = 2 W / (T n mu)
        C = (F + sigma^2 / L) mu^2 / (224 L^2 (varsigma + sigma)^2 A^2)

    Assumptions: as :func:`cd_grab_nonconvex_step_published`, with the PL constant mu; W_0 is Lambert's
    function.

    Provenance: recalled, not confirmed against the paper. A reference line; derived counterpart:
    :func:`theory.convergence.cd_grab_pl_bound`.

    Parameters
    ----------
    F, L, mu : float
        f(x_0) - f*, L_{2,inf}, PL constant.
    sigma, varsigma, balance : float
        Within-worker and across-worker deviation (not both zero), A > 0.
    m, n, T : int
        Workers, examples per worker, epochs.

    Returns
    -------
    float
        The recalled right-hand side, of order (m n T)^{-2} up to logarithms.

    Raises
    ------
    ValueError
        If T < 1, no noise is given, or an argument has the wrong sign.

    References
    ----------
    Theorem 2 of arXiv:2302.00845.

    Examples
    --------
    >>> low = [cd_grab_pl_published(1.0, 1.0, 0.1, 1.0, 0.0, 1.0, m=m, n=16, T=10**6) for m in (1, 2)]
    >>> 3 < low[0] / low[1] < 4
    True
    """
    F, L, A, m, n, T = _cd_grab_arguments(F, L, balance, m, n, T)
    mu, sigma = positive("mu", mu), nonnegative("sigma", sigma)
    spread = nonnegative("varsigma", varsigma) + nonnegative("sigma", sigma)
    noise = (L * positive("varsigma + sigma", spread) * positive("balance", A)) ** 2
    C = (F + sigma**2 / L) * mu**2 / (224 * noise)
    W = float(lambertw((T * m * n) ** 2 * C).real)
    alpha = 2 * W / (T * n * mu)
    return ((F + (L * alpha * sigma) ** 2) * W / C + 112 * noise * W**2 / mu**3) / (m * n * T) ** 2


def rr_strongly_convex_published(
    r0: float, L: float, sigma: float, mu: float, alpha: float, n: int, T: int
) -> float:
    """Bound the expected squared distance of random reshuffling on one worker, as published.

        E ||x_T - x*||^2 <= (1 - alpha mu)^{n T} ||x_0 - x*||^2 + alpha^2 L n sigma*^2 / (2 mu)

    Assumptions: every f_j mu-strongly convex and L-smooth; alpha <= 1/L; the published shuffling radius
    replaced by its published upper bound L n sigma*^2 / 4.

    Provenance: read (Theorems 1 and 2 of the paper). Derived counterpart, with n / (2 (n - 1)) of this floor:
    :func:`theory.convergence.rr_strongly_convex_bound`.

    Parameters
    ----------
    r0, L, sigma, mu, alpha : float
        ||x_0 - x*||^2, smoothness, deviation of the gradients at x*, strong convexity, step size.
    n, T : int
        Examples, epochs.

    Returns
    -------
    float
        The published right-hand side.

    Raises
    ------
    ValueError
        If alpha > 1/L, T < 1, or an argument has the wrong sign.

    References
    ----------
    arXiv:2102.06704, Theorems 1 and 2, without a regulariser.

    Examples
    --------
    >>> round(rr_strongly_convex_published(1.0, 1.0, sigma=1.0, mu=0.5, alpha=0.1, n=2, T=1000), 9)
    0.02
    """
    n, T = integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    alpha, mu = step_below(1.0, alpha, L, "published"), positive("mu", mu)
    floor = alpha**2 * L * n * nonnegative("sigma", sigma) ** 2 / (2 * mu)
    return math.pow(1 - alpha * mu, n * T) * nonnegative("r0", r0) + floor


def rr_convex_published(r0: float, L: float, sigma: float, alpha: float, n: int, T: int) -> float:
    """Bound the expected gap of the average iterate of random reshuffling on convex examples, as recalled.

        E f(xbar_T) - f* <= ||x_0 - x*||^2 / (2 alpha n T) + alpha^2 L n sigma*^2 / 4

    Assumptions: every f_j convex and L-smooth; alpha <= 1 / (sqrt(2) L n).

    Provenance: recalled, not confirmed against the paper. A reference line.

    Parameters
    ----------
    r0, L, sigma, alpha : float
        ||x_0 - x*||^2, smoothness, deviation of the gradients at x*, step size.
    n, T : int
        Examples, epochs.

    Returns
    -------
    float
        The recalled right-hand side.

    Raises
    ------
    ValueError
        If alpha n L > 1/sqrt(2), T < 1, or an argument has the wrong sign.

    References
    ----------
    arXiv:2006.05988.

    Examples
    --------
    >>> rr_convex_published(r0=1.0, L=1.0, sigma=0.0, alpha=0.05, n=10, T=10)
    0.1
    """
    n, T = integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    alpha = capped_step(alpha, n, L, math.sqrt(0.5), "recalled")
    noise = alpha**2 * L * n * nonnegative("sigma", sigma) ** 2 / 4
    return nonnegative("r0", r0) / (2 * alpha * n * T) + noise


def sgd_strongly_convex_published(
    r0: float, L: float, sigma: float, mu: float, alpha: float, steps: int
) -> float:
    """Bound the expected squared distance of SGD with replacement on strongly convex examples, as recalled.

        E ||x_k - x*||^2 <= (1 - alpha mu)^k ||x_0 - x*||^2 + 2 alpha sigma*^2 / mu

    Assumptions: every f_j convex and L-smooth, f mu-strongly convex; alpha <= 1 / (2 L).

    Provenance: recalled. A reference line; on quadratics the exact value is known (Q3).

    Parameters
    ----------
    r0, L, sigma, mu, alpha : float
        ||x_0 - x*||^2, smoothness, deviation of the gradients at x*, strong convexity, step size.
    steps : int
        Steps k.

    Returns
    -------
    float
        The recalled right-hand side.

    Raises
    ------
    ValueError
        If alpha > 1/(2 L), steps < 1, or an argument has the wrong sign.

    References
    ----------
    Folklore; quoted for comparison in arXiv:2006.05988.

    Examples
    --------
    >>> sgd_strongly_convex_published(r0=1.0, L=1.0, sigma=0.0, mu=1.0, alpha=0.5, steps=2)
    0.25
    """
    steps, alpha = integer_at_least("steps", steps, 1), step_below(0.5, alpha, L, "recalled")
    mu, noise = positive("mu", mu), 2 * alpha * nonnegative("sigma", sigma) ** 2
    return math.pow(1 - alpha * mu, steps) * nonnegative("r0", r0) + noise / mu


def _cd_grab_arguments(
    F: float, L: float, balance: float, m: int, n: int, T: int
) -> tuple[float, float, float, int, int, int]:
    return (
        positive("F", F),
        positive("L", L),
        nonnegative("balance", balance),
        integer_at_least("m", m, 1),
        integer_at_least("n", n, 1),
        integer_at_least("T", T, 1),
    )
