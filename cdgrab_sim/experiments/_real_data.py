"""How much a better order gains on a table of real data: tuned errors against m, beside rr."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._records import Problem, Record
from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import paired_test, t_interval, tune
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._readings import ratio
from cdgrab_sim.experiments._table import Table, read_table
from cdgrab_sim.synchronous._simulate import simulate

SIZES: dict[str, Any] = {"n": 16, "m": [1, 2, 4, 8, 16, 32], "epochs": 50, "seeds": 6}
QUICK = SIZES | {"m": [1, 8, 32]}
_TRANSIENT = 0.5  # share of the error that is left without any noise, from which the output says so


@lru_cache(maxsize=1)
def _table(path: str, target: str, standardize: bool, digest: str) -> Table:
    return read_table(Path(path), target, standardize=standardize)


@lru_cache(maxsize=8)
def _problem(path: str, target: str, standardize: bool, digest: str, **sizes: Any) -> Problem:
    table = _table(path, target, standardize, digest)
    return problems.from_arrays(table.features, table.target, **sizes)


def _problem_of(cell: dict[str, Any], seed: int) -> Problem:
    source = {key: cell[key] for key in ("path", "target", "standardize", "digest")}
    return _problem(**source, **{key: cell[key] for key in ("loss", "m", "n", "ridge")}, seed=seed)


def _final_error(
    problem: Problem, ordering: str, alpha: float, seed: int, epochs: int, batch: int = 1
) -> float:
    assert problem.f_star is not None
    record = Record(every=epochs, grad_norm=False)
    run = simulate(
        problem, ordering, epochs=epochs, step_size=alpha, seed=seed, batch=batch, record=record, threads=1
    )
    assert run.loss is not None
    return float(run.loss[0, -1] - problem.f_star)


def tuned(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure one cell: the error after T epochs with the step tuned on the mean over all seeds.

    The error that full gradients leave with the same step and as many updates tells how much of it is
    transient, which no order can change.
    """
    chosen = [(_problem_of(cell, seed), seed) for seed in cell["seeds"]]
    epochs, n = cell["epochs"], cell["n"]

    def errors(alpha: float) -> FloatArray:
        found = [_final_error(problem, cell["ordering"], alpha, seed, epochs) for problem, seed in chosen]
        return np.array(found)

    smoothness = max(problem.constants["L"] for problem, _ in chosen)
    best = tune(lambda alpha: float(errors(alpha).mean()), 2.0**-10 / smoothness, 2.0**10 / smoothness)
    noiseless = [_final_error(p, "fixed", best.step_size, seed, epochs * n, batch=n) for p, seed in chosen]
    return {
        "errors": errors(best.step_size),
        "noiseless": np.array(noiseless),
        "step_size": best.step_size,
    }


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
    cells = run_cells(tuned, grid({"ordering": names, "m": sizes["m"]}, shared), options)
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


def _require(table: Table, sizes: dict[str, Any], path: Path) -> None:
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
        rows.append(Row(name, f"tuned error at m = {m}", mean, low, high, None, None, "no prediction"))
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
