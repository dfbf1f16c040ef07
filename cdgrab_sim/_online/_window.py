"""What waits: the gradients of a pair of steps, until every worker has shown its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._kernels.registers import aligned
from cdgrab_sim._online._leaves import Part
from cdgrab_sim._records import Seen
from cdgrab_sim._types import FloatArray, IntArray

_ROOM = 1 << 18  # bytes of gradients that are shown at a time, where workers are in step
Write = Callable[[FloatArray, "list[Part]", slice], None]


@kernel
def all_finite(G: FloatArray) -> bool:
    """Tell whether all numbers of (steps, w, width) are finite."""
    good = True
    for r in range(G.shape[0]):
        for c in range(G.shape[1]):
            row = G[r, c]
            for p in range(row.shape[0]):
                good &= abs(row[p]) < np.inf
    return good


class Window:
    """Collects the gradients of one epoch, and yields pieces of the stream that can be shown.

    A unit is a pair of steps, or one step for orderings that sign every gradient by itself; the last one of
    an odd epoch is one step. A round ends, and its units are shown in the order of the workers, when every
    worker has ended a unit, or when one that has begins the next.

    Parameters
    ----------
    sizes : list of int
        Gradients of each worker in an epoch.
    unit : int
    width : int
    write : callable
        ``write(out, parts, rows)`` writes these rows of a gradient's parts to `out` (rows, width).
    """

    def __init__(self, sizes: list[int], unit: int, width: int, write: Write) -> None:
        m = len(sizes)
        steps = _ROOM // (8 * m * max(width, 1)) // unit * unit
        self.sizes, self.unit, self._write = sizes, unit, write
        self._equal = sizes.count(sizes[0]) == m
        self.G = aligned((min(max(steps, unit), -(-max(sizes) // unit) * unit), m, width))
        self.skipped = 0  # units of which a gradient was missing
        self.late = 0  # gradients that came after their step was given up
        self.begin(np.zeros((m, max(sizes)), dtype=np.int64))

    def begin(self, orders: IntArray) -> None:
        """Begin an epoch in which the workers follow these orders."""
        m = len(self.sizes)
        self.orders = orders
        self.position = [0] * m  # the next step of each worker
        self.held = [0] * m  # its gradients in the window
        self.spoiled = [False] * m  # whether its unit misses one
        self._new_round()

    def _new_round(self) -> None:
        self.awaited = [k < n for k, n in zip(self.position, self.sizes, strict=True)]

    def put(self, i: int, parts: list[Part], step: int | None) -> Iterator[Seen]:
        """Take gradients of worker i, the rows of `parts`; yield what can be shown now."""
        rows = len(parts[0])
        if step is not None:
            if step < self.position[i]:
                self.late += rows
                return
            yield from self.skip(i, step - self.position[i])
        self._refuse_more(i, rows)
        for r in range(rows):
            yield from self._make_room(i)
            h = self.held[i]
            self._write(self.G[h, i : i + 1], parts, slice(r, r + 1))
            _refuse_non_finite(self.G[h : h + 1, i : i + 1], f" of worker {i}")
            self.position[i] += 1
            self.held[i] += not self.spoiled[i]
            yield from self._after(i)

    def skip(self, i: int, steps: int) -> Iterator[Seen]:
        """Give up the next steps of worker i, and with each the unit that it is part of."""
        self._refuse_more(i, steps)
        for _ in range(steps):
            yield from self._make_room(i)
            self.position[i] += 1
            self.held[i], self.spoiled[i] = 0, True
            yield from self._after(i)

    def put_steps(self, parts: list[Part], direct: FloatArray | None) -> Iterator[Seen]:
        """Take whole steps, rows of all workers in their order; yield what can be shown now.

        `direct` (steps, m, width) is the same in an array that can be shown as it is.
        """
        m = len(self.sizes)
        steps = len(parts[0]) // m
        k, h = self.position[0], self.held[0]
        for i in range(m):
            self._refuse_more(i, steps)
        if not self._in_step():
            for row in range(steps * m):
                yield from self.put(row % m, [part[row : row + 1] for part in parts], None)
            return
        done = 0
        while done < steps:
            most = min(steps - done, max(len(self.G), self.unit))  # is looked at and shown while in cache
            if direct is not None and h == 0 and (whole := self._whole(k, most)):
                piece = direct[done : done + whole]
                _refuse_non_finite(piece)
                done, k, start = done + whole, k + whole, k
            else:
                take = min(len(self.G) - h, steps - done)
                self._write_steps(h, take, parts, done)
                done, k, start, h = done + take, k + take, k - h, h + take
                whole = self._whole(start, h)
                piece = self.G[:whole]
            self.position = [k] * m
            if whole:
                yield self._seen(start, range(m), piece)
            if h > whole and whole:
                self.G[: h - whole] = self.G[whole:h]
            h = max(h - whole, 0)
            self.held = [h] * m
        self._new_round()

    def close(self) -> Iterator[Seen]:
        """End the epoch: what was not shown is given up."""
        for i, (k, n) in enumerate(zip(self.position, self.sizes, strict=True)):
            yield from self.skip(i, n - k)
        yield from self._flush()

    def _in_step(self) -> bool:
        m = len(self.sizes)
        same = self.position.count(self.position[0]) == m and self.held.count(self.held[0]) == m
        return self._equal and same and not any(self.spoiled)

    def _whole(self, start: int, steps: int) -> int:
        """Return how many of these steps, from `start` on, are whole units."""
        return steps if start + steps == self.sizes[0] else steps - steps % self.unit

    def _write_steps(self, h: int, take: int, parts: list[Part], done: int) -> None:
        m, width = self.G.shape[1:]
        to = self.G[h : h + take]
        self._write(to.reshape(take * m, width), parts, slice(done * m, (done + take) * m))
        _refuse_non_finite(to)

    def _ended(self, i: int) -> bool:
        """Tell whether worker i waits with a whole unit."""
        k = self.position[i]
        return self.held[i] > 0 and (k % self.unit == 0 or k == self.sizes[i])

    def _make_room(self, i: int) -> Iterator[Seen]:
        if self._ended(i):
            yield from self._flush()

    def _after(self, i: int) -> Iterator[Seen]:
        """Note that worker i went a step; where that ends the round, yield the units of all."""
        k = self.position[i]
        if k % self.unit and k != self.sizes[i]:
            return
        self.skipped += self.spoiled[i]
        self.spoiled[i] = self.awaited[i] = False
        if not any(self.awaited):
            yield from self._flush()

    def _flush(self) -> Iterator[Seen]:
        """Yield the whole units, earlier steps first, and begin a new round."""
        groups: dict[tuple[int, int], list[int]] = {}
        for i, h in enumerate(self.held):
            if self._ended(i):
                groups.setdefault((self.position[i] - h, h), []).append(i)
        for (start, h), workers in sorted(groups.items()):
            everybody = len(workers) == len(self.sizes)
            G = self.G[:h] if everybody else np.ascontiguousarray(self.G[:h, workers])
            for i in workers:
                self.held[i] = 0
            yield self._seen(start, workers, G)
        self._new_round()

    def _seen(self, start: int, workers: list[int] | range, G: FloatArray) -> Seen:
        who = np.array(workers)
        return Seen(start, who, np.ascontiguousarray(self.orders[who, start : start + len(G)].T), G)

    def _refuse_more(self, i: int, steps: int) -> None:
        n = self.sizes[i]
        if self.position[i] + steps > n:
            raise ValueError(
                f"worker {i}: expected at most n = {n} gradients in an epoch; got {steps} more at step "
                f"{self.position[i]}; call end_epoch() between epochs"
            )


def _refuse_non_finite(G: FloatArray, whose: str = "") -> None:
    if not all_finite(G):
        raise ValueError(
            f"gradient{whose}: expected finite numbers; got {G[~np.isfinite(G)][0]}; "
            "leave it out with skip(worker), or end the run"
        )


def refuse_step(step: int | None, n: int) -> int | None:
    """Return a step of an epoch of Python, or refuse it."""
    return None if step is None else _checks.integer("step", step, low=0, high=n - 1)
