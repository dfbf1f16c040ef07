"""``cdgrab list``: what is registered, a line each."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from cdgrab_sim import asynchronous, compressors, experiments, graphs, orderings, problems, updates
from cdgrab_sim.experiments._provenance import theory_counts
from cdgrab_sim.experiments._times import in_words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take no arguments."""


def run(args: argparse.Namespace) -> str:
    """Return the registries as text."""
    sections = {
        "orderings": _sourced(orderings.ORDERINGS),
        "problems": _sourced(problems.PROBLEMS, m=1, n=2),
        "updates": _sourced(updates.UPDATES),
        "compressors": _summaries(compressors.COMPRESSORS),
        "graphs": _summaries(graphs.GRAPHS),
        "asynchronous methods": _methods(asynchronous.METHODS),
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


def _methods(registry: Mapping[str, Callable[[int], asynchronous.Method]]) -> dict[str, str]:
    """Say what each method does and where it comes from; its factory has the formulas."""
    made = {name: make(2) for name, make in registry.items()}
    return {name: f"{method.summary} ({method.provenance})" for name, method in made.items()}


def _summaries(registry: Mapping[str, Callable[..., Any]]) -> dict[str, str]:
    return {
        name: (inspect.getdoc(factory) or "not described").splitlines()[0]
        for name, factory in registry.items()
    }


def _sourced(registry: Mapping[str, Callable[..., Any]], **sizes: int) -> dict[str, str]:
    """Say what each factory makes, and where that comes from."""
    lines = _summaries(registry)
    return {name: f"{line} ({registry[name](**sizes).provenance})" for name, line in lines.items()}
