"""Engines: where tasks run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TypeAlias

from cdgrab_sim import _checks
from cdgrab_sim._sweep._bundle import Outcome, Task, pack, run_one
from cdgrab_sim._sweep._config import Config
from cdgrab_sim._sweep._dispatch import Dispatcher, Lane
from cdgrab_sim._sweep._process import WorkerProcess

_PATIENCE = 10.0  # seconds for a scheduler to answer

Engine: TypeAlias = Executor | Callable[[], Executor] | str | None


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def landings(
    task: Task, tasks: Sequence[tuple[int, Config]], *, jobs: int | None, executor: Engine
) -> Iterator[Iterator[list[Outcome]]]:
    """Start an engine; yields the iterator of outcomes as they come."""
    jobs = cores() if jobs is None else _checks.size("jobs", jobs)
    if not tasks or (executor is None and (jobs == 1 or len(tasks) == 1)):
        yield ([run_one(task, position, config)] for position, config in tasks)
        return
    with ExitStack() as stack:
        if isinstance(executor, str):
            executor = stack.enter_context(_dask(executor))
        dispatcher = Dispatcher(pack(task), tasks, _lanes(jobs, len(tasks), executor))
        stack.callback(dispatcher.close)
        yield dispatcher.landings()


def _lanes(jobs: int, tasks: int, executor: Executor | Callable[[], Executor] | None) -> list[Lane]:
    if executor is None:
        return [Lane(WorkerProcess, width=1) for _ in range(min(jobs, tasks))]
    if isinstance(executor, Executor):
        return [Lane(lambda: executor, owned=False)]
    _checks.function("executor", executor)
    made = partial(
        _checks.instance, "executor", kind=Executor, expected="a function that returns an Executor"
    )
    return [Lane(lambda: made(value=executor()))]


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    """Connect to a dask scheduler."""
    try:
        from distributed import Client
    except ImportError:
        raise ImportError("a dask scheduler needs the extra: pip install 'cdgrab-sim[dask]'") from None
    try:
        client = Client(address, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise OSError(f"{address}: no dask scheduler answers ({error})") from None
    with client:
        yield client.get_executor()
