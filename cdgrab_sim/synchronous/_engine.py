"""The buffers of one chain and what can be done with them: walk an epoch, stand still and look around."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from cdgrab_sim._kernels.registers import aligned
from cdgrab_sim._kernels.walk import bound_walk
from cdgrab_sim._records import Ordering, Problem, Seen
from cdgrab_sim._types import FloatArray, IntArray

CHUNK_BYTES = 1 << 18  # a chunk of the stream stays in the second-level cache
PAIRED_STEPS = 4  # two pairs of one worker, which are balanced at a time


def chunk_steps(m: int, n: int, d: int) -> int:
    """Return the steps of a chunk: an even number, so that no pair waits for the next chunk."""
    steps = max(CHUNK_BYTES // (8 * m * d), PAIRED_STEPS)
    return min(n, steps - steps % 2)


class Engine:
    """One chain of iterates of one problem.

    Parameters
    ----------
    problem : Problem
    whole_epoch : bool
        Keep the stream of a whole epoch in `stream` instead of passing it on chunk by chunk.
    momentum, weight_decay : float
    batch : int
    """

    def __init__(
        self,
        problem: Problem,
        *,
        whole_epoch: bool = False,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        batch: int = 1,
    ) -> None:
        m, n, d = problem.m, problem.n, problem.d
        self.problem = problem
        self._walk, self._data = bound_walk(problem), problem.arrays
        self._rule = (momentum, weight_decay, batch)
        self._who = np.arange(m)
        steps = n if whole_epoch else chunk_steps(m, n, d)
        self.stream = aligned((steps, m, d))
        at = np.empty((steps, m), dtype=np.int64)
        ends = [(k0, min(steps, n - k0)) for k0 in range(0, n, steps)]
        self._chunks = [Seen(k0, self._who, at[:rows], self.stream[:rows]) for k0, rows in ends]
        self._velocity, self._total = np.zeros(d), np.zeros(d)
        self._standing = (np.zeros(1), 0.0, 0.0, n)  # alpha, momentum, weight decay, batch
        self._identity: IntArray | None = None

    def epoch(
        self, x: FloatArray, pi: IntArray, alpha: FloatArray, see: Callable[[Seen], Any] | None
    ) -> None:
        """Walk one epoch from `x`, in place, and show each chunk of the stream to `see`."""
        walk, v, total, data = self._walk, self._velocity, self._total, self._data
        momentum, weight_decay, batch = self._rule
        for seen in self._chunks:
            k0, who, at, G = seen
            walk(G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data)
            if see is not None:
                see(seen)

    def full_gradient(self, x: FloatArray) -> FloatArray:
        """Return grad f(x)."""
        if self._identity is None:
            rows = np.arange(self.problem.n)
            self._identity = np.tile(rows, (self.problem.m, 1))
        return self._stand_still(x, self._identity)

    def stream_at(self, x: FloatArray, pi: IntArray) -> FloatArray:
        """Return the stream of all gradients at `x` in the order `pi`; needs ``whole_epoch``."""
        self._stand_still(x, pi)
        return self.stream

    def _stand_still(self, x: FloatArray, pi: IntArray) -> FloatArray:
        # With alpha = 0 and the epoch as one batch, the velocity is the mean of all gradients.
        v, total, x = np.zeros_like(x), np.zeros_like(x), x.copy()
        alpha, *rule = self._standing
        for k0, who, at, G in self._chunks:
            self._walk(G, at, x, v, total, pi, who, k0, alpha, *rule, self._data)
        return v


def observer(ordering: Ordering, state: Any) -> Callable[[Seen], None] | None:
    """Return ``see(seen)`` for one epoch of an ordering."""
    return None if ordering.observe is None else partial(ordering.observe, state)


def balance_of_epoch(ordering: Ordering, state: Any, seen: Seen) -> float:
    """Show an epoch step by step and return the largest 2-norm of the running signed sum.

    With one sum per worker: the sum over workers of their largest norms.
    """
    see = observer(ordering, state)
    if see is None or not isinstance(getattr(state, "s", None), np.ndarray):
        raise ValueError(
            f"record balance: expected an ordering whose state shows its running signed sum as `s`; "
            f"got {ordering.name!r}; ask for balance with a balancing ordering only"
        )
    largest = np.zeros(len(np.atleast_2d(state.s)))
    for k in range(len(seen.G)):
        see(Seen(k, seen.who, seen.at[k : k + 1], seen.G[k : k + 1]))
        np.maximum(largest, np.linalg.norm(np.atleast_2d(state.s), axis=1), out=largest)
    return float(largest.sum())
