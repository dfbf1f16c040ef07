"""Give a worker its next job: draw the example, then its time, and copy the point it reads."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.asynchronous._clock import finish
from cdgrab_sim.asynchronous._hash import HashStream, uniform
from cdgrab_sim.asynchronous._queue import place
from cdgrab_sim.asynchronous._records import Law

EXAMPLE, READ, NUMBER = 0, 1, 2  # columns of `held`
NO_JOB = -1
FIXED, EXPONENTIAL, LOGNORMAL, PARETO, _ = (int(law) for law in Law)
DRAW, TIME, SECOND = int(HashStream.EXAMPLE), int(HashStream.TIME), int(HashStream.TIME_SECOND)


class Jobs(NamedTuple):
    """The workers and the jobs in their hands."""

    reads: FloatArray  # (m, d) points read
    held: IntArray  # (m, 3) example, or NO_JOB; counter that it read; number of the next job
    starts: FloatArray  # (m,)
    ends: FloatArray  # tournament of the times of arrival, see _queue
    winners: IntArray
    position: IntArray  # (rows,) next entry of each queue of examples
    drawn: IntArray  # (rows * n,) jobs issued


class Model(NamedTuple):
    """Where examples come from and how long jobs take. Only the ring of queued examples changes."""

    keys: NDArray[np.uint64]  # (streams, m)
    queue: IntArray  # (rows, length), a ring; length 0: examples are drawn independently
    per_worker: FloatArray  # (m, K)
    cycle: IntArray  # (m,) how many entries of its row each worker walks, again and again
    per_example: FloatArray  # (rows, n)
    law: int  # a Law, and its parameters
    a: float
    b: float
    done: FloatArray  # (m, steps + 1) work done by the ends of the steps of the clock, see _clock
    step: float  # length of a step
    alias: IntArray  # (rows * n,) whose loss the time of an example follows
    scale: float  # of the loss, see _current_loss
    power: float
    floor: float


@kernel(small=True, allocates=False)
def factor(model: Model, worker: int, number: int) -> float:
    """Return the random factor of a job time."""
    law, a, b = model.law, model.a, model.b
    if law == FIXED:
        return 1.0
    u = uniform(model.keys[TIME, worker], number)
    if law == EXPONENTIAL:
        return -math.log(u)
    if law == LOGNORMAL:
        second = uniform(model.keys[SECOND, worker], number)
        normal = math.sqrt(-2.0 * math.log(u)) * math.cos(2.0 * math.pi * second)
        return math.exp(a * normal - 0.5 * a * a)
    if law == PARETO:
        return (a - 1.0) / a * math.pow(u, -1.0 / a)
    return (b if u < a else 1.0) / (1.0 - a + a * b)


@kernel(small=True, allocates=False)
def draw(worker: int, fresh: bool, jobs: Jobs, model: Model) -> None:
    """Put the next example into the hands of `worker`; without `fresh` it keeps the one that it has."""
    held, queue, n = jobs.held, model.queue, model.per_example.shape[1]
    if fresh:
        row = worker if model.per_example.shape[0] > 1 else 0
        if queue.shape[1] > 0:
            z = queue[row, jobs.position[row] % queue.shape[1]]
            jobs.position[row] += 1
        else:
            u = uniform(model.keys[DRAW, worker], held[worker, NUMBER])
            z = min(int(u * n), n - 1)
        held[worker, EXAMPLE] = row * n + z
    jobs.drawn[held[worker, EXAMPLE]] += 1


@kernel(small=True, allocates=False)
def start(x: FloatArray, worker: int, now: float, k: int, effort: float, jobs: Jobs, model: Model) -> bool:
    """Start the job on the example in hand, which reads `x` at time `now` and counter `k`.

    Its time is that of the model times `effort`. Returns False where it would take no time on the clock, or
    where its time is not a number.
    """
    held, per_worker, per_example = jobs.held, model.per_worker, model.per_example
    number, n, cycle = held[worker, NUMBER], per_example.shape[1], model.cycle[worker]
    row = worker if per_example.shape[0] > 1 else 0
    held[worker, READ], held[worker, NUMBER] = k, number + 1
    for p in range(x.shape[0]):
        jobs.reads[worker, p] = x[p]
    base = per_worker[worker, number % cycle if cycle > 1 else 0]
    base *= per_example[row, held[worker, EXAMPLE] - row * n] * effort
    end = finish(model.done, worker, model.step, now, base * factor(model, worker, number))
    jobs.starts[worker] = now
    place(jobs.ends, jobs.winners, worker, end)
    return bool(end > now)


@kernel(small=True, allocates=False)
def release(worker: int, k: int, jobs: Jobs) -> None:
    """Leave `worker` without a job, waiting since counter `k`."""
    jobs.held[worker, EXAMPLE], jobs.held[worker, READ] = NO_JOB, k
    place(jobs.ends, jobs.winners, worker, np.inf)


@kernel
def draw_all(jobs: Jobs, model: Model) -> None:
    """Put the first examples into the workers' hands, in worker order."""
    for worker in range(jobs.held.shape[0]):
        draw(worker, True, jobs, model)


@kernel
def start_all(x: FloatArray, efforts: FloatArray, jobs: Jobs, model: Model) -> bool:
    """Start every worker's first job; return whether the clock resolves them all."""
    good = True
    for worker in range(jobs.held.shape[0]):
        good &= start(x, worker, 0.0, 0, efforts[worker], jobs, model)
    return good
