"""Published bounds for methods with rounds: Scaffnew from above (L5), local SGD from below (L6)."""

from __future__ import annotations

from theory._checks import integer_at_least, nonnegative, positive


def scaffnew_bound(T: int, alpha: float, mu: float, p: float, start: float) -> float:
    r"""Bound the mean Lyapunov function of Scaffnew with full gradients after T steps (L5).

    .. math:: E \Psi_T \le \bigl( 1 - \min(\alpha \mu, p^2) \bigr)^T \Psi_0, \qquad
              \Psi = \sum_i |x_i - x^*|^2 + \frac{\alpha^2}{p^2} \sum_i |h_i - \nabla f_i(x^*)|^2

    Assumes L-smooth and mu-strongly convex f_i, alpha <= 1/L, and sum_i h_i = 0 at the start.

    Provenance: proved here, note ``L5-scaffnew``; published by Mishchenko, Malinovsky, Stich, Richtarik,
    arXiv:2202.09357, Theorem 3.6 (recalled).

    Parameters
    ----------
    start : float
        Psi_0.

    Examples
    --------
    >>> scaffnew_bound(2, 0.5, 0.5, 1.0, 16.0)
    9.0
    """
    if positive("p", p) > 1.0:
        raise ValueError(f"expected 0 < p <= 1; got {p}; pass a probability")
    rate = min(positive("alpha", alpha) * positive("mu", mu), p * p)
    return float((1.0 - rate) ** integer_at_least("T", T, 0) * nonnegative("start", start))


def local_sgd_lower_bound(L: float, B: float, sigma: float, zeta: float, m: int, K: int, R: int) -> float:
    r"""Return the published lower line of local SGD on convex functions, without its constant (L6).

    .. math::

        \frac{L B^2}R + \frac{(L \sigma^2 B^4)^{1/3}}{K^{1/3} R^{2/3}} + \frac{\sigma B}{\sqrt{m K R}}
        + \frac{(L \zeta^2 B^4)^{1/3}}{R^{2/3}}

    Assumes K local steps in each of R rounds, a start within B of a minimiser, noise of variance sigma^2, and
    gradients of the workers within zeta of each other where the mean is least; any step size.

    Provenance: published, recalled (Patel et al., arXiv:2405.11667, Theorem 9 of the COLT version, up to a
    constant), note ``L6-local-lower-bound``.

    Examples
    --------
    >>> local_sgd_lower_bound(8.0, 1.0, 0.0, 0.0, m=4, K=2, R=4)
    2.0
    """
    L, B = positive("L", L), positive("B", B)
    noise, spread = nonnegative("sigma", sigma), nonnegative("zeta", zeta)
    m, K, R = integer_at_least("m", m, 1), integer_at_least("K", K, 1), integer_at_least("R", R, 1)
    drift = ((L * noise**2 * B**4) / K) ** (1 / 3) + (L * spread**2 * B**4) ** (1 / 3)
    return float(L * B**2 / R + drift / R ** (2 / 3) + noise * B / (m * K * R) ** 0.5)
