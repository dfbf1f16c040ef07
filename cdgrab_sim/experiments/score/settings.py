"""What orderings are scored on: families of problems, alike and different workers, and what updates do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._measures import problem_of
from cdgrab_sim.experiments._table import read_table, shipped
from cdgrab_sim.updates import UPDATES, iterates

TABLE = "breast-cancer"  # the real one: 569 rows, 30 columns
ALIKE, DIFFERENT = "workers alike", "workers differ"

# family -> arguments; of those where workers differ, what makes them
FAMILIES: dict[str, dict[str, Any]] = {
    "skewed": {"kappa": 5.0},
    "quadratic": {},
    "least-squares": {"d": 4},
    "logistic": {"d": 4},
    "robust": {"d": 4, "ridge": 0.1},
    "mlp": {"sigma": 1.0, "hidden": 4},  # noise as large as the scores: many labels are wrong
    TABLE: {"ridge": 0.1},
}
MADE_DIFFERENT: dict[str, Any] = {"heterogeneity": 1.0}
# what else may happen to gradients -> the update
UPDATED: dict[str, dict[str, Any]] = {
    "momentum 0.9": {"name": "heavy-ball", "momentum": 0.9},
    "4 local steps": {"name": "local", "steps": 4},
    "delay of 4 steps": {"name": "delayed", "steps": 4},
}


def family(name: str, workers: str) -> dict[str, Any]:
    """Return a family and its arguments, as cells have them."""
    return {"family": name} | FAMILIES[name] | (MADE_DIFFERENT if workers == DIFFERENT else {})


def made(cell: Mapping[str, Any]) -> Problem:
    """Make the problem of a cell; where workers of the table differ, its rows are sorted by their class."""
    given = cell["problem"]
    if given["family"] != TABLE:
        return problem_of(cell)
    table = read_table(shipped("breast_cancer.csv"), "target", standardize=True)
    how = {"m": cell["m"], "n": cell["n"], "seed": cell["seed"], "ridge": given["ridge"]}
    how["partition"] = "sorted" if "heterogeneity" in given else "iid"
    return problems.from_arrays(table.features, table.target, loss="logistic", **how)


@kernel(small=True)
def _step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Step x, and show in X the x of some steps ago; S keeps the last ones round and round, from c[0]."""
    at, oldest = it.c[0], (it.c[0] + 1) % it.S.shape[0]
    for q in range(len(it.x)):
        it.S[at, q] = it.x[q]
        it.x[q] -= alpha * g[q]
        for i in range(it.X.shape[0]):
            it.X[i, q] = it.S[oldest, q]
    it.c[0] = oldest


def delayed(*, steps: int = 4) -> Update:
    r"""Return SGD along gradients that are late by a number of steps.

    .. math:: x_{k+1} = x_k - \alpha \, \frac1m \sum_i \nabla f_{i, \pi_i(k)}(x_{\max(k - \tau, 0)})

    Parameters
    ----------
    steps : int
        tau >= 1.

    Examples
    --------
    >>> delayed(steps=2).settings
    {'steps': 2}
    """

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        it = iterates(x0, points=problem.m, vectors=steps, counters=(0,))
        it.S[:] = np.asarray(x0)
        return it

    return Update("delayed", init, _step, settings={"steps": steps})


KNOWN = {"delayed": delayed}


def known() -> Any:
    """Know the updates of this file by name while a cell runs."""
    return UPDATES.also({name: make for name, make in KNOWN.items() if name not in UPDATES})
