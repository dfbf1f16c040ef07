"""Tuned errors on the skewed instance, all sizes at once: in m n T^2 for rr, in m n T for cd-grab."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Row
from cdgrab_sim.experiments._exponents import slope_row
from cdgrab_sim.experiments._measures import LAST, problem_of, tuned_together

# ordering -> what the error is a power of, the exponent, the margin
RATES = {"rr": ("m n T^2", -1.0, 0.15), "cd-grab": ("m n T", -2.0, 0.25)}


def effective_size(ordering: str, m: int, n: int, T: int) -> float:
    """Return m n T^2 or m n T, the quantity that the ordering's rate is a power of."""
    return float(m * n * T * (T if ordering == "rr" else 1))


def rescaled_errors(cell: dict[str, Any]) -> dict[str, FloatArray]:
    """Measure one cell: the errors with the tuned step over (alpha mu n T)^2, which takes the log out."""
    m, n, T = cell["size"]
    sized = cell | {"m": m, "n": n}
    chosen = [problem_of(sized | {"seed": seed}) for seed in cell["seeds"]]
    L, mu = chosen[0].constants["L"], chosen[0].constants["mu"]
    errors, alpha = tuned_together(sized, chosen, T, LAST, 2.0**-10 / L, 2.0**2 / L)
    return {"errors": errors / (alpha * mu * n * T) ** 2}


def rates(config: dict[str, Any], options: Options) -> tuple[list[Row], dict[str, FloatArray]]:
    """Fit the rescaled tuned errors against m n T^2 and m n T."""
    seeds = subseeds(options.seed, config["seeds"])
    problem = {"family": "skewed", "kappa": config["kappa"], "d": config["d"]}
    shared = {"problem": problem, "x0": 1.0, "replicates": {"others": 1}, "seeds": seeds}
    cells = grid({"ordering": list(RATES), "size": config["sizes"]}, shared)
    found = run_cells(rescaled_errors, cells, options)
    table = np.array([cell["errors"] for cell in found]).reshape(len(RATES), len(config["sizes"]), -1)
    rows, data = [], dict[str, FloatArray]()
    for errors, (name, (product, exponent, margin)) in zip(table, RATES.items(), strict=True):
        x = [effective_size(name, *size) for size in config["sizes"]]
        rows.append(slope_row(name, f"tuned error exponent in {product}", x, errors.T, exponent, margin))
        data |= {f"size {name}": np.array(x), f"tuned {name}": errors.T}
    return rows, data
