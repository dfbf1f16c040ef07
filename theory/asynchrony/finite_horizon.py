"""Finite horizons: what the first jobs that complete say about the law of the examples (A8, part of A9).

The model is that of :mod:`theory.asynchrony.renewal`, from an idle start. ``horizon`` is the last tick;
completions at it count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtrc

from theory._checks import integer_at_least, nonnegative, nonnegative_array
from theory.asynchrony._inputs import law, law_and_ticks, law_and_times
from theory.asynchrony.renewal import in_flight_law


def renewal_function(p: ArrayLike, ticks: ArrayLike, horizon: int) -> NDArray[np.float64]:
    r"""Return the expected number of jobs one worker has started by each tick, for integer job times (A8).

    .. math:: u_0 = 1, \quad u_t = \sum_z p_z u_{t - s_z}, \qquad U(t) = \sum_{r \le t} u_r

    Assumes the model of this module from an idle start; the job started at tick 0 counts.

    Provenance: proved here, note ``A8-finite-horizons`` (the renewal equation is classical).

    Returns
    -------
    ndarray, shape (horizon + 1,)
        ``U(0) .. U(horizon)``.

    Examples
    --------
    >>> renewal_function([0.5, 0.5], [1, 2], 3).tolist()
    [1.0, 1.5, 2.25, 2.875]
    """
    p, steps = law_and_ticks(p, ticks)
    horizon = integer_at_least("horizon", horizon, 0)
    u = np.zeros(horizon + 1)
    u[0] = 1.0
    for t in range(1, horizon + 1):
        reach = steps <= t
        u[t] = p[reach] @ u[t - steps[reach]]
    return np.asarray(np.cumsum(u))


def renewal_function_limit(p: ArrayLike, times: ArrayLike, t: float, span: float = 0.0) -> float:
    r"""Return the long-time form of the expected number of jobs one worker has started (A8).

    .. math:: U(t) \approx \frac{t}{\bar s} + \frac{E s^2}{2 \bar s^2} + \frac{\text{span}}{2 \bar s}

    Assumes ``span = 0`` for job times on no lattice; on a lattice its span, with t a multiple of it.

    Provenance: proved here on a lattice, note ``A8-finite-horizons``; in general the key renewal theorem.

    Parameters
    ----------
    span : float, default 0.0
        Greatest common divisor of the job times; 0 when there is none.

    Examples
    --------
    One job a tick: after t ticks t + 1 jobs have started.

    >>> renewal_function_limit([1.0], [1.0], 7.0, span=1.0)
    8.0
    """
    p, times = law_and_times(p, times)
    t, span = nonnegative("t", t), nonnegative("span", span)
    mean_time = float(p @ times)
    return t / mean_time + float(p @ times**2) / (2 * mean_time**2) + span / (2 * mean_time)


def expected_completions(p: ArrayLike, ticks: ArrayLike, horizon: int) -> NDArray[np.float64]:
    r"""Return how many jobs of each example one worker has completed on average, for integer job times (A8).

    .. math::
        E N_z(t) = p_z\,U(t - s_z), \qquad
        \sum_{z \in A} E N_z(t) = P(A)\,U(t) - P(\text{in flight in } A)

    At a finite horizon slow examples are underrepresented by O(1) jobs, whatever the method.

    Assumes the model of this module from an idle start.

    Provenance: proved here, note ``A8-finite-horizons``.

    Returns
    -------
    ndarray, shape (n,)
        Expected completions of each example.

    Examples
    --------
    >>> expected_completions([0.5, 0.5], [1, 2], 2).tolist()
    [0.75, 0.5]
    """
    starts = renewal_function(p, ticks, horizon)
    p, times = law_and_ticks(p, ticks)
    left = horizon - times
    return p * np.where(left >= 0, starts[np.maximum(left, 0)], 0.0)


def expected_applied(p: ArrayLike, m: int, updates: int, in_flight: ArrayLike) -> NDArray[np.float64]:
    r"""Return how often each example is among the first T updates, from what is still in flight (A8).

    .. math:: E \#z = p_z\,(T + m - 1) - E \#(z \text{ among the } m-1 \text{ older jobs in flight})

    Assumes any job times, also dependent on the example; examples are drawn at issue, independently of the
    past; nothing is dropped. The fresh job issued by update T is not counted.

    Provenance: proved here, note ``A8-finite-horizons``.

    Parameters
    ----------
    in_flight : array_like, shape (n,)
        Mean number of each example among the m - 1 older jobs in flight.

    Returns
    -------
    ndarray, shape (n,)
        Expected number of updates of each example; the sum is T.

    Examples
    --------
    >>> expected_applied([0.5, 0.5], 3, 4, [0.5, 1.5]).tolist()
    [2.5, 1.5]
    """
    p, m, updates = law("p", p), integer_at_least("m", m, 1), integer_at_least("updates", updates, 1)
    counts = nonnegative_array("in_flight", in_flight)
    if counts.shape != p.shape or not abs(counts.sum() - (m - 1)) <= 1e-6 * m:
        raise ValueError(
            f"expected in_flight of shape {p.shape} with the sum m - 1 = {m - 1}; got shape {counts.shape}, "
            f"sum {counts.sum():.6g}; leave the fresh job out"
        )
    return p * (updates + m - 1) - counts


def first_updates_law(p: ArrayLike, times: ArrayLike, m: int, updates: int) -> NDArray[np.float64]:
    r"""Return the share of each example in the first T updates, to first order in 1/T (A8).

    .. math:: Q_T(z) = p_z + \frac{m-1}{T}\,(p_z - p_{lb}(z)) + o(1/T)

    It is also the law of every batch of Rennala SGD with batch size T, in whose rounds all workers restart.

    Assumes the model of this module from an idle start; T large against m.

    Provenance: proved here, notes ``A8-finite-horizons`` and ``A9-effective-laws``.

    Returns
    -------
    ndarray, shape (n,)
        The shares; they sum to 1, and leave [0, 1] where T is too small for the first order.

    Examples
    --------
    >>> first_updates_law([0.75, 0.25], [1.0, 5.0], 5, 100).round(6).tolist()
    [0.765, 0.235]
    """
    m, updates = integer_at_least("m", m, 1), integer_at_least("updates", updates, 1)
    biased = in_flight_law(p, times)
    p = law("p", p)
    return p + (m - 1) / updates * (p - biased)


def first_k(p: ArrayLike, times: ArrayLike, m: int, k: int) -> NDArray[np.float64]:
    r"""Return the law of the first k of m jobs that start together (A9).

    .. math::
        Q(z) = \frac{m}{k}\,p_z\,P(\operatorname{Bin}(m-1, F(s_z)) \le k-1) \; \text{without ties,} \\
        Q(s) = \frac1k \big( E\min(k, B_{P(s' \le s)}) - E\min(k, B_{P(s' < s)}) \big)

    in general, where Q(s) is the law of the job time, B_q is Bin(m, q), and examples of equal time share it
    in proportion to p. With k = 1 this is the law of the very first update.

    Assumes m independent draws from p, ties broken without regard to the example; exact for any m.

    Provenance: proved here, note ``A9-effective-laws``.

    Returns
    -------
    ndarray, shape (n,)
        Q.

    Examples
    --------
    >>> first_k([0.5, 0.5], [1.0, 2.0], m=2, k=1).tolist()
    [0.75, 0.25]
    """
    p, times = law_and_times(p, times)
    m, k = integer_at_least("m", m, 1), integer_at_least("k", k, 1)
    if k > m:
        raise ValueError(f"expected k <= m = {m}; got {k}; no more than m jobs arrive")
    below = (times[None, :] < times[:, None]) @ p
    level = (times[None, :] == times[:, None]) @ p

    def mean_count(q: NDArray[np.float64]) -> NDArray[np.float64]:
        ranks = np.arange(k)[:, None]
        return np.asarray(bdtrc(ranks, m, np.minimum(q, 1.0)).sum(axis=0))

    share = (mean_count(below + level) - mean_count(below)) / k
    split: NDArray[np.float64] = np.zeros_like(p)
    np.divide(p * share, level, out=split, where=level > 0.0)
    return split
