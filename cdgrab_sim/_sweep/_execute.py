"""execute: run a task over configurations, on any engine, once per configuration."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeAlias

from cdgrab_sim import _checks
from cdgrab_sim._sweep._bundle import DONE, Outcome, Task, Values, pack, run_one
from cdgrab_sim._sweep._config import Config, as_json, key_of
from cdgrab_sim._sweep._dispatch import Dispatcher, Lane
from cdgrab_sim._sweep._process import WorkerProcess
from cdgrab_sim._sweep._store import Store, in_memory, writing

Engine: TypeAlias = Executor | Callable[[], Executor] | None


def execute(
    task: Task,
    configs: Sequence[Mapping[str, Any]],
    *,
    store: str | PathLike[str] | None = None,
    jobs: int | None = 1,
    executor: Engine = None,
    progress: bool = False,
    label: str = "runs",
) -> list[Values]:
    """Run ``task(config)`` for every configuration and return what it measured, in their order.

    Parameters
    ----------
    task : callable
        Top-level function from a configuration, a dict of plain JSON, to a dict of numbers, strings and
        arrays. Functions of a notebook travel by value. It gets the configuration as JSON reads it: tuples
        are lists, NumPy numbers are numbers. Results must depend on the configuration only.
    configs : sequence of mappings
        Equal configurations run once.
    store : path, optional
        File that keeps every run as soon as it is done. Runs that it already holds, for this task and
        configuration, do not run again; runs that failed do.
    jobs : int, optional
        Worker processes; 1 runs in this process, None means one per core. Ignored with an `executor`.
    executor : concurrent.futures.Executor, or function that returns one, optional
        An engine of your own, for example dask's ``Client(...).get_executor()``.
    progress : bool
        Show rate and time left on stderr.
    label : str
        Word for what is counted.

    Returns
    -------
    list of dict

    Raises
    ------
    TypeError
        For a configuration that is not JSON, before any work starts.
    ValueError, OSError
        For a store that is damaged, not ours, held by another process, or on a full disk.
    RuntimeError
        When tasks failed or were lost, after all others are done; it names the first.

    Examples
    --------
    >>> def square(config):
    ...     return {"square": config["x"] ** 2}
    >>> execute(square, [{"x": 2}, {"x": 3}])
    [{'square': 4}, {'square': 9}]
    """
    plan = Plan.of(task, configs)
    with nullcontext(in_memory()) if store is None else writing(store) as opened:
        positions = run_plan(plan, opened, jobs=jobs, executor=executor, progress=progress, label=label)
        outcomes = {key: opened.outcome(position) for key, position in positions.items()}
    results = [outcomes[key] for key in plan.keys]
    _raise_first(results, configs)
    return [outcome.values for outcome in results]


@dataclass(frozen=True)
class Plan:
    """A task and its configurations, with their keys."""

    task: Task
    name: str
    keys: Sequence[str]
    texts: Mapping[str, str]  # key -> configuration as JSON

    @classmethod
    def of(cls, task: Task, configs: Sequence[Mapping[str, Any]], *, name: str | None = None) -> Plan:
        """Check that all configurations are JSON."""
        name = f"{task.__module__}.{task.__qualname__}" if name is None else name
        texts = [as_json(config) for config in configs]
        keys = [key_of(name, text) for text in texts]
        return cls(task, name, keys, dict(zip(keys, texts, strict=True)))


def run_plan(
    plan: Plan, store: Store, *, jobs: int | None, executor: Engine, progress: bool, label: str
) -> dict[str, int]:
    """Run what the store does not hold yet; return the position of every key."""
    positions = store.plan(plan.name, plan.texts)
    done = store.done()
    tasks = [(p, json.loads(plan.texts[key])) for key, p in positions.items() if key not in done]
    landings = _landings(plan.task, tasks, jobs=jobs, executor=executor)
    with closing(landings), _bar(progress, len(positions), len(positions) - len(tasks), label) as tick:
        for outcomes in landings:
            for outcome in outcomes:
                store.commit(outcome)
            tick(len(outcomes))
    return positions


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _landings(
    task: Task, tasks: Sequence[tuple[int, Config]], *, jobs: int | None, executor: Engine
) -> Generator[list[Outcome], None, None]:
    """Yield outcomes as they come, from the engine that was asked for."""
    jobs = cores() if jobs is None else _checks.size("jobs", jobs)
    if executor is None and (jobs == 1 or len(tasks) <= 1):
        return ([run_one(task, position, config)] for position, config in tasks)
    return Dispatcher(pack(task), tasks, _lanes(jobs, executor)).landings()


def _lanes(jobs: int, executor: Engine) -> list[Lane]:
    if executor is None:
        return [Lane(WorkerProcess, width=1) for _ in range(jobs)]
    if isinstance(executor, Executor):
        return [Lane(lambda: executor, owned=False)]
    return [Lane(executor)]


def _raise_first(outcomes: Sequence[Outcome], configs: Sequence[Mapping[str, Any]]) -> None:
    """Raise in the name of the first task that has no result, if there is one."""
    bad = [k for k, outcome in enumerate(outcomes) if outcome.status != DONE]
    if bad:
        first = outcomes[bad[0]]
        raise RuntimeError(
            f"{len(bad)} of {len(outcomes)} tasks have no result; the first, {dict(configs[bad[0]])}, "
            f"{first.status}: {first.message}"
        )


@contextmanager
def _bar(shown: bool, total: int, done: int, label: str) -> Iterator[Callable[[int], Any]]:
    """Show progress, rate and time left on stderr; yields the function that counts."""
    if not shown:
        yield lambda count: None
        return
    from tqdm import tqdm

    with tqdm(total=total, initial=done, unit=f" {label}", file=sys.stderr, smoothing=0.1) as shown_bar:
        yield shown_bar.update
