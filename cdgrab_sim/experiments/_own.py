"""Experiments with records of the caller's own: known by name while they run, wherever their cells run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cdgrab_sim import _checks
from cdgrab_sim._records import Ordering, Problem
from cdgrab_sim.experiments import EXPERIMENTS, load
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.orderings import ORDERINGS
from cdgrab_sim.problems import PROBLEMS


def run_own(
    name: str,
    orderings: Sequence[Ordering | str] | None,
    problem: Callable[..., Problem] | str | None,
    options: Mapping[str, Any],
    arguments: Mapping[str, Any],
) -> Result:
    """Run an experiment, see `cdgrab_sim.experiments.run`."""
    run = load(_checks.choice("experiment", name, EXPERIMENTS)).run
    seed, jobs = _checks.integer("seed", options["seed"], low=0), _checks.size("jobs", options["jobs"])
    chosen, own = {"names": orderings, "problem": problem}, dict(arguments)
    for argument in [key for key, value in chosen.items() if value is not None]:
        if argument not in inspect.signature(run).parameters:
            what = {"names": "orderings"}.get(argument, argument)
            raise ValueError(f"{what}: expected none for {name!r}, which compares what it must; leave it out")
    factories = {} if orderings is None else _orderings(orderings)
    if orderings is not None:
        own["names"] = list(factories)
    family = {} if problem is None else _family(problem)
    if problem is not None:
        own["problem"] = next(iter(family))
    with (
        ORDERINGS.also({key: made for key, made in factories.items() if key not in ORDERINGS}),
        PROBLEMS.also({key: made for key, made in family.items() if key not in PROBLEMS}),
    ):
        return run(Options(**{**options, "seed": seed, "jobs": jobs}), **own)  # type: ignore[no-any-return]


def _orderings(given: Sequence[Ordering | str]) -> dict[str, Callable[..., Ordering]]:
    """Return factories by name; records that are not the registered ones need names of their own."""
    if isinstance(given, str | Ordering) or not isinstance(given, Sequence) or not given:
        raise TypeError(f"orderings: expected a list of orderings and names; got {_checks.brief(given)}")
    found: dict[str, Callable[..., Ordering]] = {}
    for one in given:
        record = ORDERINGS.make(one)
        if record.name in found:
            raise ValueError(f"orderings: expected each name once; got {record.name!r} twice; rename one")
        if isinstance(one, Ordering) and record.name in ORDERINGS:
            raise ValueError(
                f"ordering {record.name!r}: expected a name of its own, as a registered one has this; "
                f"use dataclasses.replace(ordering, name=...), or its name where the registered one is meant"
            )
        found[record.name] = ORDERINGS.factory(one) if isinstance(one, str) else _constant(record)
    return found


def _constant(record: Ordering) -> Callable[..., Ordering]:
    return lambda: record


def _family(problem: Callable[..., Problem] | str) -> dict[str, Callable[..., Problem]]:
    if isinstance(problem, Problem):
        raise TypeError(
            f"problem: expected a function of m, n and seed, as the experiment varies them; "
            f"got a Problem with m = {problem.m}, n = {problem.n}; wrap what made it"
        )
    if isinstance(problem, str):
        return {problem: PROBLEMS.factory(problem)}
    _checks.function("problem", problem)
    return {getattr(problem, "__name__", type(problem).__name__): problem}
