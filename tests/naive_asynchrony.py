"""A slow, obvious event loop: m workers, each re-issued the moment its gradient has been applied."""

import heapq

import numpy as np


def arrival_order(m, duration, updates):
    """Return the job numbers in their order of arrival, with the worker and the time of each arrival.

    Jobs 0..m-1 start at time 0 on workers 0..m-1; arrival k issues job m + k on the same worker. So job j was
    read at counter max(0, j - m + 1). ``duration(job, worker)``; ties go to the lower worker.
    """
    heap = [(duration(w, w), w, w) for w in range(m)]
    heapq.heapify(heap)
    jobs, workers, times = [], [], []
    for k in range(updates):
        now, worker, job = heapq.heappop(heap)
        jobs.append(job)
        workers.append(worker)
        times.append(now)
        heapq.heappush(heap, (now + duration(m + k, worker), worker, m + k))
    return np.array(jobs), np.array(workers), np.array(times)


def read_counter(job, m):
    """Return the counter at which a job was read."""
    return np.maximum(job - m + 1, 0)


def in_flight(jobs, m):
    """Return the numbers of the m jobs in flight after the given arrivals."""
    return np.setdiff1d(np.arange(len(jobs) + m), jobs)
