"""execute: run a task over configurations, on any engine, once per configuration."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from typing import Any, TypeAlias

from cdgrab_sim import _checks
from cdgrab_sim._sweep._bundle import DONE, Outcome, Task, Values, pack, run_one
from cdgrab_sim._sweep._config import Config, canonical, key_of
from cdgrab_sim._sweep._dispatch import Dispatcher, Lane
from cdgrab_sim._sweep._process import WorkerProcess

Engine: TypeAlias = Executor | Callable[[], Executor] | None


def execute(
    task: Task,
    configs: Sequence[Mapping[str, Any]],
    *,
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
    RuntimeError
        When tasks failed or were lost, after all others are done; it names the first.

    Examples
    --------
    >>> def square(config):
    ...     return {"square": config["x"] ** 2}
    >>> execute(square, [{"x": 2}, {"x": 3}])
    [{'square': 4}, {'square': 9}]
    """
    name = task_name(task)
    texts = [canonical(config) for config in configs]
    keys = [key_of(name, text) for text in texts]
    unique = dict(zip(keys, texts, strict=True))
    tasks = [(position, json.loads(text)) for position, text in enumerate(unique.values())]
    found: dict[int, Outcome] = {}
    landings = run_tasks(task, tasks, jobs=jobs, executor=executor)
    with closing(landings), bar(progress, len(tasks), label) as tick:
        for outcomes in landings:
            found |= {outcome.position: outcome for outcome in outcomes}
            tick(len(outcomes))
    position_of = {key: position for position, key in enumerate(unique)}
    results = [found[position_of[key]] for key in keys]
    raise_first(results, configs)
    return [outcome.values for outcome in results]


def task_name(task: Task) -> str:
    """Return the name under which the runs of a task are known."""
    return f"{task.__module__}.{task.__qualname__}"


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_tasks(
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


def raise_first(outcomes: Sequence[Outcome], configs: Sequence[Mapping[str, Any]]) -> None:
    """Raise in the name of the first task that has no result, if there is one."""
    bad = [k for k, outcome in enumerate(outcomes) if outcome.status != DONE]
    if bad:
        first = outcomes[bad[0]]
        raise RuntimeError(
            f"{len(bad)} of {len(outcomes)} tasks have no result; the first, {dict(configs[bad[0]])}, "
            f"{first.status}: {first.message}"
        )


@contextmanager
def bar(shown: bool, total: int, label: str) -> Iterator[Callable[[int], Any]]:
    """Show progress, rate and time left on stderr; yields the function that counts."""
    if not shown:
        yield lambda count: None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=f" {label}", file=sys.stderr, smoothing=0.1) as shown_bar:
        yield shown_bar.update
