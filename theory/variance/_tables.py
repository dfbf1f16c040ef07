"""The theorem of SAG (W3)."""

from __future__ import annotations

from theory._checks import integer_at_least, nonnegative, positive


def sag_bound(L: float, mu: float, n: int, k: int, gap: float, r0: float, variance: float) -> float:
    r"""Return the bound of E f(x_k) - f_star of SAG at alpha = 1/(16 L), from an empty table (W3).

    .. math:: \Bigl( 1 - \min\Bigl\{ \frac{\mu}{16 L}, \frac1{8n} \Bigr\} \Bigr)^k C_0, \qquad
        C_0 = f(x_0) - f_* + \frac{4 L}{n} |x_0 - x_*|^2 + \frac{\sigma^2}{16 L}

    Assumes convex examples with L-Lipschitz gradients, a mu-strongly convex mean, and independent draws.

    Provenance: published, recalled (Schmidt, Le Roux, Bach, arXiv:1309.2388, Theorem 1), note ``W3-tables``.

    Parameters
    ----------
    k : int
        Steps.
    gap, r0 : float
        f(x_0) - f_star, and the squared distance from x_star.
    variance : float
        sigma^2, the mean square of the gradients of the examples at x_star.

    Examples
    --------
    A factor 1 - min(1/32, 1/16) in each step, from 1 + 4 / 2:

    >>> abs(sag_bound(1.0, 0.5, 2, 10, 1.0, 1.0, 0.0) - 3 * (31 / 32) ** 10) < 1e-12
    True
    """
    rough, curved, n = positive("L", L), positive("mu", mu), integer_at_least("n", n, 1)
    C0 = nonnegative("gap", gap) + 4.0 * rough / n * nonnegative("r0", r0)
    C0 += nonnegative("variance", variance) / (16.0 * rough)
    return float((1.0 - min(curved / (16.0 * rough), 1.0 / (8.0 * n))) ** integer_at_least("k", k, 0) * C0)
