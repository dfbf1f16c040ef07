"""Tuned errors against m for every H, and the rounds of communication that they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim.experiments._cells import by_ordering, grid
from cdgrab_sim.experiments._measures import problem_of, tuned_error, unit_step
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.experiments.local.floors import beside
from cdgrab_sim.experiments.local.prefixes import rests

MARGINS = {"slope": 0.2, "level": 0.3}  # tuned steps are longer than the limit of small steps is meant for


def tuned_and_rest(cell: Cell) -> dict[str, Any]:
    """Measure a tuned error, and predict it at the step size that was found best (note S).

    The best sum of (1 - alpha mu)^(n T) r_0 and a floor C alpha^2 is C alpha^2 (1 + 2 / l), l = alpha mu n T.
    """
    best = tuned_error(cell)
    step = best["step"] * unit_step(problem_of(cell), cell["T"])
    floor = rests({**cell, "step_size": step})["error"]
    return {"error": best["error"], "predicted": floor * (1.0 + 2.0 / best["step"])}


def tuned_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for tuned errors against m, for every ordering and every H."""
    sizes, names = config["tuned"], config["orderings"]
    m, H = sizes["m"], sizes["H"]
    axes = {"ordering": names, "H": H, "seed": seeds, "m": m}
    shared = {"x0": 1.0} | {
        key: sizes[key] for key in ("problem", "n", "T", "steps", "standing", "replicates")
    }
    cells = [cell | {"update": {"name": "local", "steps": cell["H"]}} for cell in grid(axes, shared)]

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={"tuned m": np.array(m), "rounds": sizes["n"] * sizes["T"] / np.array(H)})
        for key, label in (("error", "tuned"), ("predicted", "tuned predicted")):
            for name, table in by_ordering(values, key, names, len(H) * len(seeds)).items():
                found.data[f"{label} {name}"] = table.reshape(len(H), len(seeds), len(m))
        for name in names:
            pair = found.data[f"tuned {name}"], found.data[f"tuned predicted {name}"]
            for steps, measured, predicted in zip(H, *pair, strict=True):
                found.rows += beside(name, "tuned error", f"H = {steps}", m, measured, predicted, **MARGINS)
        return found

    return Part(tuned_and_rest, cells, read)
