"""Published theorems on random reshuffling and SGD with their constants, as reference lines.

Nothing in this module is proved here, and nothing in it is ever the expected value of a test. Each line says
whether its text was read in the source named, or only recalled as commonly quoted. Letters are the project's
(several papers write K for T, and swap m and n); ``sigma`` is that of the gradients at x*. One worker.
"""

from __future__ import annotations

import math

from theory._checks import integer_at_least, nonnegative, one_of, positive
from theory.convergence._epochs import capped_step, step_below


def rr_strongly_convex_published(
    r0: float, L: float, sigma: float, mu: float, alpha: float, n: int, T: int
) -> float:
    r"""Bound the expected squared distance of random reshuffling, strongly convex examples (T9, see T3).

    .. math::
        E \|x_T - x_*\|^2 \le (1 - \alpha \mu)^{nT} \|x_0 - x_*\|^2 + \frac{\alpha^2 L n \sigma_*^2}{2 \mu}

    Assumes every f_j mu-strongly convex and L-smooth; alpha <= 1/L; the published shuffling radius replaced
    by its published upper bound L n sigma*^2 / 4.

    Provenance: published, read (arXiv:2102.06704, Theorems 1 and 2, without a regulariser), note
    ``T9-published-theorems``; proved counterpart, with n / (2 (n - 1)) of this floor:
    :func:`rr_strongly_convex_bound`.

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
    r"""Bound the expected gap of the mean of the epochs' ends, random reshuffling, convex (T9, see T3).

    .. math::
        E f(\bar x_T) - f_* \le \frac{\|x_0 - x_*\|^2}{2 \alpha n T} + \frac{\alpha^2 L n \sigma_*^2}{4}

    Assumes every f_j convex and L-smooth; alpha <= 1 / (sqrt(2) L n).

    Provenance: published, recalled (arXiv:2006.05988), not compared with the paper, note
    ``T9-published-theorems``.

    Examples
    --------
    >>> rr_convex_published(r0=1.0, L=1.0, sigma=0.0, alpha=0.05, n=10, T=10)
    0.1
    """
    n, T = integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    alpha = capped_step(alpha, n, L, math.sqrt(0.5), "recalled")
    noise = alpha**2 * L * n * nonnegative("sigma", sigma) ** 2 / 4
    return nonnegative("r0", r0) / (2 * alpha * n * T) + noise


def rr_any_step_published(
    r0: float, L: float, L_mean: float, sigma: float, alpha: float, n: int, T: int
) -> float:
    r"""Bound the expected gap of the mean of all iterates, random reshuffling, steps up to 1/(6L) (T9).

    .. math::
        E f(\bar x) - f_* \le \frac{6 \|x_0 - x_*\|^2}{\alpha n T}
            + 51 \min\{\alpha, n \bar L \alpha^2\} \sigma_*^2, \qquad \bar L = \frac1n \sum_j L_j \le L

    for a constant step; published for any steps, constant within epochs, with weighted means. No step of
    order 1/(n L) is asked for: random reshuffling is nowhere behind SGD.

    Assumes every f_j convex and L_j-smooth, L the largest L_j; alpha <= 1/(6 L); xbar the mean of the n T
    iterates.

    Provenance: published, read (COLT 2026, PMLR 336:4859-4882, Theorem 1; preprint arXiv:2606.32005), note
    ``T9-published-theorems``.

    Parameters
    ----------
    L_mean : float
        The mean of the L_j.

    Examples
    --------
    >>> rr_any_step_published(r0=1.0, L=1.0, L_mean=1.0, sigma=0.0, alpha=0.125, n=4, T=12)
    1.0
    """
    n, T = integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    alpha, mean = step_below(1 / 6, alpha, L, "published"), positive("L_mean", L_mean)
    if mean > L * (1 + 1e-12):
        raise ValueError(f"expected L_mean <= L; got {mean} > {L}; L is the largest of the constants")
    noise = 51 * min(alpha, n * mean * alpha**2) * nonnegative("sigma", sigma) ** 2
    return 6 * nonnegative("r0", r0) / (alpha * n * T) + noise


def sgd_strongly_convex_published(
    r0: float, L: float, sigma: float, mu: float, alpha: float, steps: int
) -> float:
    r"""Bound the expected squared distance of SGD with replacement, strongly convex examples (T9, see Q3).

    .. math::
        E \|x_k - x_*\|^2 \le (1 - \alpha \mu)^k \|x_0 - x_*\|^2 + \frac{2 \alpha \sigma_*^2}{\mu}

    Assumes every f_j convex and L-smooth, f mu-strongly convex; alpha <= 1 / (2 L).

    Provenance: published, recalled (folklore, quoted for comparison in arXiv:2006.05988), note
    ``T9-published-theorems``; on quadratics the exact value is known (Q3).

    Examples
    --------
    >>> sgd_strongly_convex_published(r0=1.0, L=1.0, sigma=0.0, mu=1.0, alpha=0.5, steps=2)
    0.25
    """
    steps, alpha = integer_at_least("steps", steps, 1), step_below(0.5, alpha, L, "recalled")
    mu, noise = positive("mu", mu), 2 * alpha * nonnegative("sigma", sigma) ** 2
    return math.pow(1 - alpha * mu, steps) * nonnegative("r0", r0) + noise / mu


def shuffling_lower_line(ordering: str, n: int, T: int, G: float, lam: float) -> float:
    r"""Return the published order of what a constant step leaves at best, without its constant (T9, see I9).

    .. math::
        E f(x_T) - f_* \ge c \min\Bigl\{ \lambda, \frac{G^2}{\lambda} \Bigl(
            \frac{1}{(nT)^2} + \frac{1}{n T^3} \Bigr) \Bigr\} \ \text{(rr)}, \qquad
        \frac{1}{n T^2} \ \text{(so)}, \qquad \frac{1}{T^2} \ \text{(ig)}

    in the place of the bracket, with an absolute constant c > 0 that is not named; c = 1 here.

    Assumes the instances of I9: lam-strongly convex f, gradients of size G.

    Provenance: published, read (arXiv:1908.00045, Theorems 5, 7 and 8), note ``T9-published-theorems``.

    Parameters
    ----------
    ordering : {"rr", "so", "ig"}

    Examples
    --------
    >>> shuffling_lower_line("so", n=4, T=5, G=1.0, lam=1.0)
    0.01
    """
    n, T = integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    orders = {"rr": 1 / (n * T) ** 2 + 1 / (n * T**3), "so": 1 / (n * T**2), "ig": 1 / T**2}
    lam, G = positive("lam", lam), positive("G", G)
    return min(lam, G**2 / lam * orders[one_of("ordering", ordering, orders)])


def shuffling_step_published(ordering: str, n: int, T: int, lam: float) -> float:
    r"""Return the steps that reach the order of :func:`shuffling_lower_line` up to logarithms (T9, see I9).

    .. math::
        \alpha = \frac{\log(\sqrt n \, T)}{\lambda n T} \ \text{(rr)}, \qquad
        \alpha = \frac{\log(n T)}{\lambda n T} \ \text{(so)}

    Assumes quadratics in one variable; T large against the condition number and log(n T).

    Provenance: published, read (arXiv:1908.00045, Theorems 9 and 10), note ``T9-published-theorems``.

    Parameters
    ----------
    ordering : {"rr", "so"}

    Examples
    --------
    >>> round(shuffling_step_published("rr", n=4, T=8, lam=1.0) * 32 / math.log(2), 12)  # sqrt(4) 8 = 2^4
    4.0
    """
    n, T = integer_at_least("n", n, 1), integer_at_least("T", T, 1)
    inside = {"rr": math.sqrt(n) * T, "so": n * T}[one_of("ordering", ordering, ("rr", "so"))]
    return math.log(inside) / (positive("lam", lam) * n * T)
