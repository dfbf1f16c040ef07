"""What does an update cost, over the heavy ball that the walk has built in?

    python -m benchmarks.updates [--quick] [--json]

Walks of whole epochs, no ordering. "user's" is the heavy ball again, written with `numba.njit` as a user
would: its budget says that a new update need not be built in to be fast. A chunk costs a microsecond more
than in the built-in walk, which shows at m = 1, d = 2, where a chunk is an epoch of 7 microseconds. Gossip on
a ring is raced against plain SGD, per gradient.
"""

from __future__ import annotations

import numba
import numpy as np

import cdgrab_sim as cg
from benchmarks._race import alone, race, ratio
from cdgrab_sim.synchronous._engine import Engine

SIZES = {(1, 256, 2): None, (8, 256, 3): 1.15, (8, 256, 64): 1.15, (64, 256, 32): 1.15}
LOCAL = {(8, 256, 64): 1.6}  # of local steps: points to move as well


@numba.njit
def step(it, g, alpha, u):
    for q in range(it.x.shape[0]):
        it.S[0, q] = it.p[0] * it.S[0, q] + (g[q] + it.p[1] * it.x[q])
        it.x[q] -= alpha * it.S[0, q]


def users() -> cg.Update:
    return cg.Update("user's", lambda x0, problem: cg.updates.iterates(x0, (0.9, 0.0), vectors=1), step)


def walk(problem: cg.Problem, update: cg.Update):
    engine, pi = Engine(problem, update), np.tile(np.arange(problem.n), (problem.m, 1))
    alpha, epochs = np.full(problem.n, 1e-6), max(1, (1 << 19) // (problem.m * problem.n * problem.d))
    return lambda: [engine.epoch(pi, alpha, None) for _ in range(epochs)]


def measure(quick: bool):
    others = {name: cg.updates.make(name) for name in ("nesterov", "adam", "adamw", "local", "scaffold")}
    updates = {"built in": cg.updates.heavy_ball(), "user's": users()} | others
    for family in ("skewed", "logistic"):
        for (m, n, d), budget in SIZES.items():
            problem = cg.problems.PROBLEMS[family](m=m, n=n, d=d)
            times = race(
                {name: walk(problem, update) for name, update in updates.items()}, 1.0 if quick else 5.0
            )
            for name in list(updates)[1:]:
                allowed = {"user's": budget, "local": LOCAL.get((m, n, d))}.get(name)
                yield ratio(
                    f"{name} / built in, {family}, m={m}, d={d}", times[name], times["built in"], allowed
                )
        yield gossip(family, quick)


def gossip(family: str, quick: bool):
    """Race gossip on a ring against plain SGD."""
    problem = cg.problems.PROBLEMS[family](m=8, n=256, d=64)
    contest = {name: walk(problem, cg.updates.make(name)) for name in ("sgd", "gossip")}
    times = race(contest, 1.0 if quick else 5.0)
    return ratio(f"ring gossip / sgd, {family}, m=8, d=64", times["gossip"], times["sgd"], 3.0)


if __name__ == "__main__":
    alone(measure, __doc__)
