"""Floors of compressed gradients: with nothing, with shifts per worker, with shifts per example (C2, C3)."""

from __future__ import annotations

from theory._checks import integer_at_least, nonnegative, positive


def compression_floor(alpha: float, eigenvalue: float, omega: float, square: float, m: int) -> float:
    r"""Return what compression adds to the stationary E e^2 as alpha vanishes, one coordinate (C2).

    .. math:: \frac{\alpha \omega}{2 \lambda m} \, G, \qquad
        G = \frac{1}{mn} \sum_{ij} (\partial_p f_{ij}(x_*))^2

    Neither the order nor n are in it: the exponent in alpha is 1 and that in m is -1 for every ordering.

    Assumes what :func:`compressed_moments` assumes, and orders that visit every example equally often.

    Provenance: proved here, note ``C2-compressed-gradients``. See Sadiev et al., arXiv:2206.07021: the same
    term in the bound of Q-RR.

    Parameters
    ----------
    square : float
        G, mean square of the coordinate's gradients at x_star: differences between workers are in it.

    Examples
    --------
    >>> compression_floor(0.5, 1.0, 2.0, 3.0, 3)
    0.5
    """
    scale = positive("alpha", alpha) * nonnegative("omega", omega) * nonnegative("square", square)
    return scale / (2.0 * positive("eigenvalue", eigenvalue) * integer_at_least("m", m, 1))


def worker_shift_floor(
    alpha: float, eigenvalue: float, omega: float, variance: float, n: int, m: int
) -> float:
    r"""Return what compression adds to E e^2 with a shift for every worker, as alpha vanishes (C3).

    .. math:: \frac{\alpha \omega}{2 \lambda m} \cdot \frac{2 n}{n - 1} \, \sigma_g^2

    Differences between workers are learned, but those of the examples count twice: once as they come, and
    once as the shift follows them. Where workers are alike, shifts per worker double the floor.

    Assumes what :func:`compression_floor` assumes, the rate a = 1 / (1 + omega), random reshuffling, and n
    well beyond 1 / a.

    Provenance: proved here, note ``C3-shifts``. Mishchenko et al., arXiv:1901.09269: the shifts.

    Parameters
    ----------
    variance : float
        sigma_g^2, mean over workers of the within-worker variance of the coordinate's gradients at x_star.

    Examples
    --------
    >>> worker_shift_floor(0.1, 1.0, 2.0, 3.0, 3, 3)
    0.3
    """
    n = integer_at_least("n", n, 2)
    doubled = 2.0 * n / (n - 1.0) * nonnegative("variance", variance)
    return compression_floor(alpha, eigenvalue, omega, doubled, m)


def example_shift_ratio(omega: float, n: int, m: int) -> float:
    r"""Return the floor with a shift per example over that without compression, for small alpha (C3).

    .. math:: 1 + \frac{4 \omega}{m n}

    Shifts take the term of order alpha away. What is left comes from the iterate, which moves within an
    epoch: a shift remembers the gradient at the places where its example was visited before.

    Assumes a shared Hessian, random reshuffling, the rate a = 1 / (1 + omega), and many examples: what is
    left out is smaller by 1 / n and by alpha lambda n.

    Provenance: proved here, note ``C3-shifts``. See Sadiev et al., arXiv:2206.07021: DIANA-RR.

    Examples
    --------
    >>> example_shift_ratio(2.0, 64, 2)
    1.0625
    """
    pairs = integer_at_least("n", n, 2) * integer_at_least("m", m, 1)
    return 1.0 + 4.0 * nonnegative("omega", omega) / pairs
