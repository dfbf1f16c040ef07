"""Sums in one fixed order.

Floating-point addition is not associative, and a sign decision turns the last bit of a sum into another
order of the examples. So every sum that an iterate or a sign depends on has one order, a function of its
length only, and each has a NumPy twin with the same bits:

* over workers, examples and steps: one after the other, from the first (:func:`ordered_sum`);
* a dot product over coordinates: eight interleaved partial sums, which a compiler may keep in one vector
  register, then the remaining coordinates one by one (:func:`dot`).

NumPy's own ``sum``, ``@`` and ``einsum`` promise no order and are not used.
"""

from __future__ import annotations

import numpy as np

from cdgrab_sim._jit import inlined
from cdgrab_sim._types import FloatArray

LANES = 8


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
    total = np.zeros(products.shape[:-1])
    if full:
        lanes = products[..., :full].reshape(*total.shape, -1, LANES)
        t = np.moveaxis(np.cumsum(lanes, axis=-2)[..., -1, :], -1, 0)
        total = ((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7]))
    for p in range(full, d):
        total = total + products[..., p]
    return total + 0.0  # as `dot`, which starts from +0.0 and so never returns -0.0


def dot_twin(a: FloatArray, b: FloatArray) -> float:
    """Twin of :func:`dot` for two vectors."""
    return float(dots_twin(a, b))


@inlined
def dot(a: FloatArray, b: FloatArray) -> float:
    """Inner product of two vectors, in the fixed order of this module."""
    d = a.shape[0]
    full = d - d % 8
    t0 = t1 = t2 = t3 = t4 = t5 = t6 = t7 = 0.0
    for p in range(0, full, 8):
        t0 += a[p] * b[p]
        t1 += a[p + 1] * b[p + 1]
        t2 += a[p + 2] * b[p + 2]
        t3 += a[p + 3] * b[p + 3]
        t4 += a[p + 4] * b[p + 4]
        t5 += a[p + 5] * b[p + 5]
        t6 += a[p + 6] * b[p + 6]
        t7 += a[p + 7] * b[p + 7]
    total = ((t0 + t1) + (t2 + t3)) + ((t4 + t5) + (t6 + t7))
    for p in range(full, d):
        total += a[p] * b[p]
    return total


@inlined
def dot_difference(s: FloatArray, row: int, firsts: FloatArray, seconds: FloatArray, i: int) -> float:
    """Inner product of ``s[row]`` and ``firsts[i] - seconds[i]``, without storing the difference."""
    d = s.shape[1]
    full = d - d % 8
    t0 = t1 = t2 = t3 = t4 = t5 = t6 = t7 = 0.0
    for p in range(0, full, 8):
        t0 += s[row, p] * (firsts[i, p] - seconds[i, p])
        t1 += s[row, p + 1] * (firsts[i, p + 1] - seconds[i, p + 1])
        t2 += s[row, p + 2] * (firsts[i, p + 2] - seconds[i, p + 2])
        t3 += s[row, p + 3] * (firsts[i, p + 3] - seconds[i, p + 3])
        t4 += s[row, p + 4] * (firsts[i, p + 4] - seconds[i, p + 4])
        t5 += s[row, p + 5] * (firsts[i, p + 5] - seconds[i, p + 5])
        t6 += s[row, p + 6] * (firsts[i, p + 6] - seconds[i, p + 6])
        t7 += s[row, p + 7] * (firsts[i, p + 7] - seconds[i, p + 7])
    total = ((t0 + t1) + (t2 + t3)) + ((t4 + t5) + (t6 + t7))
    for p in range(full, d):
        total += s[row, p] * (firsts[i, p] - seconds[i, p])
    return total
