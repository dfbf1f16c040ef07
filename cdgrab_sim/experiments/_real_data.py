"""How much a better order gains on a table of real data: tuned errors against m, beside rr."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from cdgrab_sim import _checks, problems
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import subseeds
from cdgrab_sim.analysis import paired_test, t_interval
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._measures import errors, tuned_together
from cdgrab_sim.experiments._readings import ratio
from cdgrab_sim.experiments._table import Columns, read_table

SIZES: dict[str, Any] = {"m": [1, 2, 4, 8, 16, 32], "epochs": 50, "seeds": 6}
LOSSES = ("logistic", "least-squares")
_FEWEST = 4  # examples per worker, where the sizes are chosen here
QUICK = SIZES | {"m": [1, 8, 32]}
_ROUNDING = 1e-14  # of the loss at the start: errors below it are rounding
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
    for problem in chosen:
        _require_minimum(problem)
    start = {"x0": 0.0, "replicates": {"others": 1}}
    smoothness = max(problem.constants["L"] for problem in chosen)
    within = 2.0**-10 / smoothness, 2.0**10 / smoothness
    found, step_size = tuned_together(cell | start | {"every": T}, chosen, T, 1, *within)
    full = cell | start | {"ordering": "fixed", "batch": n, "every": n * T}
    noiseless = [
        errors(full | {"seed": seed}, problem, step_size, n * T)[0, -1]
        for seed, problem in zip(cell["seeds"], chosen, strict=True)
    ]
    level = _ROUNDING * max(float(problem.values(np.zeros(problem.d)).mean()) for problem in chosen)
    kept = {"errors": np.maximum(found, level), "noiseless": np.maximum(noiseless, level)}
    return kept | {"step_size": step_size, "rounded": int((found <= level).sum())}


def _require_minimum(problem: Problem) -> None:
    if problem.f_star is None:
        raise ValueError(
            "the loss has no minimum on this table that could be found, so no error can be measured: "
            "a plane separates the classes; give --ridge > 0"
        )


def run(
    options: Options,
    names: Sequence[str],
    *,
    data: Path,
    target: str,
    ridge: float,
    standardize: bool,
    loss: str | None = None,
    n: int | None = None,
    m: Sequence[int] | None = None,
    epochs: int | None = None,
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
    loss : {"logistic", "least-squares"}, optional
    n : int, optional
        Examples per worker; by default as many as the largest m leaves, so that all rows are used.
    m : sequence of int, optional
    epochs : int, optional

    Returns
    -------
    Result
        Rows "tuned error at m = ..." and "error / rr at m = ..." for the largest m; data ``m``,
        ``error <ordering>`` (seeds, K) and ``step size <ordering>`` (K,).
    """
    table = read_table(data, target, standardize=standardize)
    sizes = _sizes(QUICK if options.quick else SIZES, len(table.target), data, n=n, m=m, epochs=epochs)
    loss = _loss(table, loss, data)
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
    for seed in seeds:  # before any work
        _require_minimum(_problem_of(shared | {"m": sizes["m"][0]}, seed))
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
    notes = [_used(table, sizes, loss), *_rounded(by_name, sizes["m"]), *notes]
    return Result("speedup", config, rows, arrays, notes)


def _sizes(sizes: dict[str, Any], rows: int, path: Path, **chosen: Any) -> dict[str, Any]:
    """Choose n, m and epochs where the user does not; refuse what the table is too small for."""
    sizes = sizes | {letter: value for letter, value in chosen.items() if value is not None}
    sizes["epochs"] = _checks.size("--epochs", sizes["epochs"])
    sizes["m"] = sorted({_checks.size("-m", m) for m in sizes["m"]})
    if chosen["m"] is None:
        each = sizes.get("n", _FEWEST)
        sizes["m"] = [m for m in sizes["m"] if m * each <= rows] or [1]
    most = sizes["m"][-1]
    n = _checks.size("-n", sizes.get("n", max(1, rows // most)))
    if n * most > rows:
        raise ValueError(f"{path}: expected at least m n = {n * most} rows; got {rows}; lower -m or -n")
    return {"n": n} | sizes | {"n": n}


def _loss(table: Columns, loss: str | None, path: Path) -> str:
    """Return the loss that is asked for, or that fits the target; refuse one that does not."""
    classes = len(np.unique(table.target))
    if classes < 2:
        raise ValueError(
            f"{path}: expected a target with at least two values; got one; choose another column"
        )
    fits = "logistic" if classes == 2 else "least-squares"
    chosen = fits if loss is None else _checks.choice("loss", loss, LOSSES)
    if chosen == "logistic" and classes != 2:
        raise ValueError(f"{path}: expected a target with two values for --loss logistic; got {classes}")
    if chosen == "least-squares" and table.labels:
        raise ValueError(
            f"{path}: expected numbers, or two labels for --loss logistic; got {classes} labels, such as "
            f"{table.labels[0]!r}; encode them or choose another column"
        )
    return chosen


def _used(table: Columns, sizes: dict[str, Any], loss: str) -> str:
    """Say how much of the table is used, and for what."""
    m, n = sizes["m"][-1], sizes["n"]
    words = f" {table.labels[-1]!r} against {table.labels[0]!r}" if table.labels else ""
    index = "; the first column, without a name, numbers the rows and is left out" if table.dropped else ""
    return f"{loss}{words} on {m * n} of {len(table.target)} rows at m = {m}: n = {n} for each worker{index}"


def _rounded(by_name: dict[str, list[dict[str, Any]]], m: Sequence[int]) -> list[str]:
    """Say which errors are lost in rounding, and shown as its level instead."""
    return [
        f"{name} at m = {size}: {cell['rounded']} errors are at the level of rounding, at most what is shown"
        for name, cells in by_name.items()
        for size, cell in zip(m, cells, strict=True)
        if cell["rounded"]
    ]


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
