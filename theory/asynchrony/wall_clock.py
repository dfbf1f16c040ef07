"""Times and rates for workers with fixed job times (A11, A12, A13).

``times`` (m,) are the job times of the workers, > 0, in any order. In A12 ``L`` is the smoothness of F,
``gap`` F(x_0) - inf F, ``sigma`` the standard deviation of a stochastic gradient and ``accuracy`` the target
for the squared gradient norm; ``count`` is B and ``threshold`` R.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import integer_at_least, nonnegative, one_of, positive, positive_array


def arrivals(times: ArrayLike, t: float) -> NDArray[np.int64]:
    r"""Return how many gradients each worker has delivered by time t (A11).

    .. math:: N_i(t) = \lfloor t / \tau_i \rfloor

    Assumes worker i needs the fixed time tau_i for a job, all start idle at 0, arrivals at t count. With
    times that are multiples of a power of two the division is exact; otherwise use whole ticks.

    Provenance: proved here, note ``A11-rates-of-fixed-times``.

    Returns
    -------
    ndarray of int, shape (m,)
        Counts of arrivals.

    Examples
    --------
    >>> arrivals([1.0, 2.0], 5.0).tolist()
    [5, 2]
    """
    return np.floor(nonnegative("t", t) / positive_array("times", times)).astype(np.int64)


def update_rate(times: ArrayLike) -> float:
    r"""Return the long-run number of updates per unit of time (A11).

    .. math::
        \text{rate} = \sum_i \frac{1}{\tau_i}, \qquad
        \text{share of worker } i = \frac{1/\tau_i}{\text{rate}}

    The shares are :func:`theory.asynchrony.effective_laws.shards`.

    Assumes what :func:`arrivals` assumes; every gradient is applied.

    Provenance: proved here, note ``A11-rates-of-fixed-times``.

    Examples
    --------
    >>> update_rate([1.0, 2.0, 4.0])
    1.75
    """
    return float((1.0 / positive_array("times", times)).sum())


def time_complexity(
    times: ArrayLike, L: float, gap: float, sigma: float, accuracy: float, method: str = "optimal"
) -> float:
    r"""Return the order of the time to reach ``E|grad F|**2 <= accuracy``, with the constants left out (A12).

    .. math::
        T_{opt} &= \min_j H_j \Big(\frac{L\Delta}{\epsilon} + \frac{\sigma^2 L\Delta}{j\,\epsilon^2}\Big),
        \qquad H_j = \Big(\frac1j \sum_{i \le j} \frac{1}{\tau_i}\Big)^{-1} \\
        T_{async} &= \text{the term } j = m, \qquad
        T_{sync} = \tau_m \Big(\frac{L\Delta}{\epsilon} + \frac{\sigma^2 L\Delta}{m\,\epsilon^2}\Big)

    with the times sorted from fast to slow. ``T_opt <= T_async <= T_sync``, and equal for equal workers.

    Assumes smooth non-convex F, unbiased gradients of variance sigma**2, job times independent of the data.
    These are Theta statements: for order and scaling, never for absolute times.

    Provenance: proved here (the inequalities), note ``A12-time-complexities``; T_opt and T_async are
    published (arXiv:2305.12387).

    Parameters
    ----------
    method : {"optimal", "async", "sync"}
        Rennala or Ringmaster SGD; plain asynchronous SGD; synchronous mini-batch SGD.

    Examples
    --------
    >>> time_complexity([1.0, 1.0, 100.0], 1.0, 1.0, 1.0, 0.5)
    4.0
    >>> round(time_complexity([1.0, 1.0, 100.0], 1.0, 1.0, 1.0, 0.5, "sync"), 6)
    333.333333
    """
    times = np.sort(positive_array("times", times))
    L, gap, accuracy = positive("L", L), positive("gap", gap), positive("accuracy", accuracy)
    sigma = nonnegative("sigma", sigma)
    one_of("method", method, ("optimal", "async", "sync"))
    workers = np.arange(1, len(times) + 1)
    rounds = L * gap / accuracy + sigma**2 * L * gap / (workers * accuracy**2)
    if method == "sync":
        return float(times[-1] * rounds[-1])
    totals = workers / np.cumsum(1.0 / times) * rounds
    return float(totals.min() if method == "optimal" else totals[-1])


def fresh_gradients_time(times: ArrayLike, count: int) -> float:
    r"""Return the time until ``count`` gradients have arrived from an idle start (A13).

    .. math:: t(B) = \min\Big\{t : \sum_i \lfloor t / \tau_i \rfloor \ge B\Big\}

    Assumes what :func:`arrivals` assumes. This is the length of a round of Rennala SGD that restarts all
    workers.

    Provenance: proved here, note ``A13-time-to-r-updates``.

    Examples
    --------
    >>> fresh_gradients_time([1.0, 3.0], 4)
    3.0
    """
    times, count = positive_array("times", times), integer_at_least("count", count, 1)
    latest = fresh_gradients_bound(times, count)
    reach = np.floor(latest / times).astype(np.int64) + 1
    moments = np.concatenate([s * np.arange(1, r + 1) for s, r in zip(times, reach, strict=True)])
    return float(np.partition(moments, count - 1)[count - 1])


def fresh_gradients_bound(times: ArrayLike, count: int) -> float:
    r"""Return a bound on the time until ``count`` gradients have arrived from an idle start (A13).

    .. math:: t(B) \le \min_j \frac{B - 1 + j}{\sum_{i \le j} 1/\tau_i}, \qquad \tau_1 \le \dots \le \tau_m

    Equal workers attain it for B = 1, m + 1, 2m + 1, ...

    Assumes what :func:`arrivals` assumes.

    Provenance: proved here, note ``A13-time-to-r-updates``; published up to constants (arXiv:2305.12387).

    Examples
    --------
    >>> fresh_gradients_bound([1.0, 3.0], 4)
    3.75
    """
    times, count = np.sort(positive_array("times", times)), integer_at_least("count", count, 1)
    return float(((count + np.arange(len(times))) / np.cumsum(1.0 / times)).min())


def ringmaster_bound(times: ArrayLike, threshold: int) -> float:
    r"""Return a bound on the time of any R consecutive updates of Ringmaster ASGD that stops old jobs (A13).

    .. math::
        t(R) \le \min_j \frac{R - 1 + 2j}{\sum_{i \le j} 1/\tau_i}
        \le 2 \min_j \frac{R + j}{\sum_{i \le j} 1/\tau_i}

    Assumes fixed job times; a job is aborted and restarted the moment its delay reaches R; the R updates are
    counted from any moment on.

    Provenance: proved here, note ``A13-time-to-r-updates``; the form with the factor 2 is published
    (arXiv:2501.16168, recalled).

    Examples
    --------
    >>> ringmaster_bound([1.0, 1.0], 4)
    3.5
    """
    times, R = np.sort(positive_array("times", times)), integer_at_least("threshold", threshold, 1)
    return float(((R - 1 + 2 * np.arange(1, len(times) + 1)) / np.cumsum(1.0 / times)).min())
