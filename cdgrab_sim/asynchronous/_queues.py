"""Queues of examples: orders without replacement, filled ahead of the workers that consume them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, Stream
from cdgrab_sim._types import IntArray
from cdgrab_sim.orderings._orders import random_orders

ORDERS = ("iid", "rr", "so", "ig")


class Queues:
    """Rings of examples, one for each row of the problem; all workers share the only row of a shared one.

    Row i of epoch t is what worker i visits in epoch t of a synchronous run, whenever the worker gets there.

    Parameters
    ----------
    problem : Problem
    order : {"iid", "rr", "so", "ig"} or array (n,) or (m, n)
        Independent draws (nothing to queue); a new permutation in every epoch; the first one for ever; the
        examples as they come; or a fixed order.
    seed : int
    ahead : int
        Entries that a call of the loop may consume from a row.
    """

    def __init__(self, problem: Problem, order: Any, seed: int, ahead: int) -> None:
        m, n = problem.m, problem.n
        self.position = np.zeros(m, dtype=np.int64)
        self._n, self._filled = n, np.zeros(m, dtype=np.int64)
        epochs = 0 if isinstance(order, str) and order == "iid" else 2 * (-(-ahead // n)) + 1
        self.ring = np.zeros((m, epochs * n), dtype=np.int64)
        # Workers of one speed share the orders of an epoch; one that lags behind has them drawn once more.
        self._orders = lru_cache(maxsize=epochs)(_orders(problem, order, seed))

    def fill(self) -> int | None:
        """Fill the free part of the rings; return how many entries every row has, None for no limit."""
        length = self.ring.shape[1]
        if length == 0:
            return None
        for row in range(len(self.ring)):
            while self._filled[row] + self._n - self.position[row] <= length:
                filled = int(self._filled[row])
                at = filled % length
                self.ring[row, at : at + self._n] = self._orders(filled // self._n)[row]
                self._filled[row] += self._n
        return int((self._filled - self.position).min())


def _orders(problem: Problem, order: Any, seed: int) -> Callable[[int], IntArray]:
    """Return the function from an epoch to the orders of all rows, (m, n)."""
    m, n = problem.m, problem.n
    if not isinstance(order, str):
        table = _checks.orders("order", order, m, n)
        return lambda epoch: table
    kind = _checks.choice("order", order, ORDERS)
    if kind in ("ig", "iid"):
        identity = np.broadcast_to(np.arange(n), (m, n))
        return lambda epoch: identity
    stream = Stream(seed, Role.ORDER)
    if kind == "so":
        once = random_orders(m, n, stream.at(0))
        return lambda epoch: once
    return lambda epoch: random_orders(m, n, stream.at(epoch))
