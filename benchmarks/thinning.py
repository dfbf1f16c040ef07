"""What does thinning cost, beside the package published with it, and a sketch beside whole gradients?

    python -m benchmarks.thinning [--quick] [--json]

Rows with "goodpoints" need ``pip install goodpoints``; they are left out without it, and guarded by nothing.
Notes are seconds. A row with "scaled" compares with goodpoints at n = 4,096 times the square of the sizes.
"""

from __future__ import annotations

import time

import numpy as np

import cdgrab_sim as cg
from benchmarks._race import Row, alone, race, ratio
from cdgrab_sim import thinning
from cdgrab_sim._records import Seen

SCALE = 2.0  # of the Gaussian kernel


def points(n: int, d: int = 2) -> np.ndarray:
    return np.random.RandomState(0).standard_normal((n, d))


def seconds(run) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def peers(quick: bool):
    """Yield thinning and compression beside goodpoints."""
    try:
        from goodpoints import compress, kt
    except ImportError:
        return

    def k(y, X):
        return np.exp(-((X - y) ** 2).sum(axis=1) / (2.0 * SCALE**2))

    kernel, large = thinning.gaussian(SCALE), 4096 if quick else 16384
    theirs = seconds(lambda: kt.thin(points(4096), 1, k, k, seed=0, store_K=False))
    ours = seconds(lambda: thinning.thin(points(large), 1, kernel))
    scaled = theirs * (large / 4096) ** 2
    yield peer(f"thin / goodpoints, n={large}, scaled", ours, scaled, 0.5)
    settings = {"k_params": np.array([2.0 * SCALE**2]), "g": 4, "seed": 0}
    theirs = seconds(lambda: compress.compresspp_kt(points(16384), b"gaussian", **settings))
    ours = seconds(lambda: thinning.compress(points(4 * large), kernel))
    yield peer(f"compress, n={4 * large} / goodpoints, n=16384", ours, theirs, 1.0)


def peer(name: str, ours: float, theirs: float, budget: float) -> Row:
    return Row(name, ours / theirs, budget=budget, guarded=False, note=f"{ours:.2f} s, {theirs:.2f} s")


def sketches():
    """Yield what an ordering costs that sees 16 of 4,096 coordinates."""
    m, n, d, whole = 4, 64, 4096, cg.orderings.cd_grab()
    problem = cg.problems.quadratic(m=m, n=n, d=d)
    G = np.random.RandomState(0).standard_normal((n, m, d))

    def epoch(ordering):
        rng = np.random.Generator(np.random.PCG64(0))
        state = ordering.init(problem, rng)

        def run():
            nonlocal state
            ordering.observe(state, Seen.along(state.pi, 0, G))
            state = ordering.advance(state, rng)

        return run

    forms = {by: cg.orderings.sketched(whole, 16, by) for by in cg.orderings.SKETCHES}
    times = race({name: epoch(form) for name, form in ({"whole": whole} | forms).items()}, 2.0)
    for by in forms:
        budget = 0.1 if by == "columns" else None
        yield ratio(f"{by}, k=16 / whole gradients, d=4096", times[by], times["whole"], budget)


def measure(quick: bool):
    thinning.thin(points(64), 1, thinning.gaussian(SCALE))  # compiled before the clock runs
    yield from sketches()
    yield from peers(quick)


if __name__ == "__main__":
    alone(measure, __doc__)
