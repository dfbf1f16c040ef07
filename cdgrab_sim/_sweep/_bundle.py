"""What travels: bundles of tasks to a worker, outcomes back."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from cdgrab_sim._sweep._config import Config

Task: TypeAlias = Callable[[Config], Mapping[str, Any]]
Values: TypeAlias = dict[str, Any]  # str -> int, float, bool, str, None or ndarray
Bundle: TypeAlias = Sequence[tuple[int, Config]]

DONE, FAILED, LOST = "done", "failed", "lost"


class Outcome(NamedTuple):
    """How the task at one position of the list ended."""

    position: int
    status: str  # done; failed: it raised; lost: its worker died whenever it ran alone
    values: Values
    seconds: float
    message: str


def pack(task: Task) -> bytes:
    """Return `task` as bytes; what a notebook defines travels by value."""
    import cloudpickle

    packed: bytes = cloudpickle.dumps(task)
    return packed


@lru_cache(maxsize=8)  # a task that carries jitted functions compiles them once per worker
def _unpack(packed: bytes) -> Task:
    task: Task = pickle.loads(packed)
    return task


def run_packed(packed: bytes, bundle: Bundle, ticket: int) -> list[Outcome]:
    """Run a bundle in a worker; no two calls have the same ticket, because dask answers equal calls once."""
    task = _unpack(packed)
    return [run_one(task, position, config) for position, config in bundle]


def run_one(task: Task, position: int, config: Config) -> Outcome:
    """Run one task; what it raises is its outcome and stops no other task."""
    start = perf_counter()
    try:
        values, status, message = _plain(task(config)), DONE, ""
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        text = " ".join(str(error).split())
        values, status = {}, FAILED
        message = f"{type(error).__name__}: {text} ({where.filename}:{where.lineno})"
    return Outcome(position, status, values, perf_counter() - start, message)


def _plain(values: Mapping[str, Any]) -> Values:
    """Return what a task measured in the types that a store gives back."""
    if not isinstance(values, Mapping):
        raise TypeError(f"expected a dict of numbers, strings and arrays; got {type(values).__name__}")
    return {str(name): _plain_value(name, value) for name, value in values.items()}


def _plain_value(name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufcUS":
        return value
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{name}: expected a number, a string or an array of them; got {type(value).__name__}")
