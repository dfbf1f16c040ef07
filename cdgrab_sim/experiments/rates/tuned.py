"""Tuned errors against workers and against epochs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim import orderings
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._cells import by_ordering, grid, held
from cdgrab_sim.experiments._exponents import bend_notes, exponent_row, raw_exponent_row
from cdgrab_sim.experiments._measures import tuned_error
from cdgrab_sim.experiments._parts import Findings, Part
from cdgrab_sim.experiments._readings import paired

MARGINS = {
    "m": {"cd-grab": 0.25, "rr": 0.15, "d-grab-pair": 0.15, "sgd": 0.2},
    "T": {"cd-grab": 0.25, "rr": 0.25, "d-grab-pair": 0.25, "sgd": 0.2},
}


def tuned_part(config: Mapping[str, Any], variable: str, seeds: Sequence[int]) -> Part:
    """Tune the step size of every cell, and fit the exponent of the error in `variable`, m or T."""
    sizes = config["tuned"]
    x, names = sizes[variable][variable], sizes["orderings"]
    shared = {"problem": config["problem"], "n": config["n"], "x0": 1.0} | held(sizes[variable], variable)
    shared |= {key: sizes[key] for key in ("steps", "replicates")}
    cells = grid({"ordering": names, "seed": seeds, variable: x}, shared)

    def read(values: list[dict[str, Any]]) -> Findings:
        errors = by_ordering(values, "error", names, len(seeds))
        steps = by_ordering(values, "step", names, len(seeds))
        return _findings(variable, x, errors, steps)

    return Part(tuned_error, cells, read)


def rescaled(ordering: str, error: FloatArray, step: FloatArray) -> tuple[str, FloatArray]:
    """Take the logarithm out of a tuned error: divide by the tuned alpha mu n T as often as alpha enters."""
    if orderings.make(ordering).replacement:
        return "tuned error / (α μ n T)", error / step
    return "tuned error / (α μ n T)²", error / step**2


def _findings(
    variable: str, x: Sequence[float], errors: Mapping[str, FloatArray], steps: Mapping[str, FloatArray]
) -> Findings:
    found = Findings(data={f"tuned {variable}": np.array(x)})
    for name, error in errors.items():
        label, clean = rescaled(name, error, steps[name])
        margin = MARGINS[variable].get(name, 0.25)
        found.rows += [
            exponent_row(name, "tuned error", variable, x, clean, margin, label),
            raw_exponent_row(name, "tuned error", variable, x, error),
        ]
        found.data[f"tuned {variable} {name}"] = error
        found.data[f"tuned {variable} rescaled {name}"] = clean
        found.data[f"tuned {variable} step {name}"] = steps[name]
        found.notes += bend_notes(label, variable, x, {name: clean})
    if variable == "m":
        found.notes += _comparisons(x[-1], errors)
    return found


def _comparisons(m: float, errors: Mapping[str, FloatArray]) -> list[str]:
    best = "cd-grab"
    others = [name for name in errors if name != best] if best in errors else []
    return [
        f"{best} against {name} at m = {m}: errors {errors[best][:, -1].mean():.2e} and "
        f"{errors[name][:, -1].mean():.2e}, {paired(errors[best][:, -1], errors[name][:, -1])}"
        for name in others
    ]
