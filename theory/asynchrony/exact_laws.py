"""The law that rounds and rules by age train on, exactly, for job times in whole ticks (A9).

The model is that of :mod:`theory.asynchrony.renewal`. The forms in :mod:`theory.asynchrony.effective_laws`
and ``finite_horizon.first_updates_law`` are limits of these laws: of many workers, and of large batches.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.fft import irfft, next_fast_len, rfft

from theory._checks import integer_at_least
from theory.asynchrony._inputs import law_and_ticks

Floats = NDArray[np.float64]

_MISSING = 1e-12  # of the updates of a round, where the sum over ticks ends
_MOST_WORK = 10**8  # ticks times jobs of a worker: some ten seconds


def _durations(p: ArrayLike, ticks: ArrayLike) -> tuple[Floats, NDArray[np.int64], Floats, NDArray[np.intp]]:
    """Return the law, the distinct job times with their probabilities, and the job time of each example.

    An example that is never drawn adds no job time; it is given the first one.
    """
    p, times = law_and_ticks(p, ticks)
    drawn = p > 0.0
    distinct, inverse = np.unique(times[drawn], return_inverse=True)
    which = np.zeros(len(p), dtype=np.intp)
    which[drawn] = inverse
    return p, distinct, np.bincount(which, weights=p).astype(np.float64), which


def _affordable(ticks: int, jobs: int) -> None:
    """Refuse what would take minutes or more."""
    if ticks * jobs > _MOST_WORK:
        raise ValueError(
            f"expected at most {_MOST_WORK:,} ticks times jobs; got {ticks:,} ticks with up to {jobs:,} jobs "
            "of a worker; choose a coarser tick, or fewer updates"
        )


def _next_end(ends: Sequence[Floats], times: NDArray[np.int64], q: Floats) -> Floats:
    """Return ``P(job j ends at the next tick)``, j = 0, 1, ..., from those of the ticks before it."""
    before = [(ends[-s], share) for s, share in zip(times, q, strict=True) if s <= len(ends)]
    now = np.zeros(max((len(law) for law, _ in before), default=0) + 1)
    for law, share in before:
        now[1 : len(law) + 1] += share * law
    return now


def _sum_of_powers(a: NDArray[np.complex128], b: NDArray[np.complex128], m: int) -> NDArray[np.complex128]:
    """Return the sum over i < m of a^i b^(m - 1 - i), by doubling."""
    total, a_k, b_k = np.ones_like(a), a, b
    for bit in bin(m)[3:]:
        total, a_k, b_k = total * (a_k + b_k), a_k * a_k, b_k * b_k
        if bit == "1":
            total, a_k, b_k = total * a + b_k, a_k * a, b_k * b
    return total


def round_law(p: ArrayLike, ticks: ArrayLike, m: int, updates: int) -> Floats:
    r"""Return the share of each example in the first T updates, exactly, for whole job times (A9).

    .. math::
        Q_T(z) = \frac{p_z}{T} \sum_{t \ge s_z} \sum_{j \ge 1} P(S_{j-1} = t - s_z)
        \sum_{i=1}^{m} P\Big( \sum_{l<i} N_l(t) + \sum_{l>i} N_l(t-1) \le T - j \Big)

    with S_j the end of job j of a worker from an idle start and N_l(t) the jobs that worker l has completed
    by tick t: job j of worker i, on z, ends at t, and is one of the first T where the others leave room. It
    is the law of every batch of Rennala SGD with batch size T that restarts all workers, and
    ``finite_horizon.first_updates_law`` is its first order in 1/T.

    Assumes the model of :mod:`theory.asynchrony.renewal` from an idle start; simultaneous arrivals are served
    in worker order (any order that does not look at the examples gives the same law).

    Provenance: proved here, note ``A9-effective-laws``.

    Returns
    -------
    ndarray, shape (n,)
        Q, to about 1e-12.

    Examples
    --------
    Of two jobs that start together the first to end is fast, unless both are slow:

    >>> round_law([0.5, 0.5], [1, 2], m=2, updates=1).round(12).tolist()
    [0.75, 0.25]
    """
    p, times, q, which = _durations(p, ticks)
    m, updates = integer_at_least("m", m, 1), integer_at_least("updates", updates, 1)
    last = -(-updates // m) * int(times[-1])  # all jobs are the longest
    _affordable(last, min(updates, last // int(times[0])))
    # at each of the last ticks P(job j ends there); P(at least j completed); mean updates by job time
    ends = deque([np.ones(1)], maxlen=int(times[-1]) + 1)
    by_now, hits = np.ones(1), np.zeros(len(times))
    for _ in range(last):
        ends.append(_next_end(ends, times, q))
        earlier = np.pad(by_now, (0, max(0, len(ends[-1]) - len(by_now))))
        by_now = earlier.copy()
        by_now[: len(ends[-1])] += ends[-1]
        room = _room(by_now, earlier, m, updates)
        for c, s in enumerate(times):
            if s < len(ends):
                count = min(len(ends[-1 - s]), updates)
                hits[c] += q[c] * (ends[-1 - s][:count] @ room[:count])
        if hits.sum() >= updates * (1.0 - _MISSING):
            break
    return np.asarray(p / q[which] * (hits / hits.sum())[which])


def _room(at_least: Floats, earlier: Floats, m: int, updates: int) -> Floats:
    """Return for j = 1..T the sum over i of ``P(others of worker i <= T - j)``, see `round_law`.

    `at_least` and `earlier` are the probabilities of at least 0, 1, ... completed jobs at this tick and the
    one before.
    """
    if (m - 1) * (len(at_least) - 1) < updates - len(at_least):
        return np.full(updates, float(m))
    size = next_fast_len(max(updates, m * len(at_least)), real=True)
    now, then = (rfft(-np.diff(tail, append=0.0), size) for tail in (at_least, earlier))
    counts = irfft(_sum_of_powers(now, then, m), size)[:updates]
    return np.asarray(np.cumsum(counts)[::-1])


def delay_law(p: ArrayLike, ticks: ArrayLike, m: int, duration: int) -> Floats:
    r"""Return the law of the delay of a job, given its duration, for whole job times (A9).

    .. math::
        \tau \sim \sum_{l=1}^{m-1} C_l, \qquad
        P(C \ge j) = \sum_{r=1}^{s} \frac{P(s' \ge r)}{\bar s} \, P(S_{j-1} \le s - r)

    C counts the arrivals of one other worker during s ticks, the first after its residual time r. Its mean is
    s / mean_time, whence A7.

    Assumes the model of :mod:`theory.asynchrony.renewal` in its stationary regime, so every arrival advances
    the counter; the job times have no common divisor.

    Provenance: proved here, note ``A9-effective-laws``.

    Parameters
    ----------
    duration : int
        s, the ticks that the job takes, >= 1.

    Returns
    -------
    ndarray
        ``P(tau = 0), P(tau = 1), ...``

    Examples
    --------
    Another worker with jobs of 1 or 2 ticks arrives in two of three ticks:

    >>> delay_law([0.5, 0.5], [1, 2], m=2, duration=1).round(12).tolist()
    [0.333333333333, 0.666666666667]
    """
    p, times, q, _ = _durations(p, ticks)
    m, duration = integer_at_least("m", m, 1), integer_at_least("duration", duration, 1)
    if int(np.gcd.reduce(times)) > 1:
        raise ValueError(
            f"expected job times without a common divisor; got {times.tolist()}, all multiples of "
            f"{int(np.gcd.reduce(times))}: the workers never leave their phases; choose a finer tick"
        )
    residual = np.array([q[times >= r].sum() for r in range(1, duration + 1)]) / float(q @ times)
    most = (duration - 1) // int(times[0]) + 2
    _affordable(duration, most)
    ends, at_least = deque([np.ones(1)], maxlen=int(times[-1])), np.zeros(most)
    at_least[0] = 1.0
    for t in range(duration):
        at_least[1 : len(ends[-1]) + 1] += ends[-1] * residual[: duration - t].sum()
        ends.append(_next_end(ends, times, q))
    counts = -np.diff(at_least, append=0.0)
    size = (m - 1) * (len(counts) - 1) + 1
    return np.maximum(np.asarray(irfft(rfft(counts, max(2, size)) ** (m - 1), max(2, size)))[:size], 0.0)


def weighted_by_delay(
    p: ArrayLike, ticks: ArrayLike, m: int, weight: Callable[[NDArray[np.int64]], ArrayLike]
) -> Floats:
    r"""Return the law of the examples when gradients are weighted by their delay, for whole job times (A9).

    .. math:: Q(z) \propto p_z \, E[\, w(\tau) \mid z \,]

    With w = min(1, m / tau) or 1{tau <= m} it is the exact form, for m workers, of
    ``effective_laws.delay_adaptive`` and ``effective_laws.drop_older_than_m``.

    Assumes what :func:`delay_law` assumes.

    Provenance: proved here, note ``A9-effective-laws``.

    Parameters
    ----------
    weight : callable
        ``weight(tau)`` for an array of delays.

    Returns
    -------
    ndarray, shape (n,)
        Q.

    Examples
    --------
    Two workers that drop what is not fresh: a job of 1 tick may be, one of 2 ticks never is.

    >>> weighted_by_delay([0.5, 0.5], [1, 2], 2, lambda tau: tau < 1).round(12).tolist()
    [1.0, 0.0]
    """
    p, times, _, which = _durations(p, ticks)
    laws = [delay_law(p, ticks, m, int(s)) for s in times]
    kept = np.array([law @ np.asarray(weight(np.arange(len(law))), dtype=np.float64) for law in laws])
    weights = p * kept[which]
    if weights.sum() <= 0.0:
        raise ValueError("expected a weight that keeps some example; got 0 for all; loosen it")
    return np.asarray(weights / weights.sum())
