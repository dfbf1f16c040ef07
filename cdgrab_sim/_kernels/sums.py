"""Sums in one fixed order.

Floating-point addition is not associative, and a sign decision turns the last bit of a sum into another
order of the examples. So every sum that an iterate or a sign depends on has one order, a function of its
length only, and each has a NumPy twin with the same bits:

* over workers, examples and steps: one after the other, from the first (:func:`ordered_sum`);
* a dot product over coordinates: eight interleaved partial sums, which are one vector of
  :mod:`cdgrab_sim._kernels.registers`, then the remaining coordinates one by one (:func:`dot`).

NumPy's own ``sum``, ``@`` and ``einsum`` promise no order and are not used.
"""

from __future__ import annotations

import math

import numpy as np

from cdgrab_sim._kernels.jit import inlined
from cdgrab_sim._kernels.registers import LANES, load, total, zeros
from cdgrab_sim._types import FloatArray


def ordered_sum(a: FloatArray) -> FloatArray:
    """Sum over the first axis, one row after the other.

    Parameters
    ----------
    a : array, shape (rows, ...)

    Examples
    --------
    >>> ordered_sum(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([4., 6.])
    """
    return np.cumsum(a, axis=0)[-1] if len(a) else np.zeros(a.shape[1:])


def dots_twin(a: FloatArray, b: FloatArray) -> FloatArray:
    """Twin of :func:`dot` over the last axis of `a` (..., d), for one `b` (d,) or one per row."""
    products = a * b
    d = products.shape[-1]
    full = d - d % LANES
    inner = np.zeros(products.shape[:-1])
    if full:
        lanes = products[..., :full].reshape(*inner.shape, -1, LANES)
        t = np.moveaxis(np.cumsum(lanes, axis=-2)[..., -1, :], -1, 0)
        inner = ((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7]))
    for p in range(full, d):
        inner = inner + products[..., p]
    return inner + 0.0  # as `dot`, which starts from +0.0 and so never returns -0.0


def dot_twin(a: FloatArray, b: FloatArray) -> float:
    """Twin of :func:`dot` for two vectors."""
    return float(dots_twin(a, b))


def norm2(a: FloatArray) -> float:
    """Return the 2-norm of a vector; that of NumPy has the bits of the machine's BLAS.

    Examples
    --------
    >>> norm2(np.array([3.0, 4.0]))
    5.0
    """
    return math.sqrt(dot_twin(a, a))


@inlined
def dot(a: FloatArray, b: FloatArray) -> float:
    """Inner product of two vectors, in the fixed order of this module."""
    d = a.shape[0]
    full = d - d % LANES
    inner = 0.0
    if full > 0:
        t = zeros()
        for p in range(0, full, LANES):
            t = t + load(a, (p,)) * load(b, (p,))
        inner = total(t)
    for p in range(full, d):
        inner += a[p] * b[p]
    return inner
