"""Averages over all orders of products that need not commute: the recursion over subsets, forwards."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from theory._spectral import Array

LARGEST = 2**17
"""Steps that one average may take; n = 12 on one worker needs 24,576."""


def over_orders(n: int, m: int, start: Array, step: Callable[[tuple[int, ...], Array], Array]) -> Array:
    """Return the mean of ``step(w_n, ... step(w_1, start))`` over the orders of m workers, all independent.

    ``w_k`` has one example of each worker. Subsets of k examples per worker are reached from those of k - 1
    by any last step, each in a share 1 / k**m of the orders; `step` is linear in its second argument.
    """
    work = sum(math.comb(n, k) ** m * (n - k) ** m for k in range(n))
    if work > LARGEST:
        raise ValueError(
            f"expected at most {LARGEST} steps over subsets; got {work}, from n = {n}, m = {m}; "
            "pass fewer examples"
        )
    layer = {(0,) * m: start}
    for k in range(n):
        sums: dict[tuple[int, ...], Array] = {}
        for subsets, value in layer.items():
            for w in itertools.product(*([j for j in range(n) if not s >> j & 1] for s in subsets)):
                larger = tuple(s | 1 << j for s, j in zip(subsets, w, strict=True))
                after = step(w, value)
                sums[larger] = sums[larger] + after if larger in sums else after
        layer = {subsets: total / (k + 1) ** m for subsets, total in sums.items()}
    return layer[((1 << n) - 1,) * m]
