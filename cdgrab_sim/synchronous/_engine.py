"""The buffers of one chain and what can be done with them: walk an epoch, stand still and look around."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from cdgrab_sim import updates
from cdgrab_sim._kernels.registers import aligned
from cdgrab_sim._kernels.steps import bound_steps
from cdgrab_sim._kernels.walk import bound_walk
from cdgrab_sim._records import Iterates, Ordering, Problem, Seen, Update
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.synchronous._rounds import Rounds, once

CHUNK_BYTES = 1 << 18  # a chunk of the stream stays in the second-level cache
PAIRED_STEPS = 4  # two pairs of one worker, which are balanced at a time
_PLAIN = updates.sgd()
_ALL_ONES = np.zeros((0, 0))

See = Callable[[Seen], Any]


def chunk_steps(m: int, n: int, d: int) -> int:
    """Return the steps of a chunk: an even number, so that no pair waits for the next chunk."""
    steps = max(CHUNK_BYTES // (8 * m * d), PAIRED_STEPS)
    return min(n, steps - steps % 2)


class Engine:
    """One chain of iterates of one problem.

    Parameters
    ----------
    problem : Problem
    update : Update, optional
        Plain SGD by default.
    x0 : array (d,), optional
        The origin by default.
    whole_epoch : bool
        Keep the stream of a whole epoch in `stream` instead of passing it on chunk by chunk.
    """

    def __init__(
        self,
        problem: Problem,
        update: Update = _PLAIN,
        x0: FloatArray | None = None,
        *,
        whole_epoch: bool = False,
    ) -> None:
        m, n, d = problem.m, problem.n, problem.d
        self.problem, self._update, self._data = problem, update, problem.arrays
        self.it = updates.start(update, np.zeros(d) if x0 is None else x0, problem)
        self._still = updates.start(_PLAIN, np.zeros(d), problem)
        self._fused = bound_walk(problem)
        self._stepping: dict[str, Callable[..., None]] = {}
        steps = n if whole_epoch else chunk_steps(m, n, d)
        self.stream = aligned((steps, m, d))
        at, who = np.empty((steps, m), dtype=np.int64), np.arange(m)
        ends = [(k0, min(steps, n - k0)) for k0 in range(0, n, steps)]
        self._chunks = [Seen(k0, who, at[:rows], self.stream[:rows]) for k0, rows in ends]
        sums = m if update.each else 1 + update.anchored
        self._sum, self._spare, self._nothing = np.zeros((sums, d)), np.zeros((m, d)), np.empty((n, m, 0))
        self._identity: IntArray | None = None

    def epoch(
        self,
        pi: IntArray,
        alpha: FloatArray,
        see: See | None,
        *,
        batch: int = 1,
        weight: FloatArray | None = None,
        draws: FloatArray | None = None,
        rounds: Rounds | None = None,
    ) -> None:
        """Walk one epoch in the orders `pi` and show each chunk of the stream to `see`.

        Parameters
        ----------
        pi : int array (m, n)
        alpha : array (updates,)
            Step sizes, one for each update of the epoch.
        see : callable or None
        batch : int
            Steps to an update.
        weight : array (m, n), optional
            What the gradient of each example is multiplied with; 1 by default.
        draws : array (n, m, draws), optional
            The uniform numbers of the update.
        rounds : Rounds, optional
            Who is there; everybody by default.
        """
        if self._update.begin is not None:
            self._update.begin(self.it, self.full_gradient)
        self._pass(self._update, self.it, pi, alpha, see, batch, weight, draws, rounds)

    def stand_still(self, x: FloatArray, pi: IntArray, see: See | None = None) -> FloatArray:
        """Show all gradients at `x` in the orders `pi` to `see`, and return their mean."""
        # Plain SGD with alpha = 0 and the epoch as one batch: the velocity is the mean of all gradients.
        self._still.x[:], self._still.S[:] = x, 0.0
        self._pass(_PLAIN, self._still, pi, np.zeros(1), see, self.problem.n)
        mean: FloatArray = self._still.S[0].copy()
        return mean

    def full_gradient(self, x: FloatArray) -> FloatArray:
        """Return grad f(x)."""
        if self._identity is None:
            rows = np.arange(self.problem.n)
            self._identity = np.tile(rows, (self.problem.m, 1))
        return self.stand_still(x, self._identity)

    def stream_at(self, x: FloatArray, pi: IntArray) -> FloatArray:
        """Return the stream of all gradients at `x` in the order `pi`; needs ``whole_epoch``."""
        self.stand_still(x, pi)
        return self.stream

    def _pass(
        self,
        update: Update,
        it: Iterates,
        pi: IntArray,
        alpha: FloatArray,
        see: See | None,
        batch: int,
        weight: FloatArray | None = None,
        draws: FloatArray | None = None,
        rounds: Rounds | None = None,
    ) -> None:
        out, data, fused = self._sum, self._data, None
        out[:] = 0.0
        if self._fused is not None and update.fused is not None and weight is None:
            fused, x, v, (momentum, decay) = self._fused, it.x, it.S[0], update.fused
        else:
            walk = self._stepping.get(update.name) or self._bind(update)
        w, U = _ALL_ONES if weight is None else weight, self._nothing if draws is None else draws
        for seen in self._chunks if rounds is None else self._present(rounds, batch):
            k0, who, at, G = seen
            rows = pi if rounds is None else pi[who]
            if fused is not None:
                fused(G, at, x, v, out[0], rows, who, k0, alpha, momentum, decay, batch, data)
            elif rounds is None:
                walk(G, at, it, out, self._spare, pi, w, U, who, k0, alpha, batch, data)
            else:
                seats = (out[: len(who)] if update.each else out), self._spare[: len(who)]
                theirs = w[who] if len(w) else w
                walk(G, at, it, *seats, rows, theirs, np.take(U, who, axis=1), who, k0, alpha, batch, data)
            if rounds is not None:
                rounds.see(G)
            if see is not None:
                see(seen if rounds is None else once(seen))

    def _present(self, rounds: Rounds, batch: int) -> Iterator[Seen]:
        """Yield the chunks of an epoch in which workers may be absent."""
        d, flat, places = self.problem.d, self.stream.reshape(-1), self._chunks[0].at.reshape(-1)
        most = len(self.stream)
        for start, end, who in rounds.pieces(batch):
            for k0 in range(start, end, most):
                shape = min(most, end - k0), len(who)
                size = shape[0] * shape[1]
                yield Seen(k0, who, places[:size].reshape(shape), flat[: size * d].reshape(*shape, d))

    def _bind(self, update: Update) -> Callable[..., None]:
        walk = bound_steps(self.problem.grads, update)
        self._stepping[update.name] = walk
        return walk


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
