"""Give a worker its next job: draw the example, then its time, and copy the point it reads."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim._kernels.jit import kernel
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
    law: FloatArray  # (7,) kind, a, b; length of a step of the clock; scale, power and floor of the loss
    clock: FloatArray  # (m, steps + 1) work done by the ends of steps, see _clock
    alias: IntArray  # (rows * n,) whose loss the time of an example follows


def factor_twin(law: FloatArray, key: Any, second_key: Any, number: int) -> float:
    kind, a, b = law[:3].tolist()
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


@kernel(twin=factor_twin, small=True)
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


def draw_twin(worker, fresh, jobs, position, drawn, keys, queue, per_example):
    rows, n = per_example.shape
    row = worker if rows > 1 else 0
    if fresh and queue.size:
        jobs[worker, EXAMPLE] = row * n + queue[row, position[row] % queue.shape[1]]
        position[row] += 1
    elif fresh:
        u = uniform_twin(keys[0, worker], int(jobs[worker, NUMBER]))
        jobs[worker, EXAMPLE] = row * n + min(int(u * n), n - 1)
    drawn[jobs[worker, EXAMPLE]] += 1


@kernel(twin=draw_twin, small=True)
def draw(worker, fresh, jobs, position, drawn, keys, queue, per_example):
    """Put the next example into the hands of `worker`; without `fresh` it keeps the one that it has."""
    if fresh:
        n = per_example.shape[1]
        row = worker if per_example.shape[0] > 1 else 0
        if queue.shape[1] > 0:
            z = queue[row, position[row] % queue.shape[1]]
            position[row] += 1
        else:
            z = min(np.int64(uniform(keys[0, worker], jobs[worker, NUMBER]) * n), n - 1)
        jobs[worker, EXAMPLE] = row * n + z
    drawn[jobs[worker, EXAMPLE]] += 1


def start_twin(
    x, worker, now, k, effort, reads, jobs, starts, times, winners, keys, per_worker, per_example, law, clock
):  # fmt: skip
    number, n = int(jobs[worker, NUMBER]), per_example.shape[1]
    row = worker if len(per_example) > 1 else 0
    jobs[worker, READ], jobs[worker, NUMBER] = k, number + 1
    reads[worker] = x
    base = per_worker[worker, number % per_worker.shape[1]]
    base *= per_example[row, jobs[worker, EXAMPLE] - row * n] * effort
    work = base * factor_twin(law, keys[_TIME, worker], keys[_SECOND, worker], number)
    end = finish_twin(clock, worker, law[3], now, work)
    starts[worker] = now
    place_twin(times, winners, worker, end)
    return bool(end > now)


@kernel(twin=start_twin, small=True)
def start(
    x, worker, now, k, effort, reads, jobs, starts, times, winners, keys, per_worker, per_example, law, clock
):  # fmt: skip
    """Start the job on the example in hand, which reads `x` at time `now` and counter `k`.

    Its time is that of the model times `effort`. Returns False where it would take no time on the clock, or
    where its time is not a number.
    """
    number, n = jobs[worker, NUMBER], per_example.shape[1]
    row = worker if per_example.shape[0] > 1 else 0
    jobs[worker, READ], jobs[worker, NUMBER] = k, number + 1
    for p in range(x.shape[0]):
        reads[worker, p] = x[p]
    K = per_worker.shape[1]
    base = per_worker[worker, number % K if K > 1 else 0]
    base *= per_example[row, jobs[worker, EXAMPLE] - row * n] * effort
    work = base * factor(law, keys[_TIME, worker], keys[_SECOND, worker], number)
    end = finish(clock, worker, law[3], now, work)
    starts[worker] = now
    place(times, winners, worker, end)
    return end > now


def _draw_all_twin(jobs, position, drawn, keys, queue, per_example):
    for worker in range(len(jobs)):
        draw_twin(worker, True, jobs, position, drawn, keys, queue, per_example)


@kernel(twin=_draw_all_twin)
def draw_all(jobs, position, drawn, keys, queue, per_example):
    """Put the first examples into the workers' hands, in worker order."""
    for worker in range(jobs.shape[0]):
        draw(worker, True, jobs, position, drawn, keys, queue, per_example)


def _start_all_twin(
    x, efforts, reads, jobs, starts, times, winners, keys, per_worker, per_example, law, clock
):  # fmt: skip
    good = True
    for worker in range(len(jobs)):
        good &= start_twin(
            x, worker, 0.0, 0, efforts[worker],
            reads, jobs, starts, times, winners, keys, per_worker, per_example, law, clock,
        )  # fmt: skip
    return good


@kernel(twin=_start_all_twin)
def start_all(x, efforts, reads, jobs, starts, times, winners, keys, per_worker, per_example, law, clock):
    """Start every worker's first job."""
    good = True
    for worker in range(jobs.shape[0]):
        good &= start(
            x, worker, 0.0, 0, efforts[worker],
            reads, jobs, starts, times, winners, keys, per_worker, per_example, law, clock,
        )  # fmt: skip
    return good
