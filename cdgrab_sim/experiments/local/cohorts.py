"""Floors against the size of cohorts, by how cohorts are chosen, beside what L7 predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._cells import grid, table
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._measures import floor, problem_of
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.experiments._readings import claim
from theory import local_steps

DRAWN = ("uniform", "rr")  # ways to choose cohorts that L7 predicts


def floor_and_law(cell: Cell) -> dict[str, Any]:
    """Measure a floor at the ends of meta-epochs, and predict it where cohorts are drawn."""
    predicted = _predicted(cell) if cell["clients"] in DRAWN else np.nan
    return {"error": floor(cell)["error"], "predicted": predicted}


def _predicted(cell: Cell) -> float:
    """Return f - f_star of all coordinates."""
    problem, C = problem_of(cell), cell["C"]
    lam = problem.data.eigenvalues
    z = lam * (problem.data.b - problem.x_star)
    within, between = z.var(axis=1).mean(axis=0), (z.mean(axis=1) ** 2).mean(axis=0)
    sizes = {"m": problem.m, "C": C, "regularised": cell["clients"] == "rr"}
    squares = [
        local_steps.cohort_floor(cell["step_size"], float(one), problem.n, float(w), float(b), **sizes)
        for one, w, b in zip(lam, within, between, strict=True)
    ]
    return float(0.5 * lam @ squares)


def cohorts_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for floors against the cohort, for every way to choose one; a round is an epoch of those there."""
    sizes = config["cohorts"]
    m, n, C, ways = sizes["m"], sizes["n"], sizes["C"], sizes["clients"]
    shared = {key: sizes[key] for key in ("problem", "m", "n", "epochs", "replicates")}
    shared |= {"ordering": "rr", "update": {"name": "local", "steps": n}}
    shared["step_size"] = sizes["alpha_n_L"] / (n * max(sizes["problem"]["eigenvalues"]))
    cells = [
        cell | {"participation": _chosen(cell["clients"], cell["C"]), "every": m // cell["C"]}
        for cell in grid({"clients": ways, "seed": seeds, "C": C}, shared)
    ]

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={"cohort": np.array(C)})
        shape = len(ways), len(seeds), len(C)
        floors, laws = (table(values, key, *shape) for key in ("error", "predicted"))
        for way, measured, law in zip(ways, floors, laws, strict=True):
            found.data[f"cohort {way}"] = measured
            if way in DRAWN:
                found.data[f"cohort predicted {way}"] = law
                found.rows += _beside(way, C, measured / law, sizes["margin"])
        by_way = dict(zip(ways, floors, strict=True))
        for way in ways[1:]:
            gains = (by_way[way] / by_way[ways[0]]).mean(axis=0)
            label = f"floor / that of {ways[0]} cohorts, worst C"
            found.rows.append(claim(f"{way} clients", label, gains, below=1.0))
        return found

    return Part(floor_and_law, cells, read)


def _chosen(way: str, C: int) -> dict[str, Any]:
    if way == "uniform":
        return {"name": "uniform", "cohort": C}
    return {"name": "ordered", "cohort": C, "ordering": way}


def _beside(way: str, C: Sequence[int], share: FloatArray, margin: float) -> list[Row]:
    """Judge floors over predicted ones (seeds, K), at every size of a cohort."""
    return [
        Row.judged(f"{way} clients", f"floor / predicted, C = {one}", verdict(column, 1.0, margin))
        for one, column in zip(C, share.T, strict=True)
    ]
