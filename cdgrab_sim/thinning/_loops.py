"""The loops over pairs of points, and how a kernel of whatever origin enters them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from cdgrab_sim._kernels.jit import bound, compiles, inlined, kernel
from cdgrab_sim._kernels.sums import dot
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.thinning import _gaussian
from cdgrab_sim.thinning._decide import decide
from cdgrab_sim.thinning._functions import Kernel, built_in


@inlined
def _signs(k, settings, eps, memory, X, uniforms, G):  # type: ignore[no-untyped-def]
    """Give the pairs of rows (0, 1), (2, 3), ... of X signs; one kernel value for each two rows."""
    for i in range(eps.shape[0]):
        x, y = X[2 * i], X[2 * i + 1]
        b2 = k(x, x, settings) + k(y, y, settings) - 2.0 * k(x, y, settings)
        p = 0.0
        for j in range(i):
            u, v = X[2 * j], X[2 * j + 1]
            ahead = k(u, x, settings) - k(v, x, settings)
            p += eps[j] * (ahead - (k(u, y, settings) - k(v, y, settings)))
        eps[i] = decide(p, b2, uniforms[i], G, memory)


@inlined
def _sums(k, settings, out, X, Y):  # type: ignore[no-untyped-def]
    """Write sum over y of k(x, y) for every row x of X."""
    for i in range(out.shape[0]):
        total = 0.0
        for j in range(Y.shape[0]):
            total += k(X[i], Y[j], settings)
        out[i] = total


@kernel(allocates=False)
def signs_built_in(settings, eps, memory, X, uniforms, G):  # type: ignore[no-untyped-def]
    """As `_signs`, for the kernels of this package."""
    _signs(built_in, settings, eps, memory, X, uniforms, G)


@kernel(allocates=False)
def sums_built_in(settings, out, X, Y):  # type: ignore[no-untyped-def]
    """As `_sums`, for the kernels of this package."""
    _sums(built_in, settings, out, X, Y)


@kernel
def signs_linear(
    eps: IntArray, memory: FloatArray, s: FloatArray, X: FloatArray, uniforms: FloatArray, G: float
) -> None:
    """As `_signs`, for the linear kernel: the walk is a running sum s (d,), so this takes O(n d)."""
    v = X[0].copy()
    for i in range(eps.shape[0]):
        v[:] = X[2 * i] - X[2 * i + 1]
        eps[i] = decide(dot(s, v), dot(v, v), uniforms[i], G, memory)
        s += eps[i] * v


def _make_signs(k: Callable[..., float]) -> Callable[..., None]:
    def run(settings, eps, memory, X, uniforms, G):  # type: ignore[no-untyped-def]
        _signs(k, settings, eps, memory, X, uniforms, G)

    return run


def _make_sums(k: Callable[..., float]) -> Callable[..., None]:
    def run(settings, out, X, Y):  # type: ignore[no-untyped-def]
        _sums(k, settings, out, X, Y)

    return run


def signs_loop(kernel: Kernel) -> Callable[..., None]:
    """Return ``loop(eps, memory, X, uniforms, G)``, see `_signs`."""
    if kernel.is_gaussian:
        return partial(_gaussian.signs, kernel.settings[1])
    return _with(kernel, signs_built_in, _make_signs, _signs)


def sums_loop(kernel: Kernel, X: FloatArray) -> Callable[[FloatArray, FloatArray], None]:
    """Return ``loop(out, Y)`` for the points X, see `_sums`."""
    if kernel.is_gaussian:
        return _gaussian.sums(kernel.settings[1], X)
    loop = _with(kernel, sums_built_in, _make_sums, _sums)
    return lambda out, Y: loop(out, X, Y)


def _with(kernel: Kernel, ready: Any, make: Any, loop: Any) -> Callable[..., None]:
    if kernel.is_built_in:
        return partial(ready, kernel.settings)
    if kernel.compiles and compiles():
        return partial(bound(make, kernel.function), kernel.settings)
    plain = getattr(loop, "py_func", loop)  # a plain function is called from plain loops
    return partial(plain, kernel.function, kernel.settings)
