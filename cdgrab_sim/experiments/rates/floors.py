"""Floors of the error at a fixed step size, against the step size, examples per worker, and workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim.experiments._cells import by_ordering, grid
from cdgrab_sim.experiments._exponents import bend_notes, exponent_row
from cdgrab_sim.experiments._measures import floor, relaxed
from cdgrab_sim.experiments._parts import Cell, Findings, Part

# Orderings, quantity of theory.slopes, variable, and margins where they differ from MARGIN.
PARTS: dict[str, tuple[tuple[str, ...], str, str, dict[str, float]]] = {
    "skewed alpha": (("sgd", "rr", "d-grab-pair", "cd-grab"), "floor", "alpha", {}),
    "quadratic alpha": (
        ("sgd", "rr", "so", "cd-grab"),
        "floor (quadratic)",
        "alpha",
        {"rr": 0.25, "so": 0.25},
    ),
    "n": (("sgd", "rr", "d-grab-pair", "cd-grab"), "floor", "n", {}),
    "m": (("sgd", "rr", "d-grab-pair", "cd-grab"), "floor", "m", {"cd-grab": 0.25}),
}
MARGIN = 0.2


def floors_part(config: Mapping[str, Any], part: str, seeds: Sequence[int]) -> Part:
    """Measure stationary errors, started at x_star, and fit their exponent in one variable."""
    stock, quantity, variable, margins = PARTS[part]
    names = config["floors"].get("orderings", stock)
    cells, x = _cells(config, part, names, seeds)

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={f"floor {part}": np.array(x)})
        for name, table in by_ordering(values, "error", names, len(seeds)).items():
            margin = margins.get(name, MARGIN)
            found.rows.append(exponent_row(name, quantity, variable, x, table, margin))
            found.data[f"floor {part} {name}"] = table
            found.notes += bend_notes(quantity, variable, x, {name: table})
        return found

    return Part(floor, cells, read)


def _cells(
    config: Mapping[str, Any], part: str, names: Sequence[str], seeds: Sequence[int]
) -> tuple[list[Cell], Sequence[float]]:
    """Return cells, each long enough for its step size, and the values of the variable."""
    sizes = config["floors"]
    quadratic = part == "quadratic alpha"
    problem = sizes["quadratic"] if quadratic else config["problem"]
    L = max(problem["eigenvalues"]) if quadratic else problem["kappa"]  # mu = 1 in both
    axes: dict[str, Sequence[Any]] = {"ordering": names, "seed": seeds}
    held: Cell = {"problem": problem, "n": config["n"], "m": sizes["m"], "replicates": sizes["replicates"]}
    if part == "n":
        x = sizes["n"]["n"]
        held["step_size"] = sizes["n"]["alpha_n_L"] / (max(x) * L)
        axes["n"] = x
    elif part == "m":
        x = sizes["ms"]["m"]
        held["step_size"] = sizes["ms"]["alpha_n_L"] / (config["n"] * L)
        axes["m"] = x
    else:
        x = [h / (config["n"] * L) for h in sizes["alpha"]["alpha_n_L"]]
        axes["step_size"] = x
    cells = grid(axes, {key: value for key, value in held.items() if key not in axes})
    return [relaxed(cell, sizes["relaxations"]) for cell in cells], x
