"""What would it save to walk several replicates in turns, as lanes of one call?

    python -m benchmarks.interleave [--quick] [--json]

A walk at small m d waits for its own chain of operations. 32 replicates that take their steps in turns give
the processor something to do meanwhile. The walk here does just that, for fixed orders; it stands beside
the walk of the package, 32 times. docs/decisions/0012 tells why the package does not do it.
"""

from __future__ import annotations

from importlib import import_module

import numba
import numpy as np

import cdgrab_sim as cg
from benchmarks._race import alone, race, ratio
from cdgrab_sim.synchronous._engine import CHUNK_BYTES, Engine

LANES, N = 32, 256


def walk_in_turns(grads):
    @numba.njit(error_model="numpy")
    def walk(G, at, x, v, total, pi, who, k0, alpha, data):
        lanes, steps, m, d = G.shape
        share = 1.0 / m
        for r in range(steps):
            for q in range(lanes):
                for i in range(m):
                    at[i] = pi[q, i, k0 + r]
                grads(G[q, r], x[q], who, at, data)
                for i in range(m - 1):
                    for p in range(d):
                        total[q, p] += G[q, r, i, p]
                for p in range(d):
                    v[q, p] = share * (total[q, p] + G[q, r, m - 1, p])
                    x[q, p] -= alpha[q] * v[q, p]
                    total[q, p] = 0.0

    return walk


def contest(family: str, m: int, d: int):
    """Return both as functions of one epoch of all lanes."""
    problem = cg.problems.PROBLEMS[family](m=m, n=N, d=d)
    walk = walk_in_turns(import_module(f"cdgrab_sim.problems._{family}").grads)
    pi = np.random.default_rng(0).permuted(np.tile(np.arange(N), (LANES, m, 1)), axis=2)
    steps = min(N, CHUNK_BYTES // (8 * LANES * m * d))  # powers of two, so that chunks fill the epoch
    G, alpha = np.empty((LANES, steps, m, d)), np.full(LANES, 1e-6)
    x, v, total = np.zeros((3, LANES, d))
    who, at = np.arange(m), np.empty(m, dtype=np.int64)
    engines, every = [Engine(problem) for _ in range(LANES)], np.full(N, 1e-6)

    def in_turns() -> None:
        for k0 in range(0, N, steps):
            walk(G, at, x, v, total, pi, who, k0, alpha, problem.arrays)

    def one_by_one() -> None:
        for q in range(LANES):
            engines[q].epoch(pi[q], every, None)

    in_turns()
    one_by_one()
    np.testing.assert_allclose(x, [engine.it.x for engine in engines], rtol=1e-12)
    return {"in turns": in_turns, "one by one": one_by_one}


def measure(quick: bool):
    for family in ("skewed", "logistic"):
        for m, d in ((1, 2), (1, 8), (8, 2), (1, 32)):
            times = race(contest(family, m, d), 0.3 if quick else 2.0)
            name = f"{family}: in turns / one by one, m={m}, d={d}"
            us = 1e6 * times["in turns"].min() / (LANES * m * N)
            yield ratio(name, times["in turns"], times["one by one"], note=f"{us:.4f} us")


if __name__ == "__main__":
    alone(measure, __doc__)
