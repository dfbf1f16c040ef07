"""online: an ordering at work in a training loop that is not this package's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cdgrab_sim import _checks, orderings
from cdgrab_sim._online._leaves import Part, parts
from cdgrab_sim._online._sampler import Sampler
from cdgrab_sim._online._state import Arrays, refuse_others, restored, saved
from cdgrab_sim._online._window import Window, refuse_step
from cdgrab_sim._records import Ordering, Problem, Seen
from cdgrab_sim._rng import Role, Stream
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.orderings._sketched import SKETCHES, project
from cdgrab_sim.orderings._states import check_orders, orders_of, weight_of

BY = tuple(by for by in SKETCHES if by != "leverage")


class Online:
    """An ordering in a loop of your own; made by `online`, which says how it is used.

    Attributes
    ----------
    m, d, batch : int
    ordering : str
        Its name.
    epoch : int
        Epochs that have ended.
    """

    def __init__(
        self, ordering: Ordering, sizes: list[int], batch: int, d: int, seed: int, sketch: int | None, by: str
    ) -> None:
        self.m, self.d, self.batch, self.epoch = len(sizes), d, batch, 0
        self._examples = sizes
        units = [-(-size // batch) for size in sizes]
        self._observe = ordering.observe
        sketch = None if self._observe is None else sketch
        self._ordering = ordering if sketch is None else orderings.sketched(ordering, sketch, by)
        self.ordering, self._sketch = self._ordering.name, sketch
        self._n, self._draws = max(units), Stream(seed, Role.ORDER)
        self._problem = Problem("online", self.m, self._n, d, (), _unknown, _unknown)
        about = {"ordering": self.ordering, "n": sizes, "d": d, "batch": batch, "seed": seed}
        self._about = json.dumps(about)
        width = 0 if self._observe is None else sketch or d
        self._window = Window(units, 1 if ordering.family == "mean" else 2, width, self._write)
        self._begin(self._ordering.init(self._problem, self._draws.at(0)))

    def __repr__(self) -> str:
        return f"<Online {self.ordering}: m={self.m}, d={self.d}, epoch {self.epoch}>"

    def _begin(self, state: Any) -> None:
        check_orders(self._ordering, state, self._problem)
        self._state = state
        self._window.begin(self._followed(orders_of(self._ordering, state)))

    def _followed(self, pi: IntArray) -> IntArray:
        """Return the orders with only the examples that workers have, which may be fewer for some."""
        pi = pi.copy()
        for row, n in zip(pi, self._window.sizes, strict=True):
            if n < self._n:
                row[:n], row[n:] = row[row < n], -1
        return pi

    def order(self, worker: int) -> IntArray:
        """Return the order of this worker in this epoch: local indices of its examples, or of units."""
        i = self._worker(worker)
        return self._window.orders[i, : self._window.sizes[i]].copy()

    def position(self, worker: int) -> int:
        """Return how many steps of the epoch are behind this worker."""
        return self._window.position[self._worker(worker)]

    def steps(self, worker: int) -> int:
        """Return how many steps the epoch has for this worker."""
        return self._window.sizes[self._worker(worker)]

    def weights(self, worker: int) -> FloatArray | None:
        """Return what to multiply the gradient of each example with, (n,), or None for 1: see `Ordering`."""
        table = weight_of(self._ordering, self._state, self._problem)
        i = self._worker(worker)
        return None if table is None else table[i, : self._window.sizes[i]].copy()

    def examples(self, worker: int, unit: int) -> IntArray:
        """Return the examples of a unit: b j, ..., b j + b - 1, or fewer at the end of the data."""
        end = self._examples[self._worker(worker)]
        return np.arange(unit * self.batch, min((unit + 1) * self.batch, end))

    def sampler(self, worker: int = 0, rows: ArrayLike | None = None) -> Sampler:
        """Return an iterable over the examples of this worker, in the order of whatever epoch it is.

        Parameters
        ----------
        worker : int
        rows : int array, optional
            Which row of the data set is example j of this worker; j itself by default.

        Returns
        -------
        Sampler
            For ``DataLoader(sampler=...)``, or where ``batch`` is more than 1 ``batch_sampler=...``.
        """
        i = self._worker(worker)
        if rows is None:
            return Sampler(self, i, None)
        table = _checks.rows("rows", np.atleast_2d(_checks.array("rows", rows)), (1, self._examples[i]))
        return Sampler(self, i, table[0])

    @overload
    def observe(self, worker: Any, /) -> None: ...
    @overload
    def observe(self, worker: int, gradient: Any, /, *, step: int | None = None) -> None: ...
    def observe(self, worker: Any, gradient: Any = None, /, *, step: int | None = None) -> None:
        """Show gradients: ``observe(worker, gradient)``, or ``observe(gradients)`` of all workers.

        Parameters
        ----------
        worker : int, or gradients (m, ...) of one step or (steps, m, ...)
        gradient : array of d numbers, or (rows, ...) with d numbers in a row
            Anything with ``__array__`` or ``__dlpack__``, or lists, tuples and mappings of such, whose sizes
            add up to d; mappings go by their sorted keys.
        step : int, optional
            The step of the epoch that it belongs to, by default the next one of this worker. Steps that were
            passed over are missing, and a gradient of an earlier step is late.

        Raises
        ------
        ValueError, TypeError
            For other sizes, more gradients than examples, and numbers that are not finite; whole pairs that
            came before these in the same call are then taken.
        """
        window = self._window
        if gradient is None:
            found = parts(worker, (-1, self.m), self.d)
            direct = _as_it_is(found, self.m) if self._sketch is None and self._observe is not None else None
            pieces = window.put_steps(found, direct)
        else:
            i = self._worker(worker)
            step = refuse_step(step, window.sizes[i])
            pieces = window.put(i, parts(gradient, (-1,), self.d), step)
        for seen in pieces:
            self._show(seen)

    def skip(self, worker: int, steps: int = 1) -> None:
        """Go on without the next gradients of this worker: their pairs are skipped, and counted."""
        i = self._worker(worker)
        for seen in self._window.skip(i, _checks.integer("steps", steps, low=0)):
            self._show(seen)

    def end_epoch(self) -> None:
        """End the epoch, and make the orders of the next one; gradients that did not come are skipped."""
        for seen in self._window.close():
            self._show(seen)
        self.epoch += 1
        self._begin(self._ordering.advance(self._state, self._draws.at(self.epoch)))

    @property
    def skipped(self) -> int:
        """Pairs, or gradients where the ordering takes them one by one, that were not balanced up to now."""
        return 0 if self._observe is None else self._window.skipped

    @property
    def late(self) -> int:
        """Gradients that came after their step was passed over, and were left out."""
        return self._window.late

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays that are kept."""
        arrays = [self._window.G, self._window.orders, *_arrays(self._state)]
        owners = {id(a if a.base is None else a.base): a for a in arrays}
        return sum((a if a.base is None else a.base).nbytes for a in owners.values())

    def state_dict(self) -> Arrays:
        """Return everything as arrays by name, for ``np.savez`` or any other store."""
        w = self._window
        counts = {"epoch": self.epoch, "skipped": w.skipped, "late": w.late}
        workers = {"position": w.position, "held": w.held, "spoiled": w.spoiled, "awaited": w.awaited}
        return {
            "about": np.array(self._about),
            **{name: np.array(one) for name, one in (counts | workers).items()},
            "window": w.G[: w.unit].copy(),
            **dict(saved("state", self._state)),
        }

    def load_state_dict(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a saved state, with the same bits; into an object made with the same arguments.

        Raises
        ------
        ValueError
            For the state of another object; this one then stays as it is.
        """
        entries = _checks.mapping("state", state).items()
        given = {name: _checks.array(f"state[{name!r}]", one) for name, one in entries}
        about = given.get("about", np.array("nothing"))
        if about.ndim or about.dtype.kind != "U" or str(about) != self._about:
            got = str(about) if about.ndim == 0 and about.dtype.kind == "U" else _checks.brief(about)
            raise ValueError(
                f"state_dict: expected that of {self._about}; got {got}; make the object with its arguments"
            )
        refuse_others(self.state_dict(), given)
        self.epoch = int(given["epoch"])
        self._begin(restored("state", self._state, given))
        w = self._window
        w.skipped, w.late = int(given["skipped"]), int(given["late"])
        w.position, w.held = given["position"].tolist(), given["held"].tolist()
        w.spoiled, w.awaited = given["spoiled"].tolist(), given["awaited"].tolist()
        w.G[: w.unit] = given["window"]

    def _worker(self, worker: Any) -> int:
        return _checks.integer("worker", worker, low=0, high=self.m - 1)

    def _write(self, out: FloatArray, found: list[Part], rows: slice) -> None:
        """Write rows of gradients, or their sketches, to `out` (rows, width)."""
        if self._observe is None:
            return
        p0 = 0
        for part in found:
            if self._sketch is None:
                out[:, p0 : p0 + part.shape[1]] = part[rows]
            else:
                project(self._state, out, np.ascontiguousarray(part[rows]), p0)
            p0 += part.shape[1]

    def _show(self, seen: Seen) -> None:
        if self._observe is not None:
            self._observe(self._state if self._sketch is None else self._state.inner, seen)


def _as_it_is(found: list[Part], m: int) -> FloatArray | None:
    """Return gradients (steps, m, d) that kernels can read where they are, or None."""
    part = found[0]
    flags = part.flags
    if len(found) > 1 or part.dtype != np.float64 or not (flags.c_contiguous and flags.behaved):
        return None
    return part.reshape(-1, m, part.shape[1])


def _arrays(value: Any) -> Iterator[NDArray[Any]]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _arrays(one)


def _unknown(*_: Any) -> NoReturn:
    raise ValueError("online: only gradients that were observed are known; use simulate for this ordering")


def online(
    ordering: Ordering | str,
    *,
    n: int | Sequence[int],
    d: int,
    m: int = 1,
    seed: int = 0,
    batch: int = 1,
    sketch: int | None = None,
    by: str = "runs",
) -> Online:
    r"""Put an ordering to work in a training loop of your own.

    In every epoch worker i visits its examples in the order ``order(i)``; whatever takes the steps shows each
    gradient where it was computed, and ``end_epoch()`` makes the next orders::

        orders = cg.online("cd-grab", m=4, n=1000, d=7850)
        for epoch in range(20):
            for k in range(1000):
                for i in range(4):
                    g = gradient(i, orders.order(i)[k])
                    orders.observe(i, g)
                ...
            orders.end_epoch()

    Fed with the gradients of a run of `simulate`, the orders are those of the run with the same seed, bit for
    bit, whatever the pieces in which they come.

    Parameters
    ----------
    ordering : Ordering or str
        A record, or a registered name, which means its defaults.
    n : int, or one for each worker
        Examples of a worker.
    d : int
        Numbers of a gradient.
    m : int
        Workers: processes, devices, or places in a batch. With one, ``observe(0, g)``.
    seed : int
        Of the first orders, and of what the ordering draws later.
    batch : int
        b: examples j b, ..., j b + b - 1 of a worker are unit j, which stays together; orders and gradients
        are those of units. 1 by default.
    sketch : int, optional
        k: balance k random numbers of every gradient instead of d.
    by : {"runs", "columns", "count"}
        How the sketch is made, see `cdgrab_sim.orderings.sketched`: runs and columns read k of the d
        coordinates, counts add all of them up in k places, which serves sparse gradients as well.

    Returns
    -------
    Online

    Raises
    ------
    ValueError, TypeError
        For wrong arguments, and orderings that ask for more than gradients: ``"herding"``.

    Notes
    -----
    **Who waits.** A pair is shown when every worker has ended its own, or when one that has goes on; those
    that are behind come later then, and nothing is lost. Within a round it does not matter who comes first.
    A gradient that never comes is skipped (``skip``, ``step=``, or the end of the epoch): its pair is left
    out and counted in ``skipped``, and its examples take the places left in the middle of the next order.

    **Memory.** In numbers of 8 bytes, with w = d, or k where there is a sketch: pair balancing keeps 3 m w
    and its sum, w or m w; mean balancing 3 m w and its sum; where that is little, up to 256 KiB wait in
    addition. Orders take 3 m n. A sketch keeps k places, or d signs of a byte. ``nbytes`` tells all of it.

    **Local steps.** Give them to the ordering: ``cg.orderings.cd_grab_local(steps=H)``.

    Examples
    --------
    Two examples with the same gradient end up apart, and so do two with the opposite one:

    >>> orders = online(orderings.d_grab_pair(first=[0, 1, 2, 3]), n=4, d=1)
    >>> for j in orders.order(0):
    ...     orders.observe(0, [[1.0], [1.0], [-1.0], [-1.0]][j])
    >>> orders.end_epoch()
    >>> orders.order(0)
    array([0, 2, 3, 1])
    """
    record = orderings.make(ordering)
    (m, d), batch = _checks.sizes(m=m, d=d), _checks.size("batch", batch)
    sizes = [_checks.size("n", n)] * m if np.ndim(n) == 0 else [_checks.size("n", one) for one in n]  # type: ignore[union-attr]
    if len(sizes) != m:
        raise ValueError(f"n: expected one number, or one for each of m = {m} workers; got {len(sizes)}")
    _checks.sizes(m=m, n=max(sizes))
    if record.replacement and len(set(sizes)) > 1:
        raise ValueError(
            f"n: expected one for all workers, as {record.name!r} draws with replacement; got {sizes}"
        )
    if sketch is not None:
        sketch, by = _checks.size("sketch", sketch), _checks.choice("by", by, BY)
    return Online(record, sizes, batch, d, _checks.integer("seed", seed, low=0), sketch, by)
