"""The law of the examples that a method really trains on when it drops or weights by age (A9).

What a law Q means for the iterate: applied steps telescope to x_0 - x_T, so the mean applied gradient
vanishes in a long run. Where the points that jobs read do not depend on their examples, on quadratics the
mean point read is therefore the minimiser of sum_z Q(z) f_z. That point is an average over time, not over
updates where the counter stays on a dropped gradient. Under a threshold on age it is so up to an order of the
step: whether an example is kept depends on the jobs in flight, and so does the point read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import integer_at_least, positive, positive_array
from theory.asynchrony._inputs import law, law_and_times


def _normalised(weights: NDArray[np.float64], rule: str) -> NDArray[np.float64]:
    """Return the law proportional to ``weights``; refuse a rule that keeps nothing."""
    total = float(weights.sum())
    if total <= 0.0:
        raise ValueError(f"expected {rule} to keep some example; got none; raise the threshold")
    return weights / total


def after_dropping(p: ArrayLike, dropped: ArrayLike, fraction: float) -> NDArray[np.float64]:
    r"""Return the law of the applied examples when a share of the draws is dropped (A9).

    .. math:: Q = \frac{P - \delta D}{1 - \delta}

    Assumes nothing; this is conservation of draws. D is the law of the dropped ones.

    Provenance: proved here, note ``A9-effective-laws``.

    Parameters
    ----------
    dropped : array_like, shape (n,)
        D, the law of the dropped draws.
    fraction : float
        delta, the share of the draws that are dropped, 0 <= delta < 1.

    Returns
    -------
    ndarray, shape (n,)
        Q.

    Examples
    --------
    >>> after_dropping([0.5, 0.5], [0.0, 1.0], 0.2).round(6).tolist()
    [0.625, 0.375]
    """
    p, dropped = law("p", p), law("dropped", dropped)
    if p.shape != dropped.shape:
        raise ValueError(f"expected two laws of one shape; got {p.shape} and {dropped.shape}; match them")
    keep = positive("1 - fraction", 1.0 - fraction)
    applied = (p - (1.0 - keep) * dropped) / keep
    if keep > 1.0 or applied.min() < -1e-12:
        raise ValueError(f"expected 0 <= fraction, dropping no more than is drawn; got {fraction}; lower it")
    return applied


def cut_off(p: ArrayLike, times: ArrayLike, deadline: float) -> NDArray[np.float64]:
    r"""Return the law under a wall-clock deadline for each job (A9).

    .. math:: Q(z) = P(z \mid s_z \le D)

    Assumes a job that takes longer than D is dropped; exact, for any m.

    Provenance: proved here, note ``A9-effective-laws``.

    Returns
    -------
    ndarray, shape (n,)
        Q.

    Examples
    --------
    >>> cut_off([0.25, 0.25, 0.5], [1.0, 2.0, 3.0], 2.0).tolist()
    [0.5, 0.5, 0.0]
    """
    p, times = law_and_times(p, times)
    return _normalised(p * (times <= positive("deadline", deadline)), "a deadline")


def delay_adaptive(p: ArrayLike, times: ArrayLike) -> NDArray[np.float64]:
    r"""Return the law under the weight min(1, m / tau), for many workers (A9).

    .. math:: Q(z) \propto p_z \min(1, \text{mean\_time} / s_z) \qquad (m \to \infty)

    Assumes every gradient advances the counter; the stationary regime.

    Provenance: proved here (its law), note ``A9-effective-laws``; the rule is published (arXiv:2206.07638).

    Returns
    -------
    ndarray, shape (n,)
        Q.

    Examples
    --------
    >>> delay_adaptive([0.5, 0.5], [1.0, 3.0]).round(6).tolist()
    [0.6, 0.4]
    """
    p, times = law_and_times(p, times)
    return _normalised(p * np.minimum(1.0, (p @ times) / times), "a weight by age")


def drop_older_than_m(p: ArrayLike, times: ArrayLike) -> NDArray[np.float64]:
    r"""Return the law when gradients with tau > m are dropped, for many workers (A9).

    .. math:: Q(z) \propto p_z\,1\{s_z < \text{mean\_time}\} \qquad (m \to \infty)

    Everything slower than average vanishes.

    Assumes the counter advances on dropped gradients too; the stationary regime; no job time equals the mean
    (such an example has no limit of this form and is refused).

    Provenance: proved here (its law), note ``A9-effective-laws``; the rule, where step 0 is allowed for tau
    above the concurrency, is published (arXiv:2206.08307).

    Returns
    -------
    ndarray, shape (n,)
        Q.

    Examples
    --------
    >>> drop_older_than_m([0.5, 0.3, 0.2], [1.0, 2.0, 9.0]).round(6).tolist()
    [0.625, 0.375, 0.0]
    """
    p, times = law_and_times(p, times)
    mean_time = float(p @ times)
    on_edge = np.flatnonzero(np.abs(times - mean_time) <= 1e-12 * mean_time)
    if on_edge.size:
        raise ValueError(
            f"expected no job time at the mean {mean_time:.6g}; got one at index {on_edge[0]}; "
            "its delay straddles m, so shift the time"
        )
    return _normalised(p * (times < mean_time), "the age limit")


def age_threshold(
    p: ArrayLike, times: ArrayLike, m: int, threshold: int, stop: bool = False
) -> NDArray[np.float64]:
    r"""Return the law under Ringmaster's delay threshold, in the fluid limit of many workers (A9).

    .. math::
        z \text{ is kept} \iff (m-1)\,\lambda\,s_z < R, \qquad
        \lambda = \frac{P(\text{kept})}{E[\text{busy time of a draw}]}

    with the busy time s_z without stopping, ``min(s_z, R / ((m - 1) lambda))`` with it. Solved for the share
    kept of each example, with B(s) the mean busy time when the limit falls at s:

    .. math:: \text{share}_z = \operatorname{clip}\left(
        \frac{R\,B(s_z) / ((m-1) s_z) - P(s < s_z)}{P(s = s_z)},\; 0,\; 1\right),
        \qquad Q \propto p \cdot \text{share}

    Assumes delays equal their means (m large, R of order m); the counter advances on applied gradients only;
    an aborted worker draws a fresh example. Near the threshold the true law is smoother: qualitative there.

    Provenance: proved here (its law), note ``A9-effective-laws``; the rule is published (arXiv:2501.16168).

    Parameters
    ----------
    stop : bool, default False
        Abort a job the moment its delay reaches R, instead of discarding it on arrival.

    Returns
    -------
    ndarray, shape (n,)
        Q.

    Examples
    --------
    With 11 workers the slow class would arrive after 24 updates of the others:

    >>> age_threshold([0.8, 0.2], [1.0, 6.0], m=11, threshold=20).tolist()
    [1.0, 0.0]
    """
    p, times = law_and_times(p, times)
    threshold, others = integer_at_least("threshold", threshold, 1), integer_at_least("m", m, 1) - 1
    if others == 0:
        return p
    below = (times[None, :] < times[:, None]) @ p
    level = (times[None, :] == times[:, None]) @ p
    busy = np.minimum(times[None, :], times[:, None]) @ p if stop else p @ times
    room = threshold * busy / (others * times) - below
    share = np.clip(np.divide(room, level, out=np.zeros_like(p), where=level > 0.0), 0.0, 1.0)
    return _normalised(p * share, "the threshold")


def shards(mean_times: ArrayLike) -> NDArray[np.float64]:
    r"""Return the law of the worker when each has its own shard and nothing is dropped (A9).

    .. math:: Q(i) = \frac{1/\bar s_i}{\sum_j 1/\bar s_j}

    Fast workers are overrepresented although every gradient is applied.

    Assumes worker i draws from its own shard only, with the mean job time ``mean_times[i]``.

    Provenance: proved here, note ``A9-effective-laws`` (renewal reward); with fixed times it is also A11.

    Parameters
    ----------
    mean_times : array_like, shape (m,)
        Mean job time of each worker, > 0.

    Returns
    -------
    ndarray, shape (m,)
        Share of the updates that come from each shard.

    Examples
    --------
    >>> shards([1.0, 3.0]).tolist()
    [0.75, 0.25]
    """
    return _normalised(1.0 / positive_array("mean_times", mean_times), "the workers")
