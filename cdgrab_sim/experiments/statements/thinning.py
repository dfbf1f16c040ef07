"""Kernel halving (V10): the MMD of its halves, of points and with kernels of many kinds."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from cdgrab_sim import thinning
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments.statements._statement import Measured, difference, identity, upper
from theory import balancing as theory

KERNELS = (
    thinning.linear(),
    thinning.gaussian(1.5),
    thinning.inverse_multiquadric(1.5),
    thinning.matern(1.5),
)


def _instance(rng: Generator, number: int) -> tuple[FloatArray, thinning.Kernel, FloatArray]:
    """Return points, a kernel, and the matrix of inner products of the pairs' differences."""
    n, d = 2 * int(rng.integers(4, 17)), int(rng.integers(1, 4))
    X, kernel = rng.standard_normal((n, d)), KERNELS[number % len(KERNELS)]
    K = np.array([[kernel.function(x, y, kernel.settings) for y in X] for x in X])
    return X, kernel, K[::2, ::2] - K[::2, 1::2] - K[1::2, ::2] + K[1::2, 1::2]


@identity("V10", "MMD of a half, from the signs of its pairs", cases=16, tol=1e-8)
def half_is_a_signed_sum(rng: Generator, number: int) -> Measured:
    X, kernel, F = _instance(rng, number)
    half = thinning.halve(X, kernel, seed=number).first
    eps = np.where(half % 2 == 0, 1.0, -1.0)
    return difference(thinning.mmd(X, half, kernel) ** 2, eps @ F @ eps / len(X) ** 2, scale=1.0)


@upper("V10", "mean square of the MMD of halves", cases=16, tight=0.3)
def halves_are_close(rng: Generator, number: int) -> Measured:
    X, kernel, F = _instance(rng, number)
    runs = [thinning.halve(X, kernel, seed=seed) for seed in range(100)]
    squares = [thinning.mmd(X, run.first, kernel) ** 2 for run in runs if run.clips == 0]
    eigenvalues = np.maximum(np.linalg.eigvalsh(F), 0.0)
    bound = theory.halving_discrepancy(eigenvalues, runs[0].variance, len(X))
    return sum(squares) / len(runs) / bound
