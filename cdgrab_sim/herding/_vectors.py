"""Vectors that do not move, as a problem: what the orderings run on in the array functions."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._kernels.sums import dot
from cdgrab_sim._kernels.walk import walk_loop
from cdgrab_sim._records import Problem
from cdgrab_sim._types import Data, FloatArray, IntArray
from cdgrab_sim.problems._linear_terms import mean_term


class Vectors(NamedTuple):
    """Data of `vectors`."""

    z: FloatArray  # (m, n, d)


@kernel(small=True)
def grads(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Data) -> None:
    """Gradient of a row: z_ij, at every x."""
    (z,) = data
    for r in range(out.shape[0]):
        i, j = who[r], idx[r]
        for p in range(out.shape[1]):
            out[r, p] = z[i, j, p]


@kernel
def walk(  # type: ignore[no-untyped-def]
    G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data
):
    """Walk bound to this file's `grads`."""
    walk_loop(grads, G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data)


@kernel(small=True)
def loss(x: FloatArray, i: int, j: int, data: Data) -> float:
    """f_ij(x) = <z_ij, x>."""
    (z,) = data
    return dot(z[i, j], x)


def value(x: FloatArray, data: Data) -> float:
    """f(x) = <mean of all z, x>."""
    (z,) = data
    return float(np.cumsum(mean_term(z) * x)[-1])


def vectors(z: ArrayLike) -> Problem:
    r"""Linear functions, whose gradients are given vectors.

    .. math:: f_{ij}(x) = \langle z_{ij}, x \rangle

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
        The vectors of one worker, or of m.

    Examples
    --------
    >>> vectors([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).n
    3
    """
    table = as_table(z)
    m, n, d = table.shape
    return Problem("vectors", m, n, d, Vectors(table), grads, value, walk=walk, loss=loss)


def as_table(z: ArrayLike) -> FloatArray:
    """Return vectors (n, d) or (m, n, d), checked, as (m, n, d)."""
    table = _checks.floats("z", z, (2, 3))
    return table[None] if table.ndim == 2 else table


def scaled(table: FloatArray) -> tuple[FloatArray, int]:
    """Return vectors divided by a power of two, so that no entry exceeds 1, and its exponent.

    No bit of a sum or a product changes, hence no decision, and squares neither overflow nor vanish.

    Examples
    --------
    >>> scaled(np.array([[3e200, -1e200]]))[1] == scaled(np.array([[3.0, -1.0]]))[1] + 664
    True
    """
    exponent = math.frexp(np.abs(table).max())[1]
    return np.ldexp(table, -exponent), exponent


def rescaled(a: ArrayLike, exponent: int) -> FloatArray:
    """Undo `scaled` for what was computed from it; what is beyond the numbers there are is inf."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(a, exponent))


def as_stream(table: FloatArray) -> FloatArray:
    """Return vectors (m, n, d) as a stream (n, m, d), in C order."""
    return np.ascontiguousarray(table.swapaxes(0, 1))
