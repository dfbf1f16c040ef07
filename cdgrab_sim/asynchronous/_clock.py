"""When a job ends on a worker whose speed varies with the clock.

Worker i works at rate v_i(t) >= 0, constant on steps of equal length and repeated after K steps. A job of
work s that starts at t0 ends at the first t with

    V_i(t) - V_i(t0) = s,    V_i(t) = integral of v_i over [0, t],

the universal computation model (Tyurin 2024, arXiv 2408.04929, recalled) with rates on a grid. V is piecewise
linear, so its inverse is exact up to rounding.
"""

from __future__ import annotations

import numpy as np

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray


@kernel(small=True, allocates=False)
def finish(done: FloatArray, row: int, step: float, now: float, work: float) -> float:
    """Return when a job ends.

    Parameters
    ----------
    done : array (workers, K + 1)
        Work that a worker can do by the end of each step of its cycle, from 0; K = 0 for constant rates of 1.
    row : int
        The worker.
    step : float
        Length of a step.
    now : float
        When the job starts.
    work : float
        The time that it takes at rate 1.
    """
    K = done.shape[1] - 1
    if K == 0 or work == np.inf:
        return now + work
    length, total = K * step, done[row, K]
    cycle = np.floor(now / length)
    within = max(0.0, (now - cycle * length) / step)
    a = min(int(within), K - 1)
    target = done[row, a] + (done[row, a + 1] - done[row, a]) * (within - a) + work
    more = np.floor(target / total)
    rest = target - more * total
    if rest <= 0.0:
        more, rest = more - 1.0, total
    low, high = 0, K  # done[low] < rest, and done[high] >= rest up to rounding
    while high - low > 1:
        middle = (low + high) // 2
        if done[row, middle] < rest:
            low = middle
        else:
            high = middle
    part = (rest - done[row, low]) / (done[row, high] - done[row, low])
    end: float = (cycle + more) * length + (low + part) * step
    return end


def cumulative(rates: FloatArray, step: float) -> FloatArray:
    """Return the work done by the end of each step, shape (workers, K + 1).

    Examples
    --------
    A worker that pauses every second step: 1.5 units of work from the start end in the middle of the third.

    >>> done = cumulative(np.array([[1.0, 0.0]]), 2.0)
    >>> float(finish(done, 0, 2.0, 0.0, 3.0))
    5.0
    """
    done = np.zeros((rates.shape[0], rates.shape[1] + 1))
    np.cumsum(rates * step, axis=1, out=done[:, 1:])
    return done
