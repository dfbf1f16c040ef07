"""What the balancing forms share: the sign rule and the reorder that turns signs into an order."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cdgrab_sim._jit import inlined, kernel
from cdgrab_sim._sums import dot_difference, dot_twin
from cdgrab_sim._types import FloatArray, IntArray

Scope = Literal["coordinated", "independent"]
SCOPES = ("coordinated", "independent")


def balance_twin(s: FloatArray, v: FloatArray) -> float:
    """Twin of :func:`balance`, for one sum and one difference."""
    eps = 1.0 if dot_twin(s, v) <= 0.0 else -1.0
    s += eps * v
    return eps


@inlined
def balance(s: FloatArray, row: int, firsts: FloatArray, seconds: FloatArray, i: int) -> float:
    """Add v = ``firsts[i] - seconds[i]`` to the running sum ``s[row]`` with the greedy sign.

    Returns the sign: +1.0 if <s, v> <= 0 else -1.0.
    """
    # A selection, not a branch: which way a sign falls is a coin toss that no processor predicts.
    eps = 1.0 if dot_difference(s, row, firsts, seconds, i) <= 0.0 else -1.0
    for p in range(s.shape[1]):
        s[row, p] += eps * (firsts[i, p] - seconds[i, p])
    return eps


def _fill_twin(after: IntArray, pi: IntArray, eps: IntArray) -> None:
    for i, plus in enumerate(eps > 0):
        after[i] = np.concatenate((pi[i, plus], pi[i, ~plus][::-1]))


@kernel(_fill_twin)
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
