"""From the log of events to counts, and the identities that every run must satisfy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.asynchronous._issue import EXAMPLE, NO_JOB, READ
from cdgrab_sim.asynchronous._log import DELAY, FLOW, START, TIME, WEIGHT, WHAT, WORKER, Log
from cdgrab_sim.asynchronous._records import ABORTED, RELEASED

LONGEST = 1 << 16  # delays from here on share the last bin of the histogram


class Tally(NamedTuple):
    """Counts so far; the first six by example, (rows * n,)."""

    applied: IntArray
    dropped: IntArray
    aborted: IntArray
    weight: FloatArray
    delay: IntArray
    busy: FloatArray
    by_worker: IntArray  # (m,)
    delays: IntArray  # (LONGEST,) of applied gradients
    total_delay: IntArray  # (1,) of all finished jobs and all waits
    discarded_time: FloatArray  # (1,)


def empty(examples: int, workers: int) -> Tally:
    """Return zero counts."""

    def counts(size: int) -> IntArray:
        return np.zeros(size, dtype=np.int64)

    return Tally(
        applied=counts(examples),
        dropped=counts(examples),
        aborted=counts(examples),
        weight=np.zeros(examples),
        delay=counts(examples),
        busy=np.zeros(examples),
        by_worker=counts(workers),
        delays=counts(LONGEST),
        total_delay=counts(1),
        discarded_time=np.zeros(1),
    )


@kernel
def count(tally: Tally, log: Log, rows: int) -> None:
    """Add the first `rows` events of the log to the counts."""
    events, moments = (
        log  # taken apart once: an array taken from a record inside a loop is counted every time
    )
    applied, dropped, aborted, weights, delay_sums, busy, by_worker, delays, total_delay, discarded_time = (
        tally
    )
    last = delays.shape[0] - 1
    for e in range(rows):
        what, delay, flow = events[e, WHAT], events[e, DELAY], events[e, FLOW]
        total_delay[0] += delay
        if flow == RELEASED:
            continue
        duration, weight = moments[e, TIME] - moments[e, START], moments[e, WEIGHT]
        busy[what] += duration
        if flow == ABORTED:
            aborted[what] += 1
        else:
            delay_sums[what] += delay
        if weight > 0.0:
            applied[what] += 1
            weights[what] += weight
            by_worker[events[e, WORKER]] += 1
            delays[min(delay, last)] += 1
        else:
            dropped[what] += flow != ABORTED
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
    missing = drawn - tally.applied - tally.dropped - tally.aborted - in_flight(jobs, len(drawn))
    if missing.any():
        z = int(np.argmax(missing != 0))
        raise AssertionError(f"example {z}: {drawn[z]} jobs issued, {missing[z]} of them unaccounted for")
    ages = int((k - jobs[:, READ]).sum())
    if int(tally.total_delay[0]) + ages != (len(jobs) - 1) * k:
        raise AssertionError(
            f"delays {tally.total_delay[0]} and ages {ages} do not sum to (m - 1) k at k = {k}"
        )
