"""From the log of events to counts, and the identities that every run must satisfy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.asynchronous._issue import EXAMPLE, NO_JOB, READ
from cdgrab_sim.asynchronous._types import Flow

APPLIED, DROPPED, ABORTED, WEIGHT, DELAY, BUSY = range(6)  # columns of `by_example`
_ABORTED, _RELEASED = int(Flow.ABORTED), int(Flow.RELEASED)
LONGEST = 1 << 16  # delays from here on share the last bin of the histogram


class Tally(NamedTuple):
    """Counts so far."""

    by_example: FloatArray  # (rows * n, 6)
    by_worker: IntArray  # (m,)
    delays: IntArray  # (LONGEST,) of applied gradients
    total_delay: IntArray  # (1,) of all finished jobs and all waits
    discarded_time: FloatArray  # (1,)


def empty(examples: int, workers: int) -> Tally:
    """Return zero counts."""
    return Tally(
        np.zeros((examples, 6)),
        np.zeros(workers, dtype=np.int64),
        np.zeros(LONGEST, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(1),
    )


def _count_twin(by_example, by_worker, delays, total_delay, discarded_time, events, moments, rows):  # type: ignore[no-untyped-def]
    for (worker, what, delay, flow), (time, start, weight) in zip(
        events[:rows].tolist(), moments[:rows].tolist(), strict=True
    ):
        total_delay[0] += delay
        if flow == Flow.RELEASED:
            continue
        line = by_example[what]
        line[BUSY] += time - start
        line[ABORTED] += flow == Flow.ABORTED
        if flow != Flow.ABORTED:
            line[APPLIED if weight > 0.0 else DROPPED] += 1.0
            line[WEIGHT] += weight
            line[DELAY] += delay
        if weight > 0.0:
            by_worker[worker] += 1
            delays[min(delay, LONGEST - 1)] += 1
        else:
            discarded_time[0] += time - start


@kernel(twin=_count_twin)
def count(by_example, by_worker, delays, total_delay, discarded_time, events, moments, rows):  # type: ignore[no-untyped-def]
    """Add the first `rows` events of the log to the counts."""
    last = delays.shape[0] - 1
    for e in range(rows):
        worker, what, delay, flow = events[e, 0], events[e, 1], events[e, 2], events[e, 3]
        total_delay[0] += delay
        if flow == _RELEASED:
            continue
        duration, weight = moments[e, 0] - moments[e, 1], moments[e, 2]
        by_example[what, 5] += duration
        if flow == _ABORTED:
            by_example[what, 2] += 1.0
        else:
            by_example[what, 0 if weight > 0.0 else 1] += 1.0
            by_example[what, 3] += weight
            by_example[what, 4] += delay
        if weight > 0.0:
            by_worker[worker] += 1
            delays[min(delay, last)] += 1
        else:
            discarded_time[0] += duration


def in_flight(jobs: IntArray, examples: int) -> IntArray:
    """Return how often each example is in the hands of a worker."""
    held = jobs[:, EXAMPLE]
    return np.bincount(held[held != NO_JOB], minlength=examples)


def assert_books_balance(tally: Tally, jobs: IntArray, drawn: IntArray, k: int) -> None:
    """Assert what holds in every run, whatever the method and the times; else the engine is wrong.

    * every job issued was applied, dropped or aborted, or is in flight, for each example;
    * the delays of finished jobs, the waits, and the ages of what is open sum to (m - 1) k.
    """
    ended = tally.by_example[:, [APPLIED, DROPPED, ABORTED]].sum(axis=1)
    missing = drawn - ended - in_flight(jobs, len(drawn))
    if missing.any():
        z = int(np.argmax(missing != 0))
        raise AssertionError(f"example {z}: {drawn[z]} jobs issued, {missing[z]:g} of them unaccounted for")
    ages = int((k - jobs[:, READ]).sum())
    if int(tally.total_delay[0]) + ages != (len(jobs) - 1) * k:
        raise AssertionError(
            f"delays {tally.total_delay[0]} and ages {ages} do not sum to (m - 1) k at k = {k}"
        )
