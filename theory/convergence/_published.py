"""Published theorems with their constants, as reference lines beside what is derived here.

Nothing in this module is derived here, and nothing in it is ever the expected value of a test. Each line says
whether its text was READ in the source named, or only RECALLED as commonly quoted, unconfirmed against the
paper. Letters are the project's (several papers write K for T, and swap m and n). For CD-GraB ``F`` is
f(x_0) - inf f, ``L`` the cross-norm constant L_{2,inf}, ``balance`` a bound A for vectors of norm 1, sigma^2
the within-worker variance and varsigma^2 the heterogeneity of workers; ``sigma`` of RR and SGD is that of the
gradients at x*.
"""

from __future__ import annotations

import math

from scipy.special import lambertw

from theory._checks import integer_at_least, nonnegative, positive
from theory.convergence._epochs import capped_step, step_below


def cd_grab_nonconvex_step_published(
    F: float, L: float, sigma: float, varsigma: float, balance: float, m: int, n: int, T: int
) -> float:
    r"""Return the step size of the published non-convex theorem on CD-GraB (T5, recalled).

    .. math::
        \alpha = \min\Bigl\{ \frac{1}{16 L (2n + A/m)}, \Bigl(
            \frac{4 F m^2}{42 L^2 (\varsigma + \sigma)^2 A^2 n T + 18 L^2 m^2 n^3 \sigma^2}
        \Bigr)^{1/3} \Bigr\}

    Assumes within-worker variance at most sigma^2 and heterogeneity of workers at most varsigma^2.

    Provenance: recalled (Theorem 1 of arXiv:2302.00845), not confirmed against the paper.

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
    r"""Bound the mean squared gradient norm as the published theorem on CD-GraB does (T5, recalled).

    .. math::
        \frac1T \sum_t \|\nabla f(x_t)\|^2 \le 9 \Bigl(\frac{F L (\varsigma + \sigma) A}{m n T}\Bigr)^{2/3}
            + \frac{(72 F \sigma L)^{2/3} + 64 F L (2 + A / (m n))}{T}

    Assumes what :func:`cd_grab_nonconvex_step_published` assumes; probability at least 1 - T delta.

    Provenance: recalled (Theorem 1 of arXiv:2302.00845), not confirmed against the paper; derived
    counterpart: :func:`cd_grab_nonconvex_rate`.

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
    r"""Bound the optimality gap as the published PL theorem on CD-GraB does (T6, recalled).

    .. math::
        f(x_T) - f_* &\le \frac{1}{(m n T)^2} \Bigl[ (F + L^2 \alpha^2 \sigma^2) \frac WC
            + \frac{112 L^2 (\varsigma + \sigma)^2 A^2 W^2}{\mu^3} \Bigr], \\
        W &= W_0(T^2 m^2 n^2 C), \quad \alpha = \frac{2 W}{T n \mu}, \quad
            C = \frac{(F + \sigma^2 / L) \mu^2}{224 L^2 (\varsigma + \sigma)^2 A^2}

    Assumes what :func:`cd_grab_nonconvex_step_published` assumes, with the PL constant mu; W_0 is Lambert's
    function.

    Provenance: recalled (Theorem 2 of arXiv:2302.00845), not confirmed against the paper; derived
    counterpart: :func:`cd_grab_pl_bound`.

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
    r"""Bound the expected squared distance of random reshuffling on one worker (T3, read).

    .. math::
        E \|x_T - x_*\|^2 \le (1 - \alpha \mu)^{nT} \|x_0 - x_*\|^2 + \frac{\alpha^2 L n \sigma_*^2}{2 \mu}

    Assumes every f_j mu-strongly convex and L-smooth; alpha <= 1/L; the published shuffling radius replaced
    by its published upper bound L n sigma*^2 / 4.

    Provenance: read (Theorems 1 and 2 of arXiv:2102.06704, without a regulariser); derived counterpart, with
    n / (2 (n - 1)) of this floor: :func:`rr_strongly_convex_bound`.

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
    r"""Bound the expected gap of the average iterate of random reshuffling, convex examples (T3, recalled).

    .. math::
        E f(\bar x_T) - f_* \le \frac{\|x_0 - x_*\|^2}{2 \alpha n T} + \frac{\alpha^2 L n \sigma_*^2}{4}

    Assumes every f_j convex and L-smooth; alpha <= 1 / (sqrt(2) L n).

    Provenance: recalled (arXiv:2006.05988), not confirmed against the paper.

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
    r"""Bound the expected squared distance of SGD with replacement, strongly convex examples (Q3, recalled).

    .. math::
        E \|x_k - x_*\|^2 \le (1 - \alpha \mu)^k \|x_0 - x_*\|^2 + \frac{2 \alpha \sigma_*^2}{\mu}

    Assumes every f_j convex and L-smooth, f mu-strongly convex; alpha <= 1 / (2 L).

    Provenance: recalled, folklore, quoted for comparison in arXiv:2006.05988; on quadratics the exact value
    is known (Q3).

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
