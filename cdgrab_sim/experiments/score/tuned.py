"""Errors after so many epochs with the best step size: against m and T, and with other updates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._records import Problem, Record
from cdgrab_sim.analysis import tune
from cdgrab_sim.experiments._cells import by_ordering, grid
from cdgrab_sim.experiments._exponents import slope_row
from cdgrab_sim.experiments._measures import LAST, errors, run_of
from cdgrab_sim.experiments._parts import Findings, Part
from cdgrab_sim.experiments.score.settings import ALIKE, DIFFERENT, UPDATED, family, known, made

TUNED, LATER = "tuned error", "largest T"
_STEPS = 2.0**-9, 2.0**6  # over L; over 1 where no L is known


def tuned(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure the error after T epochs, tuned for this seed alone, so that seeds are independent pairs.

    f - f_star where it is known, else the squared norm of the gradient. Infinite where every step diverges.
    """
    problem, T = made(cell), cell["T"]
    unit = 1.0 / problem.constants.get("L", 1.0)

    def error(alpha: float) -> float:
        return float(_errors(cell, problem, alpha, T)[-LAST:].mean())

    low, high = _STEPS[0] * unit, _STEPS[1] * unit
    with known():
        try:
            return {"error": tune(error, low, high).error}
        except ValueError:  # the best step is the smallest: to stay is best; or the largest, or none
            ends = [one for one in (error(low), error(high)) if math.isfinite(one)]
            return {"error": min(ends, default=math.inf)}


def _errors(cell: dict[str, Any], problem: Problem, alpha: float, T: int) -> Any:
    if problem.f_star is not None:
        return errors(cell, problem, alpha, T)[0]
    record = Record(every=cell.get("every", 1), loss=False, distance=False)
    run = run_of(cell, problem, alpha, T, record)
    assert run.grad_norm is not None
    return run.grad_norm[0] ** 2


def parts(config: Mapping[str, Any], names: Sequence[str], seeds: Sequence[int]) -> list[Part]:
    """Ask for tuned errors: every problem and both kinds of workers against m, against T, other updates."""
    sizes, later, other = config["tuned"], config["later"], config["updated"]
    asked = [
        _part(f"{TUNED}, {workers}", problem, {"problem": family(problem, workers)}, sizes, names, seeds)
        for workers in (ALIKE, DIFFERENT)
        for problem in sizes["problems"]
    ]
    asked += [
        _part(f"{TUNED}, {LATER}", problem, {"problem": family(problem, ALIKE)}, later, names, seeds)
        for problem in later["problems"]
    ]
    asked += [
        _part(
            f"{TUNED}, {what}",
            problem,
            {"problem": family(problem, ALIKE), "update": update},
            other,
            names,
            seeds,
        )
        for what, update in UPDATED.items()
        for problem in other["problems"]
    ]
    return asked


def _part(
    group: str,
    problem: str,
    shared: Mapping[str, Any],
    sizes: Mapping[str, Any],
    names: Sequence[str],
    seeds: Sequence[int],
) -> Part:
    axis = next(key for key in ("m", "T") if isinstance(sizes[key], list))
    x = sizes[axis]
    fixed = {key: sizes[key] for key in ("m", "n", "T") if key != axis}
    start = 1.0 if shared["problem"]["family"] in ("skewed", "quadratic") else 0.0
    cells = grid(
        {"ordering": names, "seed": seeds, axis: x},
        {**shared, **fixed, "x0": start, "replicates": {"others": 1}},
    )

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={f"{group} {axis}": np.array(x)})
        for name, table in by_ordering(values, "error", names, len(seeds)).items():
            found.data[f"{group}|{problem}|{name}"] = table
            if len(x) > 1:
                what = f"{TUNED} exponent in {axis}, {problem}, {group.removeprefix(f'{TUNED}, ')}"
                found.rows.append(slope_row(name, what, x, table))
        return found

    return Part(tuned, cells, read)
