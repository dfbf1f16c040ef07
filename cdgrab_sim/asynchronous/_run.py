"""What an asynchronous run measured: AsyncRun, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from cdgrab_sim import _checks, _files
from cdgrab_sim._run import Recorded
from cdgrab_sim._types import FloatArray, IntArray

if TYPE_CHECKING:
    import xarray


class AsyncStatus(StrEnum):
    """How an asynchronous run ended."""

    COMPLETED = "completed"
    DIVERGED = "diverged"
    STALLED = "stalled"  # no job will finish any more, or job times fell below the resolution of the clock
    LIVELOCK = "livelock"  # `patience` arrivals in a row, and the counter never moved


@dataclass(frozen=True, eq=False)
class AsyncRun:
    """What `simulate_async` measured. Arrays by example have the shape (m, n) of the problem.

    Attributes
    ----------
    status : AsyncStatus
    message : str
        How it ended, and what to do.
    x : array (d,)
        The last iterate of the server, the one that workers read.
    updates, time : int and float
        The counter and the clock at the end.
    at_update, at_time : arrays (records,)
    loss, grad_norm : arrays (records,)
    trajectory, virtual : arrays (records, d)
    average : array (d,)
    drawn, applied, dropped, aborted, in_flight : int arrays (m, n)
        Jobs issued, and what became of them: drawn = applied + dropped + aborted + in flight.
    weight : array (m, n)
        Sum of the weights with which gradients of an example were applied.
    delay : array (m, n)
        Mean delay of the jobs of an example that arrived; NaN where none did.
    busy : array (m, n)
        Time that finished (or aborted) jobs of an example took.
    by_worker : int array (workers,)
        Gradients applied from each worker.
    delays : int array
        Histogram of the delays of applied gradients.
    discarded_time : float
        Time spent on dropped and aborted jobs.
    events : mapping of name to array
        ``worker, example, delay, flow, time, start, weight`` of every event, on request; `example` counts
        through (m, n) and is -1 for a worker that waited.
    meta : mapping
        All arguments: plain JSON.
    """

    status: AsyncStatus
    message: str
    x: FloatArray
    updates: int
    time: float
    at_update: IntArray
    at_time: FloatArray
    drawn: IntArray
    applied: IntArray
    dropped: IntArray
    aborted: IntArray
    in_flight: IntArray
    weight: FloatArray
    delay: FloatArray
    busy: FloatArray
    by_worker: IntArray
    delays: IntArray
    discarded_time: float
    meta: Mapping[str, Any]
    loss: FloatArray | None = None
    grad_norm: FloatArray | None = None
    trajectory: FloatArray | None = None
    virtual: FloatArray | None = None
    average: FloatArray | None = None
    events: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", AsyncStatus(self.status))  # files hold its text
        object.__setattr__(self, "events", Recorded(self.events))

    def __repr__(self) -> str:
        what = f"{self.meta['method']} on {self.meta['problem']['name']}, {len(self.by_worker)} workers"
        return f"<AsyncRun of {what}: {self.updates} updates in time {self.time:g}, {self.message}>"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the run to one .npz file, without pickle; `cdgrab_sim.load` reads it back.

        The file appears under its name only when it is whole.

        Examples
        --------
        >>> import cdgrab_sim as cg
        >>> from tempfile import TemporaryDirectory
        >>> run = cg.simulate_async("quadratic", "vanilla", workers=8, updates=20, step_size=1e-3)
        >>> with TemporaryDirectory() as folder:
        ...     run.save(f"{folder}/run.npz")
        ...     again = cg.load(f"{folder}/run.npz")
        >>> again.status, bool((again.x == run.x).all())
        (<AsyncStatus.COMPLETED: 'completed'>, True)
        """
        _files.save_run(self, _checks.path("path", path))

    def to_xarray(self) -> xarray.Dataset:
        """Return the measurements as a labelled dataset (needs the extra ``xarray``).

        Records are indexed by their number, with the coordinates ``update`` and ``time``; status, message,
        clocks and ``meta`` are attributes.
        """
        record, example, point = ("record",), ("shard", "example"), ("coordinate",)
        by_example = ("drawn", "applied", "dropped", "aborted", "in_flight", "weight", "delay", "busy")
        dims: dict[str, tuple[str, ...]] = {
            **dict.fromkeys(("loss", "grad_norm"), record),
            **dict.fromkeys(("trajectory", "virtual"), record + point),
            **dict.fromkeys(("x", "average"), point),
            **dict.fromkeys(by_example, example),
            "by_worker": ("worker",),
            "delays": ("late",),
        }
        variables = {name: (axes, getattr(self, name)) for name, axes in dims.items()}
        variables = {name: pair for name, pair in variables.items() if pair[1] is not None}
        variables |= {f"event_{name}": (("event",), column) for name, column in self.events.items()}
        coordinates = {"update": (record, self.at_update), "time": (record, self.at_time)}
        attributes = {
            "status": str(self.status),
            "message": self.message,
            "meta": json.dumps(dict(self.meta)),
        }
        attributes |= {name: getattr(self, name) for name in ("updates", "time", "discarded_time")}
        dataset: xarray.Dataset
        dataset = _files.xarray_module().Dataset(variables, coords=coordinates, attrs=attributes)
        return dataset

    @property
    def law(self) -> FloatArray:
        """The law of the examples that the run really trained on: weights over their sum, (m, n).

        NaN where nothing was applied.
        """
        return _ratio(self.weight, self.weight.sum())

    @property
    def in_flight_law(self) -> FloatArray:
        """The law of the example that a busy worker computes, averaged over time, (m, n).

        NaN where nothing has finished.
        """
        return _ratio(self.busy, self.busy.sum())

    @property
    def mean_delay(self) -> float:
        """The mean delay of the applied gradients; NaN where there are none."""
        return float(_ratio((np.arange(len(self.delays)) * self.delays).sum(), self.delays.sum()))

    @property
    def discarded(self) -> float:
        """The share of finished jobs that was dropped or aborted."""
        lost = int(self.dropped.sum() + self.aborted.sum())
        return lost / max(1, lost + int(self.applied.sum()))

    @property
    def busy_fraction(self) -> float:
        """Share of the workers' time that went into finished or aborted jobs."""
        return float(self.busy.sum() / (self.time * len(self.by_worker))) if self.time > 0.0 else 0.0


def _ratio(part: Any, whole: float) -> FloatArray:
    return np.asarray(part / whole if whole > 0.0 else np.full(np.shape(part), np.nan))
