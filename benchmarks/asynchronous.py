"""What does an applied gradient cost in the asynchronous engine, beside an event loop fused by hand?

Vanilla asynchronous SGD on least squares, d = 16, n = 256, exponential job times (fixed ones for the fused
loop as well); the books are balanced in every run.

    python -m benchmarks.asynchronous [--quick] [--json]
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numba
import numpy as np

import cdgrab_sim as cg
from benchmarks._race import Contest, alone, plain, race, ratio
from cdgrab_sim.asynchronous import AsyncRecord, job_times

BARE = AsyncRecord(loss=False)
BUDGETS = {"m=16, bare": 1 / 8, "m=16, all metrics": 1 / 3, "m=10000, bare": 1 / 3}  # us
FUSED = "m=16, fused by hand"


@numba.njit(error_model="numpy")
def fused(x, X, y, reads, example, finish, alpha, updates, seed):
    """Linear scan, exponential times by numba's own generator, no log, no counts, no method."""
    np.random.seed(seed)  # noqa: NPY002
    m, d, n = reads.shape[0], x.shape[0], X.shape[0]
    for w in range(m):
        finish[w] = -math.log(1.0 - np.random.random())  # noqa: NPY002
        example[w] = np.random.randint(n)  # noqa: NPY002
    for _ in range(updates):
        worker = 0
        for w in range(1, m):
            if finish[w] < finish[worker]:
                worker = w
        z = example[worker]
        t = 0.0
        for p in range(d):
            t += X[z, p] * reads[worker, p]
        t = alpha * (t - y[z])
        for p in range(d):
            x[p] -= t * X[z, p]
            reads[worker, p] = x[p]
        example[worker] = np.random.randint(n)  # noqa: NPY002
        finish[worker] -= math.log(1.0 - np.random.random())  # noqa: NPY002


def contest(updates: int) -> Contest:
    """Return what is timed, each `updates` gradients long; with many workers ten times that."""
    problem = cg.problems.least_squares(m=1, n=256, d=16)
    X, y = problem.data.X, problem.data.y

    def ours(workers: int, record: AsyncRecord, count: int) -> Callable[[], None]:
        def go() -> None:
            run = cg.simulate_async(
                problem, "vanilla", workers=workers, updates=count, step_size=1e-4,
                job_times=job_times.exponential(), record=record,
            )  # fmt: skip
            assert run.updates == count

        return go

    def by_hand() -> None:
        fused(np.zeros(16), X, y, np.zeros((16, 16)), np.zeros(16, dtype=np.int64), np.zeros(16), 1e-4,
              updates, 0)  # fmt: skip

    everything = AsyncRecord(every=updates // 20, grad_norm=True, trajectory=True, virtual=True, average=True)
    return {
        FUSED: by_hand,
        "m=16, bare": ours(16, BARE, updates),
        "m=16, all metrics": ours(16, everything, updates),
        "m=64, bare": ours(64, BARE, updates),
        "m=10000, bare": ours(10_000, BARE, 10 * updates),
    }


def measure(quick: bool):
    updates = 50_000
    times = race(contest(updates), 3.0 if quick else 20.0)
    us = {name: 1e6 * taken / updates for name, taken in times.items()}
    us["m=10000, bare"] /= 10
    for name, taken in us.items():
        yield plain(f"asynchronous, {name}", taken, BUDGETS.get(name), unit="us")
    for name in list(us)[1:]:
        yield ratio(f"asynchronous / fused by hand, {name}", us[name], us[FUSED])


if __name__ == "__main__":
    alone(measure, __doc__)
