"""Asynchronous SGD: an event-driven engine, models of job times, methods, and what they really train on.

>>> import numpy as np
>>> import cdgrab_sim as cg
>>> problem = cg.problems.quadratic(m=1, n=100, d=1)
>>> slow = np.arange(100) < 20
>>> times = cg.asynchronous.job_times.two_classes(slow, ratio=15.0)
>>> run = cg.simulate_async(
...     problem, "drop-by-age", workers=32, job_times=times, updates=5000, step_size=1e-3
... )
>>> bool(run.law[0, slow].sum() < 0.01)  # a fifth of the examples, gone
True
"""

from cdgrab_sim.asynchronous import job_times as job_times
from cdgrab_sim.asynchronous import methods as methods
from cdgrab_sim.asynchronous._records import AsyncRecord as AsyncRecord
from cdgrab_sim.asynchronous._records import Flow as Flow
from cdgrab_sim.asynchronous._records import JobTimes as JobTimes
from cdgrab_sim.asynchronous._records import Method as Method
from cdgrab_sim.asynchronous._records import MethodState as MethodState
from cdgrab_sim.asynchronous._regions import Region as Region
from cdgrab_sim.asynchronous._regions import ball as ball
from cdgrab_sim.asynchronous._regions import box as box
from cdgrab_sim.asynchronous._run import AsyncRun as AsyncRun
from cdgrab_sim.asynchronous._run import AsyncStatus as AsyncStatus
from cdgrab_sim.asynchronous._simulate import simulate_async as simulate_async
from cdgrab_sim.asynchronous.methods import METHODS as METHODS

__all__ = [
    "METHODS",
    "AsyncRecord",
    "AsyncRun",
    "AsyncStatus",
    "Flow",
    "JobTimes",
    "Method",
    "MethodState",
    "Region",
    "ball",
    "box",
    "job_times",
    "methods",
    "simulate_async",
]


def __dir__() -> list[str]:
    return __all__
