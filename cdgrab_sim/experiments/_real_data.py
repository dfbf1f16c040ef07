"""How much a better order gains on a table of real data: tuned errors against m, beside rr."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import subseeds
from cdgrab_sim.analysis import paired_test, t_interval
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._measures import errors, tuned_together
from cdgrab_sim.experiments._readings import ratio
from cdgrab_sim.experiments._table import Columns, read_table

SIZES: dict[str, Any] = {"n": 16, "m": [1, 2, 4, 8, 16, 32], "epochs": 50, "seeds": 6}
QUICK = SIZES | {"m": [1, 8, 32]}
_TRANSIENT = 0.5  # share of the error that is left without any noise, from which the output says so


@lru_cache(maxsize=1)
def _table(path: str, target: str, standardize: bool, digest: str) -> Columns:
    return read_table(Path(path), target, standardize=standardize)


@lru_cache(maxsize=8)
def _problem(path: str, target: str, standardize: bool, digest: str, **sizes: Any) -> Problem:
    table = _table(path, target, standardize, digest)
    return problems.from_arrays(table.features, table.target, **sizes)


def _problem_of(cell: dict[str, Any], seed: int) -> Problem:
    source = {key: cell[key] for key in ("path", "target", "standardize", "digest")}
    return _problem(**source, **{key: cell[key] for key in ("loss", "m", "n", "ridge")}, seed=seed)


def tuned_errors(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure one cell: the errors after T epochs with the step tuned on their mean over all seeds.

    The error that full gradients leave with the same step and as many updates tells how much of it is
    transient, which no order can change.
    """
    chosen, T, n = [_problem_of(cell, seed) for seed in cell["seeds"]], cell["epochs"], cell["n"]
    start = {"x0": 0.0, "replicates": {"others": 1}}
    smoothness = max(problem.constants["L"] for problem in chosen)
    within = 2.0**-10 / smoothness, 2.0**10 / smoothness
    found, step_size = tuned_together(cell | start | {"every": T}, chosen, T, 1, *within)
    full = cell | start | {"ordering": "fixed", "batch": n, "every": n * T}
    noiseless = [
        errors(full | {"seed": seed}, problem, step_size, n * T)[0, -1]
        for seed, problem in zip(cell["seeds"], chosen, strict=True)
    ]
    return {"errors": found, "noiseless": np.array(noiseless), "step_size": step_size}


def run(
    options: Options, names: Sequence[str], *, data: Path, target: str, ridge: float, standardize: bool
) -> Result:
    """Tune the step size of every ordering for every m, and compare the errors.

    Logistic regression where the target has two values, least squares where it has more. No slope is
    claimed: real data obey none exactly.

    Parameters
    ----------
    options : Options
    names : sequence of str
    data : Path
        CSV file with a header line.
    target : str
    ridge : float
        rho in the penalty rho |x|^2 / 2, intercept included.
    standardize : bool

    Returns
    -------
    Result
        Rows "tuned error at m = ..." and "error / rr at m = ..." for the largest m; data ``m``,
        ``error <ordering>`` (seeds, K) and ``step size <ordering>`` (K,).
    """
    sizes = QUICK if options.quick else SIZES
    table = read_table(data, target, standardize=standardize)
    loss = "logistic" if len(np.unique(table.target)) == 2 else "least-squares"
    _require(table, sizes, data)
    source = {
        "path": str(data.resolve()),
        "target": target,
        "standardize": standardize,
        "digest": table.digest,
    }
    seeds = subseeds(options.seed, sizes["seeds"])
    shared = source | {
        "loss": loss,
        "ridge": ridge,
        "n": sizes["n"],
        "epochs": sizes["epochs"],
        "seeds": seeds,
    }
    cells = run_cells(tuned_errors, grid({"ordering": names, "m": sizes["m"]}, shared), options)
    by_name = {name: cells[k * len(sizes["m"]) :][: len(sizes["m"])] for k, name in enumerate(names)}
    arrays: dict[str, Any] = {"m": np.array(sizes["m"])}
    for name, found in by_name.items():
        arrays[f"error {name}"] = np.column_stack([cell["errors"] for cell in found])
        arrays[f"step size {name}"] = np.array([cell["step_size"] for cell in found])
    config = sizes | {"seed": options.seed, "orderings": list(names), "data": data.name, "target": target}
    config |= {"loss": loss, "ridge": ridge, "standardize": standardize, "sha256": table.digest}
    largest = {name: found[-1] for name, found in by_name.items()}
    rows, notes = _rows(largest, sizes["m"][-1]), _notes(largest, sizes)
    return Result("speedup", config, rows, arrays, notes)


def _require(table: Columns, sizes: dict[str, Any], path: Path) -> None:
    needed, classes = sizes["n"] * sizes["m"][-1], len(np.unique(table.target))
    if len(table.target) < needed:
        raise ValueError(
            f"{path}: expected at least m n = {needed} rows; got {len(table.target)}; use a larger table"
        )
    if classes < 2:
        raise ValueError(
            f"{path}: expected a target with at least two values; got one; choose another column"
        )


def _rows(largest: dict[str, dict[str, Any]], m: int) -> list[Row]:
    rows = []
    for name, cell in largest.items():
        low, high = t_interval(cell["errors"])
        mean = float(cell["errors"].mean())
        rows.append(Row(name, f"tuned error at m = {m}", mean, low, high))
    base = largest.get("rr")
    for name, cell in largest.items():
        if base is not None and name != "rr":
            rows.append(ratio(name, f"error / rr at m = {m}", cell["errors"], base["errors"]))
    return rows


def _notes(largest: dict[str, dict[str, Any]], sizes: dict[str, Any]) -> list[str]:
    m, notes = sizes["m"][-1], []
    base = largest.get("rr")
    for name, cell in largest.items():
        if base is not None and name != "rr":
            p = paired_test(cell["errors"], base["errors"])
            notes.append(f"{name} against rr at m = {m}: exact paired test over seeds, p = {p:.3g}")
    for name, cell in largest.items():
        share = float(cell["noiseless"].mean() / cell["errors"].mean())
        if share >= _TRANSIENT:
            notes.append(
                f"{name} at m = {m}: full gradients with the same step leave {100 * share:.0f} % of this "
                f"error: T = {sizes['epochs']} lies in the transient, which no order shortens"
            )
    return notes
