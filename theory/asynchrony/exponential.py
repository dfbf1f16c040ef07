"""Exponential job times: every arrival comes from a uniformly drawn worker (A5, A6)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from theory._checks import integer_at_least, nonnegative, positive, vector


def delay_law(m: int, k: int) -> NDArray[np.float64]:
    r"""Return the law of the delay of update k under exponential job times (A5).

    .. math:: P(\tau_k = j) = \tfrac1m (1 - \tfrac1m)^j \; (j < k), \qquad P(\tau_k = k) = (1 - \tfrac1m)^k

    As k grows this is the geometric law with mean m - 1.

    Assumes m workers with independent exponential job times of one rate; all read x_0 at the start.

    Provenance: proved here, note ``A5-exponential-times-and-implicit-momentum``. See Mitliagkas, Zhang,
    Hadjis, Ré (2016), arXiv:1605.09774.

    Returns
    -------
    ndarray, shape (k + 1,)
        Probabilities of the delays ``0 .. k``.

    Examples
    --------
    >>> delay_law(2, 3).tolist()
    [0.5, 0.25, 0.125, 0.125]
    """
    m, k = integer_at_least("m", m, 1), integer_at_least("k", k, 0)
    stay = 1.0 - 1.0 / m
    tail = np.asarray(stay ** np.arange(k + 1), dtype=np.float64)
    tail[:k] /= m
    return tail


def mean_iterates(c: float, m: int, steps: int, x0: float = 1.0) -> NDArray[np.float64]:
    r"""Return the mean iterates on a quadratic mode: exactly heavy ball, the "implicit momentum" (A5).

    .. math::
        E x_{k+1} = E x_k + (1 - \tfrac1m)(E x_k - E x_{k-1}) - \tfrac{c}{m} E x_k,
        \qquad x_{-1} = (1 + c)\,x_0

    Assumes exponential job times as in :func:`delay_law`; gradient noise of mean 0 changes nothing.

    Provenance: proved here, exact from the start with this x_{-1}, note
    ``A5-exponential-times-and-implicit-momentum``; published as an expectation over the stationary delay
    (arXiv:1605.09774).

    Returns
    -------
    ndarray, shape (steps + 1,)
        ``E x_0 .. E x_steps``.

    Examples
    --------
    >>> mean_iterates(0.5, 2, 2).tolist()
    [1.0, 0.5, 0.125]
    """
    c, m, steps = positive("c", c), integer_at_least("m", m, 1), integer_at_least("steps", steps, 0)
    x = np.empty(steps + 1)
    x[0] = vector("x0", [x0])[0]
    before = (1.0 + c) * x[0]
    for k in range(steps):
        x[k + 1] = x[k] + (1.0 - 1.0 / m) * (x[k] - before) - c / m * x[k]
        before = x[k]
    return x


def stability_limit(m: int) -> float:
    r"""Return the step below which the second moment converges under exponential job times (A6).

    .. math:: E x_k^2 \to 0 \iff 0 < c < \frac{1 + \sqrt{1 + 8m}}{2m}

    About ``sqrt(2 / m)``, far above ``pi / (2 m)`` of the fixed delay m - 1 with the same mean.

    Assumes exponential job times, one quadratic mode.

    Provenance: proved here, note ``A6-exponential-times-second-moment``.

    Examples
    --------
    >>> stability_limit(1), stability_limit(3)
    (2.0, 1.0)
    """
    m = integer_at_least("m", m, 1)
    return (1.0 + math.sqrt(1.0 + 8.0 * m)) / (2.0 * m)


def variance(c: float, m: int, noise: float = 1.0) -> float:
    r"""Return the stationary variance on a quadratic mode under exponential job times (A6).

    .. math:: \operatorname{Var} x = \text{noise}^2\, \frac{1 + m c}{c\,(2 + c - m c^2)}

    Assumes exponential job times, white additive noise, ``c`` below :func:`stability_limit`.

    Provenance: proved here, note ``A6-exponential-times-second-moment``.

    Examples
    --------
    With one worker, ``1 / (c (2 - c))``:

    >>> round(variance(0.5, 1), 12) == round(1 / (0.5 * 1.5), 12)
    True
    """
    c, m, noise = positive("c", c), integer_at_least("m", m, 1), nonnegative("noise", noise)
    limit = stability_limit(m)
    if c >= limit:
        raise ValueError(
            f"expected c < {limit:.6g}, the mean-square stability limit of {m} exponential workers; got {c}; "
            "take a smaller step, nothing is stationary beyond the limit"
        )
    return noise**2 * (1.0 + m * c) / (c * (2.0 + c - m * c * c))
