"""Where Hessians differ, the mean of random reshuffling has a bias, in 1 / m."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._records import Record
from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._cells import grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._measures import problem_of, run_of
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from theory.quadratics import reshuffling_bias


def bias_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Compare rr's stationary mean on least squares with G3, in the direction that G3 predicts, against m."""
    sizes = config["bias"]
    shared = {key: sizes[key] for key in ("problem", "n", "alpha_n_L", "epochs", "replicates")}
    cells = grid({"seed": seeds, "m": sizes["m"]}, shared)

    def read(values: list[dict[str, Any]]) -> Findings:
        ratios = np.reshape([cell["ratio"] for cell in values], (len(seeds), -1))
        rows = [
            Row.judged(
                "rr", f"least-squares: bias / G3's at m = {m}", verdict(ratios[:, k], 1.0, sizes["margin"])
            )
            for k, m in enumerate(sizes["m"])
        ]
        return Findings(rows, {"bias m": np.array(sizes["m"]), "bias ratio": ratios})

    return Part(stationary_bias, cells, read)


def stationary_bias(cell: Cell) -> dict[str, float]:
    """Average x_t - x_star over the second half of the epochs; return its component along G3 over G3."""
    problem = problem_of(cell)
    assert problem.x_star is not None
    alpha = cell["alpha_n_L"] / (cell["n"] * problem.constants["L"])
    record = Record(loss=False, grad_norm=False, distance=False, trajectory=True)
    own = {"ordering": "rr", "replicates": {"others": cell["replicates"]}}
    run = run_of(cell | own, problem, alpha, cell["epochs"], record)
    assert run.trajectory is not None
    mean = run.trajectory[:, cell["epochs"] // 2 :].mean(axis=(0, 1)) - problem.x_star
    table = problem.data
    features, targets = table.X[table.rows], table.y[table.rows]
    residuals = features @ problem.x_star - targets
    hessians = features[..., :, None] * features[..., None, :]
    predicted = reshuffling_bias(alpha, hessians, features * residuals[..., None])
    return {"ratio": float(mean @ predicted / (predicted @ predicted))}
