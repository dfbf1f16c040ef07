"""Tuned errors at pairs (m, T), on a table or on a problem of one's own, where theory predicts nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cdgrab_sim._records import Problem
from cdgrab_sim.experiments._cells import run_cells
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments._measures import errors, problem_of, tuned_together
from cdgrab_sim.problems._minimum import required, rounding

_EQUAL = 1e-9  # relative, for two ways to compute one value


@dataclass(frozen=True)
class Study:
    """What is measured, on what.

    Attributes
    ----------
    sizes : dict
        ``n``, ``m``, ``epochs`` and ``seeds``.
    shared : dict
        What all cells have: ``problem``, ``n``, ``seeds``.
    config : dict
        What decides the result.
    used : str
        What is used, for the reader.
    """

    sizes: dict[str, Any]
    shared: dict[str, Any]
    config: dict[str, Any]
    used: str


def usable(problem: Problem) -> Problem:
    """Return a problem that errors can be measured on; refuse, before any work, one without x_star or L."""
    x, f = required(problem)
    at, beside = (float(problem.value(point, problem.arrays)) for point in (x, x + 1.0))
    if abs(at - f) > _EQUAL * max(abs(at), abs(beside - at)):
        raise ValueError(
            f"problem {problem.name!r}: expected f(x_star) = f_star; got {at:.6g} and {f:.6g}; correct one"
        )
    if "L" not in problem.constants:
        raise ValueError(
            f"problem {problem.name!r}: expected a constant 'L', which the step sizes are made of; "
            f"got {', '.join(problem.constants) or 'none'}; give Problem(..., constants={{'L': ...}})"
        )
    return problem


def measured(
    one: Study, names: Sequence[str], places: Sequence[tuple[int, int]], options: Options
) -> dict[str, list[dict[str, Any]]]:
    """Measure tuned errors at pairs (m, T) for each ordering, see `tuned_errors`."""
    at = [{"m": m, "epochs": T} for m, T in places]
    cells = [{"ordering": name} | place | one.shared for name in names for place in at]
    found = run_cells(tuned_errors, cells, options)
    return {name: found[k * len(at) : (k + 1) * len(at)] for k, name in enumerate(names)}


def tuned_errors(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure one cell: the errors after T epochs with the step tuned on their mean over all seeds.

    The error that full gradients leave with the same step and as many updates tells how much of it is
    transient, which no order can change. Errors that rounding hides are shown as its level.
    """
    T, n, chosen = cell["epochs"], cell["n"], [problem_of(cell | {"seed": seed}) for seed in cell["seeds"]]
    start = {"x0": 0.0, "replicates": {"others": 1}} | cell
    smoothness = max(problem.constants["L"] for problem in chosen)
    within = 2.0**-10 / smoothness, 2.0**10 / smoothness
    found, step_size = tuned_together(start | {"every": T}, chosen, T, 1, *within)
    full = start | {"ordering": "fixed", "batch": n, "every": n * T}
    noiseless = [
        errors(full | {"seed": seed}, problem, step_size, n * T)[0, -1]
        for seed, problem in zip(cell["seeds"], chosen, strict=True)
    ]
    level = max(np.finfo(float).tiny, *(rounding(problem) for problem in chosen))
    kept = {"errors": np.maximum(found, level), "noiseless": np.maximum(noiseless, level)}
    return kept | {"step_size": step_size, "rounded": int((found <= level).sum())}


def rounded(by_name: Mapping[str, Sequence[dict[str, Any]]], places: Sequence[str]) -> list[str]:
    """Say which errors are lost in rounding, and shown as its level instead."""
    return [
        f"{name} at {place}: {cell['rounded']} errors are at the level of rounding, at most what is shown"
        for name, cells in by_name.items()
        for place, cell in zip(places, cells, strict=True)
        if cell["rounded"]
    ]
