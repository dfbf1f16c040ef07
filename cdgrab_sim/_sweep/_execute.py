"""execute: run a task over configurations, on any engine, once per configuration."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from os import PathLike
from typing import Any

from cdgrab_sim._sweep._bundle import DONE, Outcome, Task, Values
from cdgrab_sim._sweep._config import as_json, key_of
from cdgrab_sim._sweep._engines import Engine, landings
from cdgrab_sim._sweep._open import in_memory, writing
from cdgrab_sim._sweep._store import Store


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
    executor : Executor, function that returns one, or str, optional
        An engine of your own: any ``concurrent.futures.Executor``, for example dask's
        ``Client(...).get_executor()``, or the address ``"tcp://HOST:PORT"`` of a dask scheduler.
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
        first = dict(
            zip(reversed(keys), reversed(texts), strict=True)
        )  # equal ones as they were first written
        return cls(task, name, keys, {key: first[key] for key in keys})


def run_plan(
    plan: Plan, store: Store, *, jobs: int | None, executor: Engine, progress: bool, label: str
) -> dict[str, int]:
    """Run what the store does not hold yet; return the position of every key."""
    done = store.done()
    positions = store.plan(plan.name, plan.texts)
    tasks = [(p, json.loads(plan.texts[key])) for key, p in positions.items() if key not in done]
    with (
        landings(plan.task, tasks, jobs=jobs, executor=executor) as landed,
        _bar(progress, len(positions), len(positions) - len(tasks), label) as tick,
    ):
        for outcomes in landed:
            for outcome in outcomes:
                store.commit(outcome)
            tick(len(outcomes))
    return positions


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
