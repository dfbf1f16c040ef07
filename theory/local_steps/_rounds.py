"""Floors of the server's iterate under local steps, skewed instance (L3, L4)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import ndtr

from theory._checks import integer_at_least, nonnegative, positive
from theory._spectral import Array


def reshuffled_rounds(n: int, m: int, H: int, variance: float) -> Array:
    r"""Return how far a worker is from where the epoch began, reshuffled: parallel part and drift (L3).

    .. math::

        b_{i,k} = P(k) + D_i(k) - D_i(a), \qquad
        \operatorname{Var} P(k) = \frac{v}{m} \frac{k (n-k)}{n-1}, \qquad
        \operatorname{Var}(D_i(k) - D_i(a)) = \Bigl(1 - \frac1m\Bigr) v \, \frac{j (n-j)}{n-1}

    The two parts are uncorrelated. With H = n their sum does not know m.

    Assumes independent uniform permutations, and n >= 2.

    Provenance: proved here, note ``L3-local-floors``.

    Parameters
    ----------
    variance : float
        v >= 0.

    Returns
    -------
    ndarray, shape (2, n)
        Both variances, per coordinate, for the steps k = 0, ..., n - 1.

    Examples
    --------
    >>> reshuffled_rounds(4, 2, 2, 3.0).tolist()
    [[0.0, 1.5, 2.0, 1.5], [0.0, 1.5, 0.0, 1.5]]
    """
    n, m, v = integer_at_least("n", n, 2), integer_at_least("m", m, 1), nonnegative("variance", variance)
    k = np.arange(n)
    j = k % integer_at_least("H", H, 1)
    return v / (n - 1) * np.array([k * (n - k) / m, (1.0 - 1.0 / m) * j * (n - j)])


def _excess(deviations: Array, means: Array, c: float) -> Array:
    """Return E(b - c)_+ for normal b with these deviations and means."""
    above = means - c
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(deviations > 0.0, above / deviations, np.where(above > 0.0, np.inf, -np.inf))
    density = np.exp(-0.5 * np.minimum(z * z, 1e4)) / math.sqrt(2.0 * math.pi)
    return np.asarray(deviations * density + above * ndtr(z))


def kinked_rest(kappa: float, deviations: ArrayLike, means: ArrayLike = 0.0) -> float:
    r"""Return where the server rests on the skewed instance, in units of alpha (L3, L4).

    .. math::

        c = E b + (\kappa - 1) \, E (b - c)_+, \qquad
        b \sim \text{the mixture of } N(\bar b, s^2) \text{ over all steps and workers}

    It is the zero of the mean slope over the points c - b where gradients are taken. c >= 0 where E b = 0.

    Assumes kappa >= 1, alpha n L -> 0, and steps from the epoch's start with normal laws.

    Provenance: proved here, notes ``L3-local-floors`` and ``L4-heterogeneous-rounds``; for one step to a
    round it is the equation of I6 before its limit in n.

    Parameters
    ----------
    deviations, means : array_like
        s >= 0 and b-bar of one coordinate, for all steps (n,) or all workers and steps (m, n).

    Examples
    --------
    For one law it is b's deviation times the root of c = (kappa - 1) (phi(c) - c Phi(-c)):

    >>> round(kinked_rest(20.0, [2.0]) / 2.0, 2)
    1.16
    """
    ratio = positive("kappa", kappa)
    if ratio < 1.0:
        raise ValueError(f"expected kappa >= 1; got {kappa}; kappa is L / mu")
    s, b = np.broadcast_arrays(np.asarray(deviations, dtype=float), np.asarray(means, dtype=float))
    centre = float(b.mean())

    def gap(c: float) -> float:
        return centre + (ratio - 1.0) * float(_excess(s, b, c).mean()) - c

    top = gap(centre)  # gap falls by at least one per unit of c
    if top <= 0.0:
        return centre
    return float(brentq(gap, centre, centre + top, xtol=1e-15 * max(1.0, top)))


def local_floor(alpha: float, L: float, mu: float, deviations: ArrayLike, means: ArrayLike = 0.0) -> float:
    r"""Return the floor of the server's loss on the skewed instance, one coordinate (L3, L4).

    .. math:: f - f_* \approx \begin{cases} \frac\mu2 (\alpha c)^2 & c > 0 \\ \frac L2 (\alpha c)^2 & c \le 0
              \end{cases}

    with c from :func:`kinked_rest`. If b keeps its shape, c^2 is proportional to E b^2, the sum of the
    parallel part (m^-1 for reshuffling, m^-2 for coordinated balancing) and the drift, which knows m only by
    1 - 1/m.

    Assumes as :func:`kinked_rest`; what the iterate varies around its mean is left out, a share of order
    alpha n L.

    Provenance: proved here, note ``L3-local-floors``.

    Examples
    --------
    >>> local_floor(0.5, 20.0, 1.0, [0.0])
    0.0
    """
    low = positive("mu", mu)
    high = positive("L", L)
    x = positive("alpha", alpha) * kinked_rest(high / low, deviations, means)
    return 0.5 * (low if x > 0.0 else high) * x * x


def end_of_speedup(n: int, m: int) -> float:
    r"""Return the H at which the drift of reshuffled local steps is as large as their parallel part (L3).

    .. math:: (H - 1)(3n + 1 - 2H) = \frac{n^2 - 1}{m - 1}, \qquad
              H \approx 1 + \frac{n}{3 (m - 1)} \text{ for large } m

    The smaller root. From there on more workers can at most halve the mean square of b.

    Assumes reshuffling, n >= 2, m >= 2.

    Provenance: proved here, note ``L3-local-floors``.

    Examples
    --------
    >>> end_of_speedup(2, 2), end_of_speedup(4, 6)  # (H - 1)(7 - 2H) = 3, (H - 1)(13 - 2H) = 3
    (2.0, 1.28...)
    """
    n, m = integer_at_least("n", n, 2), integer_at_least("m", m, 2)
    b = 3.0 * n + 3.0
    return float((b - math.sqrt(b * b - 8.0 * (3.0 * n + 1.0 + (n * n - 1.0) / (m - 1.0)))) / 4.0)
