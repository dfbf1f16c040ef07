"""The affine maps of an update, read off its own functions; nothing here is the loop of the engine."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cdgrab_sim import updates
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray, IntArray

Key = tuple[bytes, ...]


class Stand(NamedTuple):
    """Where a path stands: the vectors of its iterates in one, and a 1; their counters and numbers."""

    y: FloatArray  # (D + 1,) x, X and S, then 1
    c: IntArray
    p: FloatArray


class KernelMaps:
    """The updates of one problem as matrices P on y = (x, X, S, 1).

    Parameters
    ----------
    problem : Problem
    update : Update
    x0 : array (d,)
    batch : int
        Steps to an update.
    """

    def __init__(self, problem: Problem, update: Update, x0: FloatArray, batch: int) -> None:
        self.problem, self.update, self.batch = problem, update, batch
        self.draws = update.draws_on(problem)
        self._shape = it = updates.start(update, x0, problem)
        self.start = Stand(np.concatenate([*map(np.ravel, it[:3]), [1.0]]), it.c, it.p)
        self._known: dict[Key, tuple[FloatArray, Stand]] = {}

    def move(
        self, at: Stand, w: IntArray, alpha: float, U: FloatArray
    ) -> tuple[FloatArray, Stand, FloatArray]:
        """Return the map of an update on examples w (steps, m), where it leads, and the gradients.

        Raises
        ------
        AssertionError
            Where the functions of the update lead elsewhere than the map.
        """
        key = (w.tobytes(), np.float64(alpha).tobytes(), U.tobytes(), at.c.tobytes(), at.p.tobytes())
        if key not in self._known:
            zero = np.zeros(len(at.y))
            columns = [self._run(at, base + zero, w, alpha, U) for base in np.eye(len(zero))[:-1]]
            shift = self._run(at, zero, w, alpha, U)
            linear = [(moved.y - shift[0].y)[:-1] for moved, _ in columns]
            P = np.eye(len(zero))
            P[:-1, :-1], P[:-1, -1] = np.transpose(linear), shift[0].y[:-1]
            self._known[key] = P, shift[0]
        P, after = self._known[key]
        moved, G = self._run(at, at.y, w, alpha, U)
        mapped = P @ at.y
        scale = float(np.abs(P) @ np.abs(at.y) @ np.ones(len(mapped)))
        same = np.array_equal(moved.c, after.c) and np.array_equal(moved.p, after.p)
        if not (same and np.allclose(moved.y, mapped, rtol=0.0, atol=1e-11 * scale)):
            raise AssertionError(
                f"update {self.update.name!r}: expected steps that are affine in the iterates, as of SGD; "
                f"got {moved.y[:-1]} where its map leads to {mapped[:-1]}"
            )
        return P, Stand(mapped, after.c, after.p), G

    def _run(
        self, at: Stand, y: FloatArray, w: IntArray, alpha: float, U: FloatArray
    ) -> tuple[Stand, FloatArray]:
        """Run one update from the vectors y; return where it leads, and the gradients (steps, m, d)."""
        it, problem, update = self._iterates(at, y), self.problem, self.update
        m, d = problem.m, problem.d
        out, G = np.zeros((m, d)), np.empty((len(w), m, d))
        for k, i in np.ndindex(len(w), m):
            one = slice(i, i + 1)
            x = it.X[i] if len(it.X) else it.x
            problem.grads(G[k, one], x, np.arange(m)[one], w[k, one], problem.arrays)
            if update.take is None:
                out[i] += G[k, i]
            else:
                update.take(it, out[i], G[k, i].copy(), alpha, i, w[k, i], U[k, i])
        mean = out / self.batch
        update.step(it, mean if update.each else mean.mean(axis=0), alpha, U[-1])
        return Stand(np.concatenate([*map(np.ravel, it[:3]), [1.0]]), it.c, it.p), G

    def _iterates(self, at: Stand, y: FloatArray) -> Iterates:
        ends = np.cumsum([a.size for a in self._shape[:3]])
        x, X, S = (
            v.reshape(a.shape).copy() for v, a in zip(np.split(y[:-1], ends[:-1]), self._shape, strict=False)
        )
        return Iterates(x, X, S, at.c.copy(), at.p.copy())
