"""Queues of examples: orders without replacement, filled ahead of the workers that consume them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, Stream
from cdgrab_sim._types import IntArray

ORDERS = ("iid", "rr", "so", "ig")


class Queues:
    """Rings of examples, one for each row of the problem; all workers share the only row of a shared one.

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
        self._epoch = _epochs(problem, order, seed)

    def fill(self) -> int | None:
        """Fill the free part of the rings; return how many entries every row has, None for no limit."""
        length = self.ring.shape[1]
        if length == 0:
            return None
        for row in range(len(self.ring)):
            while self._filled[row] + self._n - self.position[row] <= length:
                epoch, at = divmod(int(self._filled[row]), self._n)[0], int(self._filled[row]) % length
                self.ring[row, at : at + self._n] = self._epoch(row, epoch)
                self._filled[row] += self._n
        return int((self._filled - self.position).min())


def _epochs(problem: Problem, order: Any, seed: int) -> Callable[[int, int], IntArray]:
    """Return the function from (row, epoch) to a permutation."""
    m, n = problem.m, problem.n
    if not isinstance(order, str):
        table = _checks.orders("order", order, m, n)
        return lambda row, epoch: table[row]
    kind = _checks.choice("order", order, ORDERS)
    if kind in ("ig", "iid"):
        identity = np.arange(n)
        return lambda row, epoch: identity
    streams = [Stream(seed, Role.ORDER, row) for row in range(m)]
    if kind == "so":
        return lambda row, epoch: streams[row].at(0).permutation(n)
    return lambda row, epoch: streams[row].at(epoch).permutation(n)
