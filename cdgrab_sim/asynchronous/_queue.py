"""Who finishes next: a tournament over the workers, ties to the lower worker.

A worker has one job at a time, so the queue of events is an array of m times. A heap would have to find and
move the entry of a worker whose job is aborted; a tournament tree has a fixed leaf for each worker, and any
change replays the log2(m) matches between that leaf and the root. Ties go to the lower worker: breaking them
by the age of the job would bias the delays of equal whole-tick times.
"""

from __future__ import annotations

import numpy as np

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray, IntArray


def tournament(workers: int) -> tuple[FloatArray, IntArray]:
    """Return an empty tree: `times` and `winners` with node 1 as the root and leaf ``size / 2 + i``.

    Examples
    --------
    >>> times, winners = tournament(3)
    >>> for worker, time in enumerate((3.0, 2.0, 2.0)):
    ...     place(times, winners, worker, time)
    >>> float(times[1]), int(winners[1])
    (2.0, 1)
    """
    leaves = 1 << (workers - 1).bit_length()
    winners = np.zeros(2 * leaves, dtype=np.int64)
    winners[leaves:] = np.arange(leaves)
    return np.full(2 * leaves, np.inf), winners


@kernel(small=True, allocates=False)
def place(times: FloatArray, winners: IntArray, worker: int, time: float) -> None:
    """Set the time of a worker's next arrival; infinite where it has no job."""
    node = times.shape[0] // 2 + worker
    times[node] = time
    best = worker
    while node > 1:
        other, rival = times[node ^ 1], winners[node ^ 1]
        if other < time or (other == time and rival < best):
            time, best = other, rival
        node >>= 1
        times[node], winners[node] = time, best
