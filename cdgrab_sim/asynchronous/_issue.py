"""Give a worker its next job: draw the example and the job time, copy the point it reads."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim._jit import kernel
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.asynchronous._clock import finish, finish_twin
from cdgrab_sim.asynchronous._hash import HashStream, uniform, uniform_twin
from cdgrab_sim.asynchronous._queue import place, place_twin

EXAMPLE, READ, NUMBER = 0, 1, 2  # columns of `jobs`: example in hand, counter it read, next job number
NO_JOB = -1
_TIME, _SECOND = int(HashStream.TIME), int(HashStream.TIME_SECOND)


class Law(IntEnum):
    """Laws of the random factor of a job time, all of mean 1."""

    FIXED = 0
    EXPONENTIAL = 1
    LOGNORMAL = 2  # a: standard deviation of the logarithm
    PARETO = 3  # a: tail exponent > 1
    STRAGGLER = 4  # a: probability, b: slow over normal time


class Jobs(NamedTuple):
    """The workers and their jobs; arrays in the order in which kernels take them."""

    reads: FloatArray  # (m, d) points read
    jobs: IntArray  # (m, 3)
    starts: FloatArray  # (m,)
    times: FloatArray  # tournament
    winners: IntArray
    position: IntArray  # (rows,) next entry of each queue of examples
    drawn: IntArray  # (rows * n,)
    keys: NDArray[np.uint64]  # (streams, m)
    queue: IntArray  # (rows, length), a ring; length 0: examples are drawn independently
    per_worker: FloatArray  # (m, K)
    per_example: FloatArray  # (rows, n)
    law: FloatArray  # (4,) kind, a, b, length of a step of the clock
    clock: FloatArray  # (m, steps + 1) work done by the ends of steps, see _clock


def factor_twin(law: FloatArray, key: Any, second_key: Any, number: int) -> float:
    kind, a, b, _ = law.tolist()
    if kind == Law.FIXED:
        return 1.0
    u = uniform_twin(key, number)
    if kind == Law.EXPONENTIAL:
        return -math.log(u)
    if kind == Law.LOGNORMAL:
        normal = math.sqrt(-2.0 * math.log(u)) * math.cos(2.0 * math.pi * uniform_twin(second_key, number))
        return math.exp(a * normal - 0.5 * a * a)
    if kind == Law.PARETO:
        return (a - 1.0) / a * math.pow(u, -1.0 / a)
    return (b if u < a else 1.0) / (1.0 - a + a * b)


@kernel(factor_twin, small=True)
def factor(law, key, second_key, number):
    """Return the random factor of a job time."""
    kind, a, b = law[0], law[1], law[2]
    if kind == 0.0:
        return 1.0
    u = uniform(key, number)
    if kind == 1.0:
        return -math.log(u)
    if kind == 2.0:
        normal = math.sqrt(-2.0 * math.log(u)) * math.cos(2.0 * math.pi * uniform(second_key, number))
        return math.exp(a * normal - 0.5 * a * a)
    if kind == 3.0:
        return (a - 1.0) / a * math.pow(u, -1.0 / a)
    return (b if u < a else 1.0) / (1.0 - a + a * b)


def issue_twin(
    x, worker, now, k, fresh,
    reads, jobs, starts, times, winners, position, drawn, keys, queue, per_worker, per_example, law, clock,
):  # fmt: skip
    number, (rows, n) = int(jobs[worker, NUMBER]), per_example.shape
    row = worker if rows > 1 else 0
    if fresh and queue.size:
        jobs[worker, EXAMPLE] = row * n + queue[row, position[row] % queue.shape[1]]
        position[row] += 1
    elif fresh:
        jobs[worker, EXAMPLE] = row * n + min(int(uniform_twin(keys[0, worker], number) * n), n - 1)
    example = jobs[worker, EXAMPLE]
    jobs[worker, READ], jobs[worker, NUMBER] = k, number + 1
    drawn[example] += 1
    reads[worker] = x
    base = per_worker[worker, number % per_worker.shape[1]] * per_example[row, example - row * n]
    work = base * factor_twin(law, keys[_TIME, worker], keys[_SECOND, worker], number)
    end = finish_twin(clock, worker, law[3], now, work)
    starts[worker] = now
    place_twin(times, winners, worker, end)
    return bool(end > now)


@kernel(issue_twin, small=True)
def issue(
    x, worker, now, k, fresh,
    reads, jobs, starts, times, winners, position, drawn, keys, queue, per_worker, per_example, law, clock,
):  # fmt: skip
    """Give `worker` a job that reads `x` at time `now` and counter `k`.

    Returns False where the job would take no time on the clock, or where its time is not a number. Without
    `fresh` the worker keeps the example that it has.
    """
    number, n = jobs[worker, NUMBER], per_example.shape[1]
    row = worker if per_example.shape[0] > 1 else 0
    if fresh:
        if queue.shape[1] > 0:
            z = queue[row, position[row] % queue.shape[1]]
            position[row] += 1
        else:
            z = min(np.int64(uniform(keys[0, worker], number) * n), n - 1)
        jobs[worker, EXAMPLE] = row * n + z
    example = jobs[worker, EXAMPLE]
    jobs[worker, READ], jobs[worker, NUMBER] = k, number + 1
    drawn[example] += 1
    for p in range(x.shape[0]):
        reads[worker, p] = x[p]
    K = per_worker.shape[1]
    base = per_worker[worker, number % K if K > 1 else 0] * per_example[row, example - row * n]
    work = base * factor(law, keys[_TIME, worker], keys[_SECOND, worker], number)
    end = finish(clock, worker, law[3], now, work)
    starts[worker] = now
    place(times, winners, worker, end)
    return end > now


def _issue_all_twin(
    x, reads, jobs, starts, times, winners, position, drawn, keys, queue, per_worker, per_example, law, clock
):  # fmt: skip
    good = True
    for worker in range(len(jobs)):
        good &= issue_twin(
            x, worker, 0.0, 0, True,
            reads, jobs, starts, times, winners, position, drawn, keys, queue,
            per_worker, per_example, law, clock,
        )  # fmt: skip
    return good


@kernel(_issue_all_twin)
def issue_all(
    x, reads, jobs, starts, times, winners, position, drawn, keys, queue, per_worker, per_example, law, clock
):  # fmt: skip
    """Give every worker its first job, in worker order."""
    good = True
    for worker in range(jobs.shape[0]):
        good &= issue(
            x, worker, 0.0, 0, True,
            reads, jobs, starts, times, winners, position, drawn, keys, queue,
            per_worker, per_example, law, clock,
        )  # fmt: skip
    return good
