"""The theorems of CD-GraB as they are printed (arXiv:2302.00845, author's copy with appendix), and a lemma.

``F`` is f(x_0) - inf f, ``L`` the cross-norm constant L_{2,inf}, ``balance`` the bound A of its Theorem 1 for
vectors of norm 1, sigma^2 the variance within workers and varsigma^2 the heterogeneity across them.
Probability at least 1 - T delta throughout.
"""

from __future__ import annotations

import math

from scipy.special import lambertw

from theory._checks import integer_at_least, nonnegative, positive
from theory.convergence._epochs import condition


def cd_grab_nonconvex_step_published(
    F: float, L: float, sigma: float, varsigma: float, balance: float, m: int, n: int, T: int
) -> float:
    r"""Return the step size of the published non-convex theorem on CD-GraB (T9).

    .. math::
        \alpha = \min\Bigl\{ \frac{1}{16 L (2n + A/m)}, \Bigl(
            \frac{4 F m^2}{42 L^2 (\varsigma + \sigma)^2 A^2 n T + 18 L^2 m^2 n^3 \sigma^2}
        \Bigr)^{1/3} \Bigr\}

    Assumes within-worker variance at most sigma^2 and heterogeneity of workers at most varsigma^2, both
    everywhere.

    Provenance: published, read (arXiv:2302.00845, Theorem 2, pp. 6-8), note ``T9-published-theorems``.

    Examples
    --------
    >>> cd_grab_nonconvex_step_published(1.0, 1.0, 0.0, 0.0, balance=0.0, m=2, n=4, T=5) == 1 / 128
    True
    """
    F, L, A, m, n, T = _arguments(F, L, balance, m, n, T)
    spread, sigma = _spread(sigma, varsigma), nonnegative("sigma", sigma)
    noise = 42 * (L * spread * A) ** 2 * n * T + 18 * (L * m * sigma) ** 2 * n**3
    cap = _cap(L, A, m, n)
    return cap if noise == 0 else min(cap, math.cbrt(4 * F * m**2 / noise))


def cd_grab_nonconvex_published(
    F: float, L: float, sigma: float, varsigma: float, balance: float, m: int, n: int, T: int
) -> float:
    r"""Bound the mean squared gradient norm as the published theorem on CD-GraB does (T9).

    .. math::
        \frac1T \sum_t \|\nabla f(x_t)\|^2 \le 9 \Bigl(\frac{F L (\varsigma + \sigma) A}{m n T}\Bigr)^{2/3}
            + \frac{(72 F \sigma L)^{2/3} + 64 F L (2 + A / (m n))}{T}

    Assumes what :func:`cd_grab_nonconvex_step_published` assumes, and its step size.

    Provenance: published, read (arXiv:2302.00845, Theorem 2, pp. 6-8), note ``T9-published-theorems``; proved
    counterpart: :func:`cd_grab_nonconvex_rate`.

    Examples
    --------
    >>> cd_grab_nonconvex_published(1.0, 1.0, 0.0, 0.0, balance=0.0, m=2, n=4, T=64)
    2.0
    """
    F, L, A, m, n, T = _arguments(F, L, balance, m, n, T)
    leading = 9 * math.pow(F * L * _spread(sigma, varsigma) * A / (m * n * T), 2 / 3)
    start = math.pow(72 * F * nonnegative("sigma", sigma) * L, 2 / 3)
    return leading + (start + 64 * F * L * (2 + A / (m * n))) / T


def cd_grab_pl_step_published(
    F: float, L: float, mu: float, sigma: float, varsigma: float, balance: float, m: int, n: int, T: int
) -> float:
    r"""Return the step size of the published PL theorem on CD-GraB (T9).

    .. math::
        \alpha = \frac{2 W}{T n \mu}, \quad W = W_0(T^2 m^2 n^2 C), \quad
        C = \frac{(F + \sigma^2 / L) \mu^2}{224 L^2 (\varsigma + \sigma)^2 A^2}; \qquad
        T \ge 10 + \frac{32 L}{\mu} \Bigl(2 + \frac{A}{mn}\Bigr) W

    Assumes what :func:`cd_grab_nonconvex_step_published` assumes, with the PL constant mu; W_0 is Lambert's
    function. The condition on T is checked; it implies the two caps of the proof (p. 29), alpha <= 2/(9 n mu)
    and alpha <= 1/(16 L (2n + A/m)).

    Provenance: published, read (arXiv:2302.00845, Theorem 3, pp. 6-8 and 29), note ``T9-published-theorems``.

    Examples
    --------
    >>> alpha = cd_grab_pl_step_published(1.0, 1.0, 0.1, 1.0, 0.0, 1.0, m=8, n=64, T=10**5)
    >>> alpha <= 1 / (16 * (2 * 64 + 1 / 8))
    True
    """
    W, _, _ = _pl_terms(F, L, mu, sigma, varsigma, balance, m, n, T)
    least = 10 + 32 * L / mu * (2 + balance / (m * n)) * W
    if least > T:
        raise ValueError(f"expected T >= {least:.4g} (published PL theorem); got {T}; run more epochs")
    return 2 * W / (T * n * mu)


def cd_grab_pl_published(
    F: float,
    L: float,
    mu: float,
    sigma: float,
    varsigma: float,
    balance: float,
    m: int,
    n: int,
    T: int,
    *,
    printed: bool = False,
) -> float:
    r"""Bound the optimality gap as the published PL theorem on CD-GraB does (T9).

    .. math::
        f(x_T) - f_* \le \frac{1}{(m n T)^2} \Bigl[ X \frac WC
            + \frac{112 L^2 (\varsigma + \sigma)^2 A^2 W^2}{\mu^3} \Bigr], \qquad X = F + \frac{\sigma^2}{L}

    Assumes what :func:`cd_grab_pl_step_published` assumes, and its step size, W and C. The statement prints
    X = F + L^2 sigma^2 (p. 8); its proof has F + sigma^2 / L (p. 29), which is also what C contains and alone
    has the unit of f.

    Provenance: published, read (arXiv:2302.00845, Theorem 3, p. 8, with X of its proof, p. 29), note
    ``T9-published-theorems``; proved counterpart: :func:`cd_grab_pl_bound`.

    Parameters
    ----------
    printed : bool
        Take X as the statement prints it.

    Examples
    --------
    >>> low = [cd_grab_pl_published(1.0, 1.0, 0.1, 1.0, 0.0, 1.0, m=m, n=16, T=10**6) for m in (1, 2)]
    >>> 3 < low[0] / low[1] < 4
    True
    """
    W, C, noise = _pl_terms(F, L, mu, sigma, varsigma, balance, m, n, T)
    cd_grab_pl_step_published(F, L, mu, sigma, varsigma, balance, m, n, T)
    X = F + (L**2 * sigma**2 if printed else sigma**2 / L)
    return (X * W / C + 112 * noise * W**2 / mu**3) / (m * n * T) ** 2


def cd_grab_drift_published(
    drift: float, L: float, spread: float, balance: float, grad_norm: float, alpha: float, m: int, n: int
) -> float:
    r"""Bound how far the next epoch of CD-GraB strays from its start, as the published lemma does (T9).

    .. math::
        \Delta_{t+1} \le \frac{\Delta_t}{2} + \alpha L \Bigl(4n + \frac{2A}{m}\Bigr) \Delta_t
            + \alpha n L \Delta_{t+1} + \alpha \frac{(\varsigma + \sigma) A}{m}
            + \alpha n \|\nabla f(x_{t+1})\|

    solved for Delta_{t+1}. Units leave one reading of Delta: the largest ||x_k - x_t||_inf of epoch t.

    Assumes what :func:`cd_grab_nonconvex_step_published` assumes; alpha n L < 1.

    Provenance: published, read (arXiv:2302.00845, Lemma 5, p. 23), note ``T9-published-theorems``; proved
    counterpart: :func:`cd_grab_herding_bound`, in the herding error itself and without the factor 4.

    Parameters
    ----------
    spread : float
        varsigma + sigma; times A it bounds the running sums of the epoch.
    grad_norm : float
        ||grad f(x_{t+1})||_2.

    Examples
    --------
    >>> cd_grab_drift_published(4.0, L=1.0, spread=2.0, balance=4.0, grad_norm=0.0, alpha=0.05, m=2, n=10)
    22.0
    """
    m, n = integer_at_least("m", m, 1), integer_at_least("n", n, 1)
    alpha, L = positive("alpha", alpha), positive("L", L)
    drift, A = nonnegative("drift", drift), nonnegative("balance", balance)
    if alpha * n * L >= 1:
        raise ValueError(f"expected alpha n L < 1 (published lemma); got {alpha * n * L:.4g}; reduce alpha")
    known = drift / 2 + alpha * L * (4 * n + 2 * A / m) * drift
    known += alpha * nonnegative("spread", spread) * A / m
    return (known + alpha * n * nonnegative("grad_norm", grad_norm)) / (1 - alpha * n * L)


def _pl_terms(
    F: float, L: float, mu: float, sigma: float, varsigma: float, balance: float, m: int, n: int, T: int
) -> tuple[float, float, float]:
    """Return W, C and L^2 (varsigma + sigma)^2 A^2 of the PL theorem."""
    F, L, A, m, n, T = _arguments(F, L, balance, m, n, T)
    mu, L = condition(mu, L)
    spread = positive("varsigma + sigma", _spread(sigma, varsigma))
    noise = (L * spread * positive("balance", A)) ** 2
    C = (F + sigma**2 / L) * mu**2 / (224 * noise)
    return float(lambertw((T * m * n) ** 2 * C).real), C, noise


def _cap(L: float, A: float, m: int, n: int) -> float:
    return 1 / (16 * L * (2 * n + A / m))


def _spread(sigma: float, varsigma: float) -> float:
    return nonnegative("varsigma", varsigma) + nonnegative("sigma", sigma)


def _arguments(
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
