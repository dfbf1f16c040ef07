"""Twice the batch against half the step, and against twice the workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import rate, verdict
from cdgrab_sim.experiments._cells import grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._measures import floor, relaxed
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from theory import variance

WAYS = ("step", "batch", "workers")
# The exponent of the step less that of workers (W4); cd-grab's own in the step is measured.
DIFFERENCE = {"sgd": 0.0, "rr": 2.0}


def batches_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for floors of draws at long steps, and of all orders at short ones."""
    sizes = config["batches"]
    n, d, small = sizes["n"], sizes["d"], sizes["small"]
    shared = {"problem": {"family": "quadratic", "d": d, "eigenvalues": [1.0] * d}, "n": n}
    exact = [
        cell | {"step_size": alpha / way, "batch": 3 - way}
        for alpha in sizes["alpha"]
        for way in (1, 2)
        for cell in grid(
            {"seed": seeds},
            shared
            | {
                "ordering": "sgd",
                "m": 1,
                "epochs": sizes["epochs"],
                "replicates": {"others": sizes["replicates"]},
            },
        )
    ]
    axes = {"ordering": sizes["orderings"], "way": WAYS, "seed": seeds, "factor": small["factors"]}
    asked = grid(axes, shared | {"replicates": {"others": small["replicates"]}})
    cells = exact + [_shrunk(cell, small) for cell in asked]

    def read(values: list[dict[str, Any]]) -> Findings:
        errors = np.array([cell["error"] for cell in values])
        found, count = Findings(), len(exact)
        doubled = errors[:count].reshape(len(sizes["alpha"]), 2, len(seeds))
        for alpha, (batch, step) in zip(sizes["alpha"], doubled, strict=True):
            promise, label = (
                variance.batch_over_step(alpha, 1.0),
                f"twice the batch / half the step, alpha {alpha:g}",
            )
            found.rows.append(
                Row.judged("sgd", label, verdict(batch / step, promise, sizes["margin"] * promise))
            )
        floors = errors[count:].reshape(*map(len, axes.values()))
        found.data["batches factor"] = np.array(small["factors"])
        for name, by_way in zip(sizes["orderings"], floors, strict=True):
            for way, one in zip(WAYS, by_way, strict=True):
                found.data[f"batches {name} {way}"] = one
            found.rows += _exponents(name, small["factors"], by_way, sizes["exponents"])
        return found

    return Part(floor, cells, read)


def _shrunk(cell: Cell, small: Mapping[str, Any]) -> Cell:
    """Divide the step, or multiply the batch or the workers, by a factor; give all the same relaxations."""
    factor, way = cell["factor"], cell["way"]
    alpha = small["alpha_n"] / cell["n"]
    step = alpha / factor if way == "step" else alpha
    cell |= {"batch": factor if way == "batch" else 1, "m": 2 * (factor if way == "workers" else 1)}
    slow = factor if way in ("step", "batch") else 1
    epochs = relaxed(cell | {"step_size": alpha / slow}, small["relaxations"])["epochs"]
    return cell | {"step_size": step, "epochs": epochs}


def _exponents(name: str, factors: Sequence[int], floors: FloatArray, margin: float) -> list[Row]:
    """Judge how much the floor falls with the step, more than with the batch and with the workers."""
    step, batch, workers = (-rate(factors, table).slopes for table in floors)
    least = verdict(step, None, None)
    rows = [Row.judged(name, "exponent of the floor in the step", least)]
    rows.append(
        Row.judged(name, "exponent in the step less in the batch", verdict(step - batch, 0.0, margin))
    )
    promise = DIFFERENCE.get(name)
    judged = verdict(step - workers, promise, None if promise is None else margin)
    rows.append(Row.judged(name, "exponent in the step less in the workers", judged))
    return rows
