"""What the balancing forms share: inner products, the greedy sign, and places in the next order."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.registers import LANES, Where, load, spread, store, total, zeros
from cdgrab_sim._types import FloatArray, IntArray

Scope = Literal["coordinated", "independent"]
SCOPES = ("coordinated", "independent")


@inlined
def inner(s: FloatArray, row: int, a: FloatArray, ia: Where, b: FloatArray, ib: Where) -> float:
    """Return <s[row], v> for v = ``a[ia] - b[ib]``, summed as `_kernels.sums` sums."""
    d = s.shape[1]
    full = d - d % LANES
    product = 0.0
    if full > 0:
        t = zeros()
        for p in range(0, full, LANES):
            t = t + load(s, (row, p)) * (load(a, (*ia, p)) - load(b, (*ib, p)))
        product = total(t)
    for p in range(full, d):
        product += s[row, p] * (a[(*ia, p)] - b[(*ib, p)])
    return product


@inlined
def inner_and_square(
    s: FloatArray, row: int, a: FloatArray, ia: Where, b: FloatArray, ib: Where
) -> tuple[float, float]:
    """Return <s[row], v> and |v|^2 for v = ``a[ia] - b[ib]``, in one pass."""
    d = s.shape[1]
    full = d - d % LANES
    product = square = 0.0
    if full > 0:
        t, t_square = zeros(), zeros()
        for p in range(0, full, LANES):
            v = load(a, (*ia, p)) - load(b, (*ib, p))
            t = t + load(s, (row, p)) * v
            t_square = t_square + v * v
        product, square = total(t), total(t_square)
    for p in range(full, d):
        v1 = a[(*ia, p)] - b[(*ib, p)]
        product += s[row, p] * v1
        square += v1 * v1
    return product, square


@inlined
def add(s: FloatArray, row: int, step: float, a: FloatArray, ia: Where, b: FloatArray, ib: Where) -> None:
    """Add `step` times v = ``a[ia] - b[ib]`` to ``s[row]``."""
    d = s.shape[1]
    full = d - d % LANES
    for p in range(0, full, LANES):
        v = load(a, (*ia, p)) - load(b, (*ib, p))
        store(s, (row, p), load(s, (row, p)) + spread(step) * v)
    for p in range(full, d):
        s[row, p] += step * (a[(*ia, p)] - b[(*ib, p)])


@inlined
def add_row(s: FloatArray, row: int, a: FloatArray, r: int, c: int) -> None:
    """Add ``a[r, c]`` to ``s[row]``."""
    d = s.shape[1]
    full = d - d % LANES
    for p in range(0, full, LANES):
        store(s, (row, p), load(s, (row, p)) + load(a, (r, c, p)))
    for p in range(full, d):
        s[row, p] += a[r, c, p]


@inlined
def balance(s: FloatArray, row: int, a: FloatArray, ia: Where, b: FloatArray, ib: Where) -> float:
    """Add the vector v = ``a[ia] - b[ib]`` to the running sum ``s[row]`` with the greedy sign.

    Returns the sign: +1.0 if <s, v> <= 0 else -1.0.
    """
    # A selection, not a branch: which way a sign falls is a coin toss that no processor predicts.
    eps = 1.0 if inner(s, row, a, ia, b, ib) <= 0.0 else -1.0
    add(s, row, eps, a, ia, b, ib)
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


@inlined
def place(after: IntArray, i: int, j: int, first: int, second: int, eps: float) -> None:
    """Give the two examples of worker i's pair j the next slots at the front and the back."""
    plus = eps > 0.0
    after[i, j] = first if plus else second
    after[i, after.shape[1] - 1 - j] = second if plus else first


@kernel
def complete(after: IntArray, pi: IntArray, front: IntArray, back: IntArray) -> int:
    """Make permutations of `after`, whose rows hold `front` and `back` examples at their ends.

    The examples that a worker did not show take the slots that are left, in their old order. Returns
    who showed an example twice, -1 for nobody; see `refuse_repeats`.
    """
    m, n = pi.shape
    placed = np.zeros(n, np.bool_)
    for i in range(m):
        mark = i % 2 == 0  # the worker before has left the other one everywhere
        for k in range(front[i]):
            placed[after[i, k]] = mark
        for k in range(n - back[i], n):
            placed[after[i, k]] = mark
        left = 0
        for j in range(n):
            left += placed[j] != mark
        if left != n - front[i] - back[i]:
            return i
        for k in range(n if left > 0 else 0):
            if placed[pi[i, k]] != mark:
                placed[pi[i, k]] = mark
                after[i, n - back[i] - left] = pi[i, k]
                left -= 1
    return -1


def refuse_repeats(name: str, i: int) -> None:
    """Refuse an epoch in which worker i showed an example twice; -1 is nobody."""
    if i >= 0:
        raise ValueError(
            f"ordering {name!r}: expected each example once in an epoch; got one of worker {i} twice; "
            "show an epoch without replacement"
        )


def too_many(name: str, n: int) -> ValueError:
    """Return the refusal of a piece that goes beyond the end of an epoch."""
    return ValueError(
        f"ordering {name!r}: expected at most n = {n} gradients of a worker in an epoch; got more; "
        "advance the state at the end of each epoch"
    )
