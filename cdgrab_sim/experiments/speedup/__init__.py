"""How the error falls with the number of workers: the floor of the loss at a fixed step size."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cdgrab_sim import orderings
from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments import _compared, _real_data
from cdgrab_sim.experiments._cells import by_ordering, grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments._exponents import exponent_row, raw_exponent_row
from cdgrab_sim.experiments._measures import floor, problem_of
from cdgrab_sim.experiments._study import usable
from cdgrab_sim.experiments.speedup import on_table

ORDERINGS = orderings.select(lambda ordering: ordering.compared)
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
STOCK = ("kappa", "d")  # arguments of the stock problem


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments that choose orderings, and real data."""
    _compared.add_argument(parser, ORDERINGS)
    _real_data.add_arguments(parser)


def run(
    options: Options,
    *,
    names: Sequence[str] = ORDERINGS,
    problem: str | None = None,
    data: Path | None = None,
    target: str | None = None,
    ridge: float = 0.01,
    standardize: bool = True,
    **chosen: Any,
) -> Result:
    """Measure the floor of the loss at a fixed step size against m, and fit its exponent.

    Parameters
    ----------
    options : Options
    names : sequence of str
        Registered orderings.
    problem : str, optional
        Another family of problems, of m, n and seed; nothing is predicted of it.
    data : Path, optional
        A table of real data; then tuned errors are compared instead, see `on_table`.
    target, ridge, standardize
        For real data only.
    **chosen
        ``loss``, ``n``, ``m`` and ``epochs``, for real data only; None where they are left open.

    Returns
    -------
    Result
        One row per ordering, "floor exponent in m"; data ``m`` (K,) and ``floor <ordering>`` (seeds, K).
    """
    names = _compared.known(names)
    if _real_data.asked(data, target, chosen):
        table: dict[str, Any] = {"data": data, "target": target, "ridge": ridge, "standardize": standardize}
        if problem is not None:
            raise ValueError(f"problem: expected none beside --data; got {problem!r}; leave one out")
        return on_table.run(options, names, **table, **chosen)
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed, "orderings": list(names)}
    if problem is not None:
        config = {key: config[key] for key in config if key not in STOCK} | {"problem": problem}
    seeds = subseeds(options.seed, config["seeds"])
    family = {"family": config["problem"]} | {key: config[key] for key in STOCK if key in config}
    made = [problem_of({"problem": family, "n": config["n"], "m": m, "seed": seeds[0]}) for m in config["m"]]
    shared = {
        "problem": family,
        "n": config["n"],
        "step_size": config["alpha_n_L"] / (config["n"] * max(usable(one).constants["L"] for one in made)),
        "epochs": config["epochs"],
        "replicates": {"others": 1} | config["replicates"],
    }
    floors = run_cells(floor, grid({"ordering": names, "seed": seeds, "m": config["m"]}, shared), options)
    rows, arrays = [], {"m": np.array(config["m"])}
    for name, values in by_ordering(floors, "error", names, config["seeds"]).items():
        arrays[f"floor {name}"] = values
        if problem is None:
            rows.append(exponent_row(name, "floor", "m", config["m"], values, MARGINS.get(name, 0.2)))
        else:
            rows.append(raw_exponent_row(name, "floor", "m", config["m"], values))
    return Result("speedup", config, rows, arrays)
