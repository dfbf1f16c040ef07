"""What the balancing forms share: the sign rule and the reorder that turns signs into an order."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.registers import LANES, Where, load, spread, store, total, zeros
from cdgrab_sim._kernels.sums import dot_twin
from cdgrab_sim._types import FloatArray, IntArray

Scope = Literal["coordinated", "independent"]
SCOPES = ("coordinated", "independent")


def balance_twin(s: FloatArray, v: FloatArray) -> float:
    """Twin of :func:`balance`, for one sum and one difference."""
    eps = 1.0 if dot_twin(s, v) <= 0.0 else -1.0
    s += eps * v
    return eps


@inlined
def balance(s: FloatArray, row: int, a: FloatArray, ia: Where, b: FloatArray, ib: Where) -> float:
    """Add the vector v = ``a[ia] - b[ib]`` to the running sum ``s[row]`` with the greedy sign.

    Returns the sign: +1.0 if <s, v> <= 0 else -1.0.
    """
    d = s.shape[1]
    full = d - d % LANES
    inner = 0.0
    if full > 0:
        t = zeros()
        for p in range(0, full, LANES):
            t = t + load(s, (row, p)) * (load(a, (*ia, p)) - load(b, (*ib, p)))
        inner = total(t)
    for p in range(full, d):
        inner += s[row, p] * (a[(*ia, p)] - b[(*ib, p)])
    # A selection, not a branch: which way a sign falls is a coin toss that no processor predicts.
    eps = 1.0 if inner <= 0.0 else -1.0
    for p in range(0, full, LANES):
        v = load(a, (*ia, p)) - load(b, (*ib, p))
        store(s, (row, p), load(s, (row, p)) + spread(eps) * v)
    for p in range(full, d):
        s[row, p] += eps * (a[(*ia, p)] - b[(*ib, p)])
    return eps


@inlined
def balance_two(s: FloatArray, G: FloatArray, k: int, i: int, k2: int, i2: int) -> tuple[float, float]:
    """Balance v = ``G[k - 1, i] - G[k, i]``, then w = ``G[k2 - 1, i2] - G[k2, i2]``, with one sum ``s[0]``.

    <s + v, w> and <s - v, w> are both summed while the sign of v is still open; it then selects one of them.
    So one sum after the other is waited for, not two. The bits are those of two calls of `balance`.
    """
    d = s.shape[1]
    full = d - d % LANES
    inner = plus = minus = 0.0
    if full > 0:
        t, t_plus, t_minus = zeros(), zeros(), zeros()
        for p in range(0, full, LANES):
            z = load(s, (0, p))
            v = load(G, (k - 1, i, p)) - load(G, (k, i, p))
            w = load(G, (k2 - 1, i2, p)) - load(G, (k2, i2, p))
            t = t + z * v
            t_plus = t_plus + (z + v) * w
            t_minus = t_minus + (z - v) * w
        inner, plus, minus = total(t), total(t_plus), total(t_minus)
    for p in range(full, d):
        v1 = G[k - 1, i, p] - G[k, i, p]
        w1 = G[k2 - 1, i2, p] - G[k2, i2, p]
        inner += s[0, p] * v1
        plus += (s[0, p] + v1) * w1
        minus += (s[0, p] - v1) * w1
    eps = 1.0 if inner <= 0.0 else -1.0
    eta = 1.0 if (plus if eps > 0.0 else minus) <= 0.0 else -1.0
    for p in range(0, full, LANES):
        v = load(G, (k - 1, i, p)) - load(G, (k, i, p))
        w = load(G, (k2 - 1, i2, p)) - load(G, (k2, i2, p))
        store(s, (0, p), (load(s, (0, p)) + spread(eps) * v) + spread(eta) * w)
    for p in range(full, d):
        v1 = G[k - 1, i, p] - G[k, i, p]
        w1 = G[k2 - 1, i2, p] - G[k2, i2, p]
        s[0, p] = (s[0, p] + eps * v1) + eta * w1
    return eps, eta


def _fill_twin(after: IntArray, pi: IntArray, eps: IntArray) -> None:
    for i, plus in enumerate(eps > 0):
        after[i] = np.concatenate((pi[i, plus], pi[i, ~plus][::-1]))


@kernel(twin=_fill_twin)
def fill(after: IntArray, pi: IntArray, eps: IntArray) -> None:
    """Fill each row of `after` with that of `pi`: sign +1 from the front, sign -1 from the back."""
    m, n = pi.shape
    for i in range(m):
        front, back = 0, n - 1
        for k in range(n):
            plus = eps[i, k] > 0
            after[i, front if plus else back] = pi[i, k]
            front += plus
            back -= not plus


def arrange(pi: IntArray, slot: IntArray) -> IntArray:
    """Return each row of `pi` sorted by slot.

    Slots 2 l are the leaves l = 0, 1, ... of a binary tree, odd ones the places between them. Examples of one
    slot stay as they came, or come backwards where slot % 4 == 2. With one level, slot 0 is the front, slot 2
    the back and slot 1 the middle.
    """
    k = np.arange(pi.shape[1])
    positions = np.lexsort((np.where(slot % 4 == 2, -k, k), slot), axis=1)
    return np.take_along_axis(pi, positions, axis=1)
