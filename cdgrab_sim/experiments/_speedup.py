"""How the error falls with the number of workers: the floor of the loss at a fixed step size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._rng import subseeds
from cdgrab_sim._simulate import simulate
from cdgrab_sim._types import Record
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments._exponents import exponent_row

ORDERINGS = ("sgd", "rr", "d-grab-pair", "cd-grab")
MARGINS = {"cd-grab": 0.25, "d-grab": 0.25}  # 0.2 for the others: the spread over seeds is wider here

SIZES: dict[str, Any] = {
    "problem": "skewed",
    "kappa": 20.0,
    "d": 3,
    "n": 64,
    "m": [1, 2, 4, 8, 16, 32],
    "alpha_n_L": 0.05,
    "epochs": 12_000,
    "seeds": 6,
    "replicates": {"sgd": 4},  # 1 for the others; its floor is a time average of slowly mixing noise
}
QUICK = SIZES | {"m": [1, 2, 4, 8], "epochs": 4_000}


def floor(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: the loss at a fixed step size, averaged over the second half of the epochs."""
    problem = problems.skewed(m=cell["m"], n=cell["n"], d=cell["d"], kappa=cell["kappa"], seed=cell["seed"])
    run = simulate(
        problem,
        cell["ordering"],
        epochs=cell["epochs"],
        step_size=cell["alpha_n_L"] / (cell["n"] * problem.constants["L"]),
        seed=cell["seed"],
        replicates=cell["replicates"].get(cell["ordering"], 1),
        record=Record(grad_norm=False),
        throw=True,
    )
    assert run.loss is not None
    return {"floor": float(run.loss[:, cell["epochs"] // 2 :].mean() - problem.f_star)}


def run(options: Options, *, names: Sequence[str] = ORDERINGS) -> Result:
    """Measure the floor of the loss at a fixed step size against m, and fit its exponent.

    Parameters
    ----------
    options : Options
    names : sequence of str
        Registered orderings.

    Returns
    -------
    Result
        One row per ordering, "floor exponent in m"; data ``m`` (K,) and ``floor <ordering>`` (seeds, K).
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed, "orderings": list(names)}
    axes = {"ordering": names, "seed": subseeds(options.seed, config["seeds"]), "m": config["m"]}
    shared = {key: config[key] for key in ("n", "d", "kappa", "alpha_n_L", "epochs", "replicates")}
    floors = run_cells(floor, grid(axes, shared), options)
    table = np.reshape([cell["floor"] for cell in floors], [len(axis) for axis in axes.values()])
    rows, data = [], {"m": np.array(config["m"])}
    for name, values in zip(names, table, strict=True):
        rows.append(exponent_row(name, "floor", "m", config["m"], values, MARGINS.get(name, 0.2)))
        data[f"floor {name}"] = values
    return Result("speedup", config, rows, data)
