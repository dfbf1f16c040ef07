"""Floors where some of the workers take part in a round, shared Hessian (L7)."""

from __future__ import annotations

import numpy as np

from theory._checks import integer_at_least, nonnegative, positive


def cohort_floor(
    alpha: float,
    lam: float,
    n: int,
    within: float,
    between: float,
    m: int,
    C: int,
    *,
    regularised: bool = False,
) -> float:
    r"""Return the stationary E (x - x*)^2 along one eigenvector, C of m workers to a round of n steps (L7).

    With :math:`\rho = (1 - \alpha \lambda)^n` and :math:`a_k = \alpha (1 - \alpha \lambda)^k`, a round adds

    .. math::

        s = \Bigl( \frac{1 - \rho}{\lambda} \Bigr)^2 \frac{m - C}{m - 1} \frac{v_b}C, \qquad
        q = \frac n{n - 1} \Bigl( \sum_k a_k^2 - \frac1n \bigl( \sum_k a_k \bigr)^2 \Bigr) \frac{v_w}C

    and the floor is :math:`(s + q) / (1 - \rho^2)` for uniform cohorts at the end of every round; for
    regularised ones, at the end of every meta-epoch of R = m / C rounds,

    .. math::

        \frac{1}{1 - \rho^{2R}} \Bigl[ \frac{R \sum_r \rho^{2r} - (\sum_r \rho^r)^2}{R - 1} \, s
        + q \sum_r \rho^{2r} \Bigr]

    Assumes random reshuffling of the examples, anew in every round, H = n and alpha lam < 1.

    Provenance: proved here, note ``L7-cohorts``.

    Parameters
    ----------
    lam : float
        The eigenvalue that all examples share.
    within, between : float
        v_w, the variance of the linear terms within workers, on average; v_b, that of the workers' means.
    C : int
        1..m; a divisor of m where regularised.
    regularised : bool
        Whether everybody takes part once in a meta-epoch.

    Returns
    -------
    float

    Examples
    --------
    One step of 1/2 for one of two workers, with means 1 and -1: x <- x/2 +- 1/2. In turn, in a random order,
    +- 1/4 is left of the two.

    >>> cohort_floor(0.5, 1.0, 1, 0.0, 1.0, m=2, C=1) == 1 / 4 / (1 - 1 / 4)
    True
    >>> cohort_floor(0.5, 1.0, 1, 0.0, 1.0, m=2, C=1, regularised=True) == 1 / 16 / (1 - 1 / 16)
    True
    """
    alpha, lam, n = positive("alpha", alpha), positive("lam", lam), integer_at_least("n", n, 1)
    v_w, v_b = nonnegative("within", within), nonnegative("between", between)
    m, C = integer_at_least("m", m, 1), integer_at_least("C", C, 1)
    if m < C or (regularised and m % C):
        raise ValueError(f"expected C workers of m, a divisor where regularised; got C = {C}, m = {m}")
    if alpha * lam >= 1.0:
        raise ValueError(f"expected alpha lam < 1; got {alpha * lam:g}; take smaller steps")
    a = alpha * (1.0 - alpha * lam) ** np.arange(n)
    rho, R = (1.0 - alpha * lam) ** n, m // C
    s = a.sum() ** 2 * v_b * (m - C) / (C * max(m - 1, 1))
    q = v_w / C * n / max(n - 1, 1) * ((a**2).sum() - a.sum() ** 2 / n)
    if not regularised:
        return float((s + q) / (1.0 - rho**2))
    r = rho ** np.arange(R)
    spread = (R * (r**2).sum() - r.sum() ** 2) / max(R - 1, 1)
    return float((spread * s + q * (r**2).sum()) / (1.0 - rho ** (2 * R)))
