"""The loops over points for the Gaussian kernel, eight points at a time.

The exponential function of a library takes one number; here it is

    e^z = (1 + y + y^2/2! + ... + y^10/10!)^1024,    y = max(z, -700) / 1024,

which eight numbers go through side by side. Its relative error is below 1e-12 for z >= -100, and e^-100 is
nothing beside k(x, x) = 1. It needs products and sums only, so its bits are those of every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.registers import LANES, aligned, larger, load, spread, store, total, zeros
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.thinning._decide import decide


@inlined
def _exponential(z):  # type: ignore[no-untyped-def]
    """Return e^z for eight numbers that are not positive."""
    one = spread(1.0)
    y = larger(z, spread(-700.0)) * spread(1.0 / 1024.0)
    t = one
    for k in range(10, 0, -1):
        t = one + y * spread(1.0 / k) * t
    for _ in range(10):
        t = t * t
    return t


@inlined
def _values(columns, r, x, factor):  # type: ignore[no-untyped-def]
    """Return k(., x) of the points r, ..., r + 7, whose coordinates are columns; `factor` is -1 / (2 l^2)."""
    square = zeros()
    for p in range(x.shape[0]):
        v = load(columns, (p, r)) - spread(x[p])
        square = square + v * v
    return _exponential(square * spread(factor))


@kernel(allocates=False)
def _signs(  # type: ignore[no-untyped-def]
    eps: IntArray,
    memory: FloatArray,
    weight: FloatArray,
    columns: FloatArray,
    X: FloatArray,
    uniforms,
    G,
    factor,
) -> None:
    """As `_loops._signs`; `weight` are the signs of the points, 0 for those to come."""
    for i in range(eps.shape[0]):
        x, y, square = X[2 * i], X[2 * i + 1], 0.0
        for p in range(x.shape[0]):
            square += (x[p] - y[p]) * (x[p] - y[p])
        t = zeros()
        for r in range(0, 2 * i, LANES):
            t = t + load(weight, (r,)) * (_values(columns, r, x, factor) - _values(columns, r, y, factor))
        eps[i] = decide(total(t), 2.0 - 2.0 * math.exp(square * factor), uniforms[i], G, memory)
        weight[2 * i], weight[2 * i + 1] = eps[i], -eps[i]


@kernel(allocates=False)
def _sums(out: FloatArray, columns: FloatArray, Y: FloatArray, factor: float) -> None:
    """Write sum over y of k(x, y) for every point x."""
    for r in range(0, out.shape[0], LANES):
        t = zeros()
        for j in range(Y.shape[0]):
            t = t + _values(columns, r, Y[j], factor)
        store(out, (r,), t)


def signs(
    inverse: float, eps: IntArray, memory: FloatArray, X: FloatArray, uniforms: FloatArray, G: float
) -> None:
    """Give the pairs of rows (0, 1), (2, 3), ... of X signs; `inverse` is 1 / scale."""
    columns = _columns(X)
    _signs(eps, memory, aligned(columns.shape[1:]), columns, X, uniforms, G, -0.5 * inverse * inverse)


def sums(inverse: float, X: FloatArray) -> Callable[[FloatArray, FloatArray], None]:
    """Return ``loop(out, Y)``, which writes sum over y of k(x, y) for every row x of X."""
    columns = _columns(X)
    wide = aligned(columns.shape[1:])

    def loop(out: FloatArray, Y: FloatArray) -> None:
        _sums(wide, columns, Y, -0.5 * inverse * inverse)
        out[:] = wide[: len(out)]

    return loop


def _columns(X: FloatArray) -> FloatArray:
    """Return the points as columns, filled up to a multiple of eight."""
    columns = aligned((X.shape[1], -(-len(X) // LANES) * LANES))
    columns[:, : len(X)] = X.T
    return columns
