"""Random and adversarial instances that several families share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from cdgrab_sim import herding, orderings
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray, IntArray

NORMS = {"inf": np.inf, "l2": 2}


def seed_of(rng: Generator) -> int:
    """Draw a seed for what takes one."""
    return int(rng.integers(2**31))


def interpreted(problem: Problem) -> Problem:
    """Return a problem whose loop runs as Python: compiling one takes a second, few steps milliseconds."""
    return replace(problem, grads=getattr(problem.grads, "py_func", problem.grads))


def vectors(rng: Generator, number: int, *shape: int) -> FloatArray:
    """Draw vectors: normal, on the sphere, signs, heavy-tailed, few distinct ones, nearly parallel."""
    z = rng.standard_normal(shape)
    kind = number % 6
    if kind == 1:
        z /= np.linalg.norm(z, axis=-1, keepdims=True)
    elif kind == 2:
        z = np.where(z > 0.0, 1.0, -1.0)
    elif kind == 3:
        z /= 0.1 + rng.random(shape) ** 2
    elif kind == 4:
        z = np.rint(z)
    elif kind == 5:
        z = z[..., :1] + 1e-3 * z
    return z


def centred(z: FloatArray, axes: tuple[int, ...] = (0,)) -> FloatArray:
    """Subtract the mean over all axes but the coordinates'."""
    return np.asarray(z - z.mean(axis=axes, keepdims=True))


def prefixes(z: FloatArray, pi: IntArray) -> FloatArray:
    """Return S_1, ..., S_n (n, d) of vectors (m, n, d) in the orders (m, n)."""
    return np.asarray(np.cumsum(np.take_along_axis(z, pi[..., None], axis=1).sum(axis=0), axis=0))


def pair_signs(before: IntArray, after: IntArray) -> IntArray:
    """Read the signs (m, floor(n/2)) of pairs off the orders: +1 where the first went to the front."""
    half = before.shape[1] // 2
    return np.where(after[:, :half] == before[:, : 2 * half : 2], 1, -1)


def pair_differences(z: FloatArray, pi: IntArray) -> FloatArray:
    """Return z of the first less z of the second of every pair (m, floor(n/2), d)."""
    ordered = np.take_along_axis(z, pi[..., None], axis=1)
    half = pi.shape[1] // 2
    return np.asarray(ordered[:, : 2 * half : 2] - ordered[:, 1 : 2 * half : 2])


def one_round(z: FloatArray, ordering: str, pi: IntArray) -> IntArray:
    """Return the orders after one round over vectors (m, n, d) that do not move."""
    return herding.order(z, orderings.make(ordering), rounds=1, first=pi)


def random_orders(rng: Generator, m: int, n: int) -> IntArray:
    """Draw one order per worker."""
    return np.array([rng.permutation(n) for _ in range(m)])


def largest(vectors: FloatArray, norm: str) -> float:
    """Return the largest norm of the rows (..., d)."""
    return float(np.linalg.norm(vectors, ord=NORMS[norm], axis=-1).max())
