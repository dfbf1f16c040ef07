"""Random orders: the largest prefix, limits of long lists, growth with the number of workers (R3, R5, R6)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import kolmogorov

from theory._checks import (
    nonnegative,
    nonnegative_array,
    one_of,
)
from theory.random_orders._moments import prefix_second_moment

BRIDGE_MAXIMUM_MEAN = math.sqrt(math.pi / 2.0) * math.log(2.0)
"""Limit of E max_k |S_k| / (sigma sqrt(n)) for d = m = 1 (R5): sqrt(pi/2) log 2 = 0.8687."""

BRIDGE_MAXIMUM_SECOND_MOMENT = math.pi**2 / 12.0
"""Limit of E max_k S_k^2 / (sigma^2 n) for d = 1 (R5): pi^2/12 = 0.8225."""

BRIDGE_AREA_MEAN = math.sqrt(2.0 / math.pi) * math.pi / 8.0
"""Limit of sum_k E|S_k| / (sigma n^{3/2}) for d = m = 1 (R5): sqrt(2/pi) pi/8 = 0.31333."""


def maximum_second_moment_bounds(n: int, m: int, variance: float) -> tuple[float, float]:
    r"""Bound E max_k ||S_k||_2^2 from both sides (R3).

    .. math::
        m \sigma^2 \frac{\lfloor n/2 \rfloor \lceil n/2 \rceil}{n-1} \le E \max_k \|S_k\|_2^2
        \le 8 m \sigma^2 \frac{n^2}{n-1}

    Assumes independent uniformly random orders. Where also max_j ||z_j|| / (sigma sqrt(n)) -> 0, as R5
    assumes, the truth for long lists lies between m n sigma^2 / 4, approached as d grows, and m n sigma^2
    pi^2 / 12, attained at d = 1 (note ``R5-brownian-bridge``): the upper bound is 10 to 32 times too large.

    Provenance: proved here, note ``R3-expected-maximum``. Doob's L2 inequality.

    Returns
    -------
    lower, upper : float
        The two bounds.

    Examples
    --------
    >>> maximum_second_moment_bounds(2, 1, 1.0)  # the true value is 1
    (1.0, 32.0)
    """
    lower = float(prefix_second_moment(n, m, variance).max())
    return lower, 8.0 * m * variance * n * n / (n - 1)


def bridge_maximum_cdf(x: float) -> float:
    r"""Return the limit law of the largest prefix of a random order (R5).

    .. math::
        P\bigl( \max_k |S_k| \le x \sigma \sqrt n \bigr) \to K(x)
        = 1 - 2 \sum_{k \ge 1} (-1)^{k-1} e^{-2 k^2 x^2}

    Assumes d = m = 1, n -> infinity and max_j |z_j| / (sigma sqrt(n)) -> 0. The mean of K is
    ``BRIDGE_MAXIMUM_MEAN``.

    Provenance: proved here from the Brownian bridge, note ``R5-brownian-bridge``. See Kolmogorov, 1933; no
    arXiv version.

    Parameters
    ----------
    x : float
        Size in units of sigma sqrt(n), at least 0.

    Examples
    --------
    >>> round(bridge_maximum_cdf(1.3581), 4)
    0.95
    """
    return 1.0 - float(kolmogorov(nonnegative("x", x)))


def workers_herding(single: ArrayLike, relation: str) -> float:
    r"""Return the size of S_k over m workers from the sizes on single workers (R6).

    .. math::
        \text{identical: } \ \|S_k\| = \sum_i \|S_k^i\| \ \text{(slope 1 in } m), \qquad
        \text{independent: } \ E\|S_k\|_2^2 = \sum_i E\|S_k^i\|_2^2 \ \text{(slope 1/2)}

    Assumes either equal data and equal orders on all workers (any norm; exact, and the worst case of
    independent balancing), or independent workers with prefixes of mean 0 (``single`` is then the root mean
    square in the Euclidean norm). Balancing the workers together removes the growth: slope 0, by V8 and H4.

    Provenance: proved here, note ``R6-growth-in-workers``. See Cooper et al., arXiv:2302.00845 (ID-GraB
    against CD-GraB).

    Parameters
    ----------
    single : array_like, shape (m,)
        ||S_k^i||, or its root mean square.
    relation : {"identical", "independent"}
        How the workers relate.

    Examples
    --------
    >>> workers_herding([3.0, 3.0, 3.0, 3.0], "identical"), workers_herding([3.0, 4.0], "independent")
    (12.0, 5.0)
    """
    sizes = nonnegative_array("single", single)
    if one_of("relation", relation, ("identical", "independent")) == "independent":
        return float(np.sqrt((sizes**2).sum()))
    if np.ptp(sizes) > 1e-9 * sizes.max():
        raise ValueError(f"expected equal sizes for identical workers; got {sizes}; check data and orders")
    return float(sizes.sum())
