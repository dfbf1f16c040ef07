"""Training on the tables that ship with the package: loss and herding error, epoch by epoch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._records import Problem, Record
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments._table import read_table, shipped
from cdgrab_sim.problems._minimum import excess
from cdgrab_sim.synchronous._simulate import simulate

_REDRAWN = 6  # field of the DATA role, after those of the tables
_LABELS = 0  # seed of the redrawn labels, where they are the same for every seed of an experiment


@lru_cache(maxsize=4)
def digits(m: int, redrawn: float, hidden: int, seed: int, anew: bool = False) -> Problem:
    """Return the network 64-`hidden`-10 on handwritten digits dealt to m workers.

    Pixels are divided by 16. A share of the labels is redrawn at random, so that the network
    cannot fit them all: where it can, gradients at the minimum vanish and so does what orders could gain.

    Parameters
    ----------
    m : int
        Divides 1792, the 1797 images less a few.
    redrawn : float
        The same labels for every `seed`, unless they are drawn `anew` for each.
    hidden, seed : int
    anew : bool

    Examples
    --------
    >>> problem = digits(64, 0.2, 8, seed=0)
    >>> problem.n, problem.d
    (28, 610)
    """
    table = read_table(shipped("digits.csv"), "target", standardize=False)
    X, y = table.features[:, :-1] / 16.0, table.target.astype(np.int64)
    rng = stream(seed if anew else _LABELS, Role.DATA, _REDRAWN)
    chosen = rng.permutation(len(y))[: round(redrawn * len(y))]
    y[chosen] = rng.integers(10, size=len(chosen))
    return problems.from_arrays(X, y, loss="mlp", m=m, n=1792 // m, hidden=hidden, seed=seed)


@lru_cache(maxsize=4)
def cancer(m: int, ridge: float, seed: int) -> Problem:
    """Return logistic regression on the breast cancer table, standardised, dealt to m workers.

    Examples
    --------
    >>> cancer(4, 0.01, seed=0).n
    142
    """
    table = read_table(shipped("breast_cancer.csv"), "target", standardize=True)
    return problems.from_arrays(table.features, table.target, loss="logistic", m=m, ridge=ridge, seed=seed)


_PROBLEMS = {"digits": digits, "cancer": cancer}


def train(cell: dict[str, Any]) -> dict[str, FloatArray]:
    """Measure one cell: loss at the recorded epochs, and on request herding errors at all but the last.

    The error is the inf-norm of the prefix sums over all workers at the iterate where the epoch starts, once
    per step, not divided by m. It costs as much as the epoch.
    """
    problem = _PROBLEMS[cell["table"]](seed=cell["seed"], **cell["problem"])
    run = simulate(
        problem,
        cell["ordering"],
        epochs=cell["epochs"],
        step_size=cell["alpha"],
        momentum=cell["momentum"],
        weight_decay=cell.get("weight_decay", 0.0),
        batch=cell["batch"],
        seed=cell["seed"],
        record=Record(every=cell["every"], herding=("inf",) if cell["herding"] else (), grad_norm=False),
        threads=1,
        throw=True,
    )
    assert run.loss is not None
    above = {} if problem.f_star is None else {"excess": excess(problem, run.loss[0])}
    herding = {"herding": run.herding["inf"][0]} if cell["herding"] else {}
    return {"loss": run.loss[0], **herding, **above}


def train_all(
    axes: Mapping[str, Sequence[Any]], groups: Sequence[Mapping[str, Any]], options: Options
) -> list[dict[str, FloatArray]]:
    """Train on a grid of cells, once for each group of shared settings.

    Returns
    -------
    list of dict
        For each group every quantity of `train` as an array, axis by axis.
    """
    found = iter(run_cells(train, [cell for shared in groups for cell in grid(axes, shared)], options))
    shape = [len(axis) for axis in axes.values()]
    tables = []
    for _ in groups:
        cells = [next(found) for _ in range(math.prod(shape))]
        tables.append({key: np.reshape([cell[key] for cell in cells], (*shape, -1)) for key in cells[0]})
    return tables
