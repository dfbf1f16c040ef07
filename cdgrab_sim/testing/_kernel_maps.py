"""The affine maps of an update, read off its own functions; nothing here is the loop of the engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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


def _stand(it: Iterates) -> Stand:
    return Stand(np.concatenate([*map(np.ravel, it[:3]), [1.0]]), it.c, it.p)


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
        self.start = _stand(it)
        self._known: dict[Key, tuple[FloatArray, Stand]] = {}

    def begin(self, at: Stand) -> tuple[FloatArray, Stand]:
        """Return the map of the beginning of an epoch, and where it leads."""
        if self.update.begin is None:
            return np.eye(len(at.y)), at
        key = (b"begin", at.c.tobytes(), at.p.tobytes())
        if key not in self._known:
            self._known[key] = self._read_off(len(at.y), lambda y: self._begun(at, y))
        P, after = self._known[key]
        return P, Stand(P @ at.y, after.c, after.p)

    def _begun(self, at: Stand, y: FloatArray) -> Stand:
        it, begin = self._iterates(at, y), self.update.begin
        assert begin is not None
        begin(it, lambda x: self.problem.gradients(x).mean(axis=(0, 1)))
        return _stand(it)

    @staticmethod
    def _read_off(size: int, run: Callable[[FloatArray], Stand]) -> tuple[FloatArray, Stand]:
        """Return an affine function of y as a matrix, a column for each basis vector, and its end at 0."""
        zero, P = run(np.zeros(size)), np.eye(size)
        P[:-1, :-1] = np.transpose([(run(e).y - zero.y)[:-1] for e in np.eye(size)[:-1]])
        P[:-1, -1] = zero.y[:-1]
        return P, zero

    def move(
        self, at: Stand, w: IntArray, alpha: float, U: FloatArray, weight: FloatArray | None = None
    ) -> tuple[FloatArray, Stand, FloatArray]:
        """Return the map of an update on examples w (steps, m), where it leads, and the gradients.

        Gradients count with the weights (m, n) of their examples, where there are any.

        Raises
        ------
        AssertionError
            Where the functions of the update lead elsewhere than the map.
        """
        weights = b"" if weight is None else weight.tobytes()
        key = (w.tobytes(), np.float64(alpha).tobytes(), U.tobytes(), at.c.tobytes(), at.p.tobytes(), weights)
        if key not in self._known:
            run = partial(self._run, at, w=w, alpha=alpha, U=U, weight=weight)
            self._known[key] = self._read_off(len(at.y), lambda y: run(y)[0])
        P, after = self._known[key]
        moved, G = self._run(at, at.y, w, alpha, U, weight)
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
        self, at: Stand, y: FloatArray, w: IntArray, alpha: float, U: FloatArray, weight: FloatArray | None
    ) -> tuple[Stand, FloatArray]:
        """Run one update from the vectors y; return where it leads, and the gradients (steps, m, d)."""
        it, problem, update = self._iterates(at, y), self.problem, self.update
        m, d = problem.m, problem.d
        out, anchored, G = np.zeros((m, d)), np.zeros((m, d)), np.empty((len(w), m, d))
        for k, i in np.ndindex(len(w), m):
            factor, own = 1.0 if weight is None else weight[i, w[k, i]], np.zeros(d)
            self._gradient(G[k, i], it.X[i] if len(it.X) else it.x, i, int(w[k, i]))
            if update.take is None:
                own += G[k, i]
            else:
                update.take(it, own, G[k, i].copy(), alpha, i, w[k, i], U[k, i])
            out[i] += factor * own
            if update.anchored:
                self._gradient(own, it.S[0], i, int(w[k, i]))
                anchored[i] += factor * own
        mean = out / self.batch
        g = mean if update.each else mean.mean(axis=0)
        if update.anchored:
            g = np.array([g, anchored.mean(axis=0) / self.batch])
        update.step(it, g, alpha, U[-1])
        return _stand(it), G

    def _gradient(self, out: FloatArray, x: FloatArray, i: int, j: int) -> None:
        self.problem.grads(out[None], x, np.array([i]), np.array([j]), self.problem.arrays)

    def _iterates(self, at: Stand, y: FloatArray) -> Iterates:
        ends = np.cumsum([a.size for a in self._shape[:3]])
        x, X, S = (
            v.reshape(a.shape).copy() for v, a in zip(np.split(y[:-1], ends[:-1]), self._shape, strict=False)
        )
        return Iterates(x, X, S, at.c.copy(), at.p.copy())
