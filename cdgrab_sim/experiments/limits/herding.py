"""A list of vectors that no order herds well, and what every ordering makes of it (H10)."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim import herding, orderings
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Row
from cdgrab_sim.experiments._readings import claim
from theory.herding import harvey_samadi_bound, harvey_samadi_vectors

ORDERINGS = orderings.select(lambda o: not o.replacement)
_ROUNDING = 1e-9


def errors(cell: dict[str, Any]) -> dict[str, FloatArray]:
    """Measure one cell: the herding errors of the first order and of those after each round."""
    z, rounds = harvey_samadi_vectors(cell["d"]), cell["rounds"]
    return {"errors": herding.curve(z, cell["ordering"], rounds, seed=cell["seed"], norm="l2")}


def lower_line(config: dict[str, Any], options: Options) -> tuple[list[Row], dict[str, FloatArray]]:
    """Hold every ordering, in every round, against the line that none can undercut."""
    shared = {"d": config["d"], "rounds": config["rounds"], "seed": options.seed}
    found = run_cells(errors, grid({"ordering": ORDERINGS}, shared), options)
    bound, d = harvey_samadi_bound(config["d"]), config["d"]
    what = f"herding error / Harvey and Samadi's line, d = {d}, lowest round"
    shares = {name: np.asarray(one["errors"]) / bound for name, one in zip(ORDERINGS, found, strict=True)}
    rows = [claim(name, what, values, above=1.0 - _ROUNDING) for name, values in shares.items()]
    return rows, {f"list {name}": values for name, values in shares.items()}
