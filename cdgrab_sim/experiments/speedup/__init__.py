"""How the error falls with the number of workers: the floor of the loss at a fixed step size."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cdgrab_sim import _checks, orderings
from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments import _real_data
from cdgrab_sim.experiments._cells import by_ordering, grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments._exponents import exponent_row
from cdgrab_sim.experiments._measures import floor

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


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments that choose real data instead."""
    add = parser.add_argument
    add("--data", type=Path, metavar="FILE.csv", help="measure tuned errors on this table instead")
    add("--target", metavar="COLUMN", help="column of the table to predict")
    add("--ridge", type=float, default=0.01, help="penalty of the regression (default: 0.01)")
    add("--no-standardize", action="store_false", dest="standardize", help="leave the columns as they are")
    add("--loss", choices=_real_data.LOSSES, help="of the table (default: logistic for two values)")
    add("-n", type=int, help="rows of the table per worker (default: all)")
    add("-m", type=int, nargs="+", help="workers for the table (default: powers of two up to 32)")
    add("--epochs", type=int, help="epochs on the table (default: 50)")


def run(
    options: Options,
    *,
    names: Sequence[str] = ORDERINGS,
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
    data : Path, optional
        A table of real data; then tuned errors are compared instead, see `_real_data.run`.
    target, ridge, standardize
        For real data only.
    **chosen
        ``loss``, ``n``, ``m`` and ``epochs``, for real data only; None where they are left open.

    Returns
    -------
    Result
        One row per ordering, "floor exponent in m"; data ``m`` (K,) and ``floor <ordering>`` (seeds, K).
    """
    if (data is None) != (target is None):
        raise ValueError("--data and --target go together: expected a CSV file and the column to predict")
    if data is not None and target is not None:
        ridge = _checks.real("--ridge", ridge, low=0.0)
        source: dict[str, Any] = {"data": data, "target": target, "ridge": ridge, "standardize": standardize}
        return _real_data.run(options, names, **source, **chosen)
    for letter in [letter for letter, value in chosen.items() if value is not None]:
        raise ValueError(f"{letter}: expected none without --data; got {chosen[letter]}; leave it out")
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed, "orderings": list(names)}
    axes = {"ordering": names, "seed": subseeds(options.seed, config["seeds"]), "m": config["m"]}
    shared = {
        "problem": {"family": config["problem"], "d": config["d"], "kappa": config["kappa"]},
        "n": config["n"],
        "step_size": config["alpha_n_L"] / (config["n"] * config["kappa"]),  # the L of skewed is kappa
        "epochs": config["epochs"],
        "replicates": {"others": 1} | config["replicates"],
    }
    floors = run_cells(floor, grid(axes, shared), options)
    rows, arrays = [], {"m": np.array(config["m"])}
    for name, values in by_ordering(floors, "error", names, config["seeds"]).items():
        rows.append(exponent_row(name, "floor", "m", config["m"], values, MARGINS.get(name, 0.2)))
        arrays[f"floor {name}"] = values
    return Result("speedup", config, rows, arrays)
