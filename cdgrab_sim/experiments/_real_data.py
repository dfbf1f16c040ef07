"""Tables of real data in experiments: what is asked for, and what of it is used."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments._measures import problem_of
from cdgrab_sim.experiments._study import Study
from cdgrab_sim.experiments._table import TABLE, Columns, read_table

SIZES: dict[str, Any] = {"m": [1, 2, 4, 8, 16, 32], "epochs": 50, "seeds": 6}
LOSSES = ("logistic", "least-squares")
_FEWEST = 4  # examples per worker, where the sizes are chosen here
QUICK = SIZES | {"m": [1, 8, 32]}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments that choose real data instead."""
    add = parser.add_argument
    add("--data", type=Path, metavar="FILE.csv", help="measure tuned errors on this table instead")
    add("--target", metavar="COLUMN", help="column of the table to predict")
    add("--ridge", type=float, default=0.01, help="penalty of the regression (default: 0.01)")
    add("--no-standardize", action="store_false", dest="standardize", help="leave the columns as they are")
    add("--loss", choices=LOSSES, help="of the table (default: logistic for two values)")
    add("-n", type=int, help="rows of the table per worker (default: all)")
    add("-m", type=int, nargs="+", help="workers for the table (default: powers of two up to 32)")
    add("--epochs", type=int, help="epochs on the table (default: 50)")


def asked(data: Path | None, target: str | None, chosen: Mapping[str, Any]) -> bool:
    """Tell whether a table is asked for; refuse half a request, and sizes of a table where there is none."""
    if (data is None) != (target is None):
        raise ValueError("--data and --target go together: expected a CSV file and the column to predict")
    for letter in [letter for letter, value in chosen.items() if value is not None and data is None]:
        raise ValueError(f"{letter}: expected none without --data; got {chosen[letter]}; leave it out")
    return data is not None


def study(
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
) -> Study:
    """Read a table, and choose what the user does not, before any work.

    Logistic regression where the target has two values, least squares where it has more.

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
    """
    ridge = _checks.real("--ridge", ridge, low=0.0)
    table = read_table(data, target, standardize=standardize)
    sizes = _sizes(QUICK if options.quick else SIZES, len(table.target), data, n=n, m=m, epochs=epochs)
    loss = _loss(table, loss, data)
    problem = {"family": TABLE, "path": str(data.resolve()), "target": target, "standardize": standardize}
    problem |= {"digest": table.digest, "loss": loss, "ridge": ridge}
    shared = {"problem": problem, "n": sizes["n"], "seeds": subseeds(options.seed, sizes["seeds"])}
    for seed in shared["seeds"]:
        _require_minimum(problem_of(shared | {"m": sizes["m"][0], "seed": seed}))
    config = sizes | {"seed": options.seed, "orderings": list(names), "data": data.name, "target": target}
    config |= {"loss": loss, "ridge": ridge, "standardize": standardize, "sha256": table.digest}
    return Study(sizes, shared, config, _used(table, sizes, loss))


def _require_minimum(problem: Problem) -> None:
    if problem.f_star is None:
        raise ValueError(
            "the loss has no minimum on this table that could be found, so no error can be measured: "
            "a plane separates the classes; give --ridge > 0"
        )


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
