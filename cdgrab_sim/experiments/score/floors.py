"""What is left at a fixed step size, against the number of workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim.experiments._cells import by_ordering, grid
from cdgrab_sim.experiments._exponents import slope_row
from cdgrab_sim.experiments._measures import floor
from cdgrab_sim.experiments._parts import Findings, Part
from cdgrab_sim.experiments.score.settings import ALIKE, DIFFERENT, family, made

FLOOR = "floor"


def floor_at(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure a floor at alpha n L as the cell says, from x_star on."""
    problem = made(cell)
    step = cell["alpha_n_L"] / (cell["n"] * problem.constants["L"])
    return floor(cell | {"step_size": step}, problem)


def parts(config: Mapping[str, Any], names: Sequence[str], seeds: Sequence[int]) -> list[Part]:
    """Ask for floors against m on every problem that has a minimiser and L, for both kinds of workers."""
    return [
        _part(config["floors"], name, workers, names, seeds)
        for workers in (ALIKE, DIFFERENT)
        for name in config["floors"]["problems"]
    ]


def _part(
    sizes: Mapping[str, Any], problem: str, workers: str, names: Sequence[str], seeds: Sequence[int]
) -> Part:
    m = sizes["m"]
    shared = {"problem": family(problem, workers), "replicates": {"others": 1}}
    shared |= {key: sizes[key] for key in ("n", "alpha_n_L", "epochs", "every")}
    cells = grid({"ordering": names, "seed": seeds, "m": m}, shared)

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={"floor m": np.array(m)})
        for name, errors in by_ordering(values, "error", names, len(seeds)).items():
            found.rows.append(slope_row(name, f"floor exponent in m, {problem}, {workers}", m, errors))
            found.data[f"{FLOOR}, {workers}|{problem}|{name}"] = errors
        return found

    return Part(floor_at, cells, read)
