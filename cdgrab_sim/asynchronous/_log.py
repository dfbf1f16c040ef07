"""The log of events: one row for every job that ends, and for every wait that a restart ends."""

from __future__ import annotations

from typing import NamedTuple

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray, IntArray

WORKER, WHAT, DELAY, FLOW = 0, 1, 2, 3  # columns of `events`
TIME, START, WEIGHT = 0, 1, 2  # columns of `moments`


class Log(NamedTuple):
    """Events since the last count, 56 bytes each."""

    events: IntArray  # (rows, 4)
    moments: FloatArray  # (rows, 3)


@kernel(small=True, allocates=False)
def write(
    log: Log,
    row: int,
    worker: int,
    what: int,
    delay: int,
    flow: int,
    time: float,
    start: float,
    weight: float,
) -> None:
    """Write one event."""
    events, moments = log.events, log.moments
    events[row, WORKER], events[row, WHAT], events[row, DELAY], events[row, FLOW] = worker, what, delay, flow
    moments[row, TIME], moments[row, START], moments[row, WEIGHT] = time, start, weight
