"""Applied gradients per second of the asynchronous engine, beside an event loop fused by hand.

Vanilla asynchronous SGD on least squares, d = 16, n = 256, exponential job times (fixed ones for the fused
loop as well). Minima over many short repeats, interleaved; the books are balanced in every run.

    python benchmarks/asynchronous.py [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable

import numba
import numpy as np

import cdgrab_sim as cg
from cdgrab_sim.asynchronous import AsyncRecord, job_times

BARE = AsyncRecord(loss=False)
TARGETS = {"m=16, bare": 8.0, "m=16, all metrics": 3.0, "m=10000, bare": 3.0}  # million per second


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


def races(updates: int) -> dict[str, Callable[[], None]]:
    """Return what is timed, each `updates` gradients long."""
    problem = cg.problems.least_squares(m=1, n=256, d=16)
    X, y = problem.data[0], problem.data[1]

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
        "m=16, fused by hand": by_hand,
        "m=16, bare": ours(16, BARE, updates),
        "m=16, all metrics": ours(16, everything, updates),
        "m=64, bare": ours(64, BARE, updates),
        "m=10000, bare": ours(10_000, BARE, 10 * updates),
    }


def measure(repeats: int, updates: int = 50_000) -> dict[str, float]:
    """Return million gradients per second, the best of the repeats."""
    contest = races(updates)
    best = dict.fromkeys(contest, math.inf)
    for go in contest.values():
        go()
    for _ in range(repeats):
        for name, go in contest.items():
            start = time.perf_counter()
            go()
            count = 10 * updates if name.startswith("m=10000") else updates
            best[name] = min(best[name], (time.perf_counter() - start) / count)
    return {name: 1e-6 / seconds for name, seconds in best.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeats", type=int, default=40)
    rates = measure(parser.parse_args().repeats)
    if parser.parse_args().json:
        print(json.dumps(rates))
        return
    for name, rate in rates.items():
        target = f"   (at least {TARGETS[name]:g})" if name in TARGETS else ""
        print(f"{name:22s} {rate:6.1f} million gradients per second{target}")


if __name__ == "__main__":
    main()
