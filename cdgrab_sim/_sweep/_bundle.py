"""What travels: bundles of tasks to a worker, outcomes back."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from numbers import Integral, Real
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from cdgrab_sim import _plugins
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


class _Knowing:
    """A task that takes along what is known besides the registered records."""

    def __init__(self, task: Task) -> None:
        self.task, self.factories = task, _plugins.own()

    def __call__(self, config: Config) -> Mapping[str, Any]:
        with _plugins.also(self.factories):
            return self.task(config)


def pack(task: Task) -> bytes:
    """Return `task` as bytes; what a notebook or a loaded file defines travels by value."""
    import cloudpickle

    packed: bytes = cloudpickle.dumps(_Knowing(task) if _plugins.own() else task)
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
    """Run one task; what it raises is its outcome and stops no other task, except Ctrl-C."""
    start = perf_counter()
    try:
        values, status, message = _plain(task(config)), DONE, ""
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also sys.exit, which would end the sweep, or its worker
        values, status, message = {}, FAILED, _message(error)
    return Outcome(position, status, values, perf_counter() - start, message)


def _message(error: BaseException) -> str:
    """Return one line that any store can hold, for errors that cannot say what they are as well."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    try:
        text = " ".join(str(error).split())
    except Exception as another:
        text = f"(its text raises {type(another).__name__})"
    line = f"{type(error).__name__}: {text} ({where.filename}:{where.lineno})"
    return line.encode(errors="replace").decode()


def _plain(values: Mapping[str, Any]) -> Values:
    """Return what a task measured in the types that a store gives back."""
    if not isinstance(values, Mapping):
        raise TypeError(f"expected a dict of numbers, strings and arrays; got {type(values).__name__}")
    return {str(name): _plain_value(name, value) for name, value in values.items()}


def _plain_value(name: str, value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real | Decimal):
        return float(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufcUS" and not np.ma.is_masked(value):
        return np.asarray(value)
    raise TypeError(
        f"{name}: expected a real number, a string or an array of them; got {type(value).__name__}"
    )
