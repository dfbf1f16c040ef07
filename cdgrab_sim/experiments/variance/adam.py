"""Whether the gain of balanced orders survives preconditioning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._cells import grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._measures import LAST, errors, floor, problem_of
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.experiments.variance.below import LEAST, below
from theory import variance

UPDATES: dict[str, dict[str, Any]] = {
    "sgd": {"name": "sgd"},
    "adam": {"name": "adam"},
    "adamw": {"name": "adamw", "weight_decay": 1e-5},
}


def best_error(cell: Cell) -> dict[str, Any]:
    """Measure the least error after T epochs over step sizes (times 1/L for SGD), and where it is."""
    problem = problem_of(cell)
    unit = 1.0 / problem.constants["L"] if cell["optimizer"] == "sgd" else 1.0
    found = [float(errors(cell, problem, unit * a, cell["T"])[:, -LAST:].mean()) for a in cell["steps"]]
    best = int(np.argmin(found))
    return {"error": found[best], "edge": best in (0, len(found) - 1)}


def floor_and_prediction(cell: Cell) -> dict[str, Any]:
    """Measure Adam's floor under reshuffling on a diagonal quadratic, over what theory says (W5)."""
    problem = problem_of(cell)
    lam, b = problem.data.eigenvalues, problem.data.b
    v = (lam * b).var(axis=1).mean(axis=0) / problem.m
    longest = float((lam / np.sqrt(v)).max())
    alpha = cell["alpha_n"] / (problem.n * longest)
    epochs = int(cell["relaxations"] / (alpha * float((lam / np.sqrt(v)).min()) * problem.n))
    measured = floor(cell | {"step_size": alpha, "epochs": epochs}, problem)["error"]
    noise = [variance.adam_noise(alpha, p, q, problem.n) for p, q in zip(lam, v, strict=True)]
    predicted = 0.5 * float(lam @ noise)
    return {"error": measured / predicted, "edge": False}


def measured(cell: Cell) -> dict[str, Any]:
    """Measure one cell of this part."""
    return best_error(cell) if "steps" in cell else floor_and_prediction(cell)


def adam_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for tuned errors of three optimizers in three orders, and for Adam's floor."""
    sizes = config["adam"]
    axes = {
        "problem": sizes["problems"], "m": sizes["m"], "optimizer": list(UPDATES),
        "ordering": sizes["orderings"], "seed": seeds,
    }  # fmt: skip
    cells = grid(axes, {"n": sizes["n"], "T": sizes["T"], "x0": 1.0, "replicates": {"others": 1}})
    for cell in cells:
        cell |= {"update": UPDATES[cell["optimizer"]]}
        cell |= {"steps": sizes["steps"]["sgd" if cell["optimizer"] == "sgd" else "adam"]}
    shared = {key: sizes[key] for key in ("n", "alpha_n", "relaxations")} | {"replicates": {"others": 2}}
    shared |= {"problem": {"family": "quadratic", "d": 4}, "ordering": "rr", "update": UPDATES["adam"]}
    rests = grid({"m": sizes["m"], "seed": seeds}, shared)

    def read(values: list[dict[str, Any]]) -> Findings:
        shape = [len(axis) for axis in axes.values()]
        tuned = np.array([cell["error"] for cell in values[: len(cells)]]).reshape(shape)
        found = Findings()
        for (p, one), (k, m), (u, name) in (
            (a, b, c)
            for a in enumerate(sizes["problems"])
            for b in enumerate(sizes["m"])
            for c in enumerate(UPDATES)
        ):
            found.rows += _gains(sizes, tuned[p, k, u], f"{name}, {one['family']}, m = {m}", found.data)
        edges = sum(cell["edge"] for cell in values[: len(cells)])
        found.notes += [f"adam: {edges} of {len(cells)} best steps are the first or last of their grid"]
        ratios = np.array([cell["error"] for cell in values[len(cells) :]]).reshape(len(sizes["m"]), -1)
        for m, one in zip(sizes["m"], ratios, strict=True):
            judged = verdict(one, 1.0, sizes["margin"])
            found.rows.append(Row.judged("rr", f"adam: floor / predicted, quadratic, m = {m}", judged))
        return found

    return Part(measured, cells + rests, read)


def _gains(sizes: Mapping[str, Any], errors: FloatArray, label: str, data: dict[str, Any]) -> list[Row]:
    """Judge whether balanced orders end below shuffled ones; rr is the first of the orderings."""
    rows = []
    for name, one in zip(sizes["orderings"][1:], errors[1:], strict=True):
        gain = np.log10(np.maximum(one, LEAST) / np.maximum(errors[0], LEAST))
        data[f"adam {name} {label}"] = gain
        rows.append(below(name, f"log10 tuned error / rr's: {label}", gain))
    return rows
