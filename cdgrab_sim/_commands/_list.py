"""``cdgrab list``: what is registered, a line each."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cdgrab_sim import (
    _plugins,
    asynchronous,
    compressors,
    experiments,
    graphs,
    orderings,
    participation,
    problems,
    updates,
)
from cdgrab_sim._registry import Registry, origin
from cdgrab_sim.experiments._provenance import theory_counts
from cdgrab_sim.experiments._times import in_words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take no arguments."""


def run(args: argparse.Namespace) -> str:
    """Return the registries as text."""
    files: Sequence[_plugins.File] = getattr(args, "loaded", ())
    sections = {
        "orderings": _sourced(orderings.ORDERINGS, files),
        "problems": _sourced(problems.PROBLEMS, files),
        "updates": _sourced(updates.UPDATES, files),
        "compressors": _summaries(compressors.COMPRESSORS),
        "graphs": _summaries(graphs.GRAPHS),
        "participation": _sourced(participation.PARTICIPATION, ()),
        "asynchronous methods": _sourced(asynchronous.METHODS, files),
        "experiments (times on one core)": {
            name: f"{question} ({taken})" if (taken := in_words(name)) else question
            for name, question in experiments.EXPERIMENTS.items()
        },
        "functions of theory": {kind: str(n or "not described") for kind, n in theory_counts().items()},
    }
    width = max(len(name) for lines in sections.values() for name in lines)
    blocks = []
    for title, lines in sections.items():
        rows = [f"  {name.ljust(width)}  {line}" for name, line in lines.items()]
        blocks.append("\n".join([f"{title}:", *rows]))
    return "\n\n".join(blocks)


def _summaries(registry: Mapping[str, Callable[..., Any]]) -> dict[str, str]:
    return {
        name: (inspect.getdoc(factory) or "not described").splitlines()[0]
        for name, factory in registry.items()
    }


def _sourced(registry: Registry[Any], files: Sequence[_plugins.File]) -> dict[str, str]:
    """Say what each factory makes, and where that comes from; of what is not registered also the origin."""
    origins = {name: str(file.path) for file in files for name in file.factories[registry.kind]}
    lines = {name: _line(registry, name, origins.get(name)) for name in registry}
    for name, point in registry.installed().items():
        try:
            lines[name] = _line(registry, name, origin(point))
        except (ImportError, ValueError, TypeError) as error:  # one package must not hide the others
            lines[name] = str(error)
    return lines


def _line(registry: Registry[Any], name: str, where: str | None) -> str:
    record = registry.example(name)
    summary = getattr(record, "summary", None) or _summaries({name: registry.factory(name)})[name]
    return f"{summary} ({record.provenance}{f'; {where}' if where else ''})"
