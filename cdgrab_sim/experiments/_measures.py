"""What one cell of an experiment measures: an ordering on a problem or on vectors, boiled down to a number.

A cell is plain JSON. It has ``ordering``, ``m``, ``n`` and ``seed``; where SGD runs, ``problem`` (a family
and its arguments), ``replicates`` (by ordering, or for ``others``), ``x0`` where it does not start at x_star,
``every`` where not every epoch is looked at, ``update`` where it is not plain SGD, ``participation`` where
workers are absent; and what the task asks for. Experiments and `check` measure with the same functions, at
sizes of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cdgrab_sim import herding, orderings, problems, updates
from cdgrab_sim._records import Ordering, Problem, Record, Update
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._run import Run
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import time_to, tune
from cdgrab_sim.experiments._table import TABLE, problem_on
from cdgrab_sim.problems._linear_terms import example_sums
from cdgrab_sim.problems._minimum import excess
from cdgrab_sim.synchronous._simulate import simulate

LAST = 5  # epochs, or rounds, whose mean is the error: one more or less does not matter


def for_ordering(table: Mapping[str, Any], ordering: str) -> Any:
    """Look up what a configuration says about an ordering, or about all ``others``."""
    return table.get(ordering, table["others"])


def problem_of(cell: Mapping[str, Any]) -> Problem:
    """Make the problem of a cell: its family and arguments under ``problem``, sizes and seed beside them.

    The family `TABLE` is a file with columns. ``dealt`` cells make the m n examples as those of one worker,
    and deal them to m.
    """
    arguments = dict(cell["problem"])
    name = arguments.pop("family")
    family = problem_on if name == TABLE else problems.PROBLEMS.factory(name)
    m, n = cell["m"], cell["n"]
    if cell.get("dealt"):
        return deal(family(m=1, n=m * n, seed=cell["seed"], **arguments), m)
    return family(m=m, n=n, seed=cell["seed"], **arguments)


def deal(problem: Problem, m: int) -> Problem:
    """Give the examples of one worker to m workers, in blocks; the objective stays the same.

    For problems whose first array of data holds the examples (1, N, d), and whose other arrays do not
    depend on who holds them.
    """
    examples, *rest = problem.data
    n = problem.n // m
    return replace(problem, m=m, n=n, data=problem.data._make((examples.reshape(m, n, -1), *rest)))


def update_of(cell: Mapping[str, Any]) -> Update | None:
    """Make the update of a cell: its name and arguments under ``update``, or None for plain SGD."""
    arguments = dict(cell.get("update", {}))
    return updates.UPDATES.factory(arguments.pop("name"))(**arguments) if arguments else None


def run_of(
    cell: Mapping[str, Any],
    problem: Problem,
    step_size: float,
    epochs: int,
    record: Record,
    ordering: Ordering | None = None,
) -> Run:
    """Run the ordering of a cell, or another."""
    return simulate(
        problem,
        ordering or cell["ordering"],
        epochs=epochs,
        step_size=step_size,
        seed=cell["seed"],
        replicates=for_ordering(cell["replicates"], cell["ordering"]),
        x0=np.broadcast_to(cell["x0"], problem.d) if "x0" in cell else problem.x_star,
        update=update_of(cell),
        batch=cell.get("batch", 1),
        participation=cell.get("participation"),
        record=record,
        threads=1,
    )


def errors(
    cell: Mapping[str, Any],
    problem: Problem,
    step_size: float,
    epochs: int,
    ordering: Ordering | None = None,
) -> FloatArray:
    """Run the ordering of a cell, or another, and return f(x_t) - f_star (replicates, records).

    0 where rounding hides it. Below 0 by more than that is no error but an f_star that is none.
    """
    record = Record(every=cell.get("every", 1), grad_norm=False, distance=False)
    run = run_of(cell, problem, step_size, epochs, record, ordering)
    assert run.loss is not None
    found = excess(problem, run.loss)
    if (found < 0.0).any():
        raise ValueError(
            f"problem {problem.name!r}: expected f >= f_star; got f - f_star = {found.min():.3g}; "
            f"its x_star is no minimiser"
        )
    return found


def relaxed(cell: Mapping[str, Any], relaxations: float) -> dict[str, Any]:
    """Give a cell so many epochs in units of 1 / (alpha mu n), where mu = 1; all of them looked at."""
    every = cell.get("every", 1)
    epochs = relaxations / float(cell["step_size"] * cell["n"])
    return {**cell, "epochs": every * math.ceil(epochs / every)}


def floor(
    cell: dict[str, Any], problem: Problem | None = None, ordering: Ordering | None = None
) -> dict[str, Any]:
    """Measure the error at a ``step_size``, averaged over the second half of the ``epochs``.

    On the problem and with the ordering of the cell, or on others.
    """
    found = errors(cell, problem or problem_of(cell), cell["step_size"], cell["epochs"], ordering)
    return {"error": float(found[:, cell["epochs"] // 2 // cell.get("every", 1) :].mean())}


def unit_step(problem: Problem, T: int) -> float:
    """Return the step size at which alpha mu n T = 1."""
    return 1.0 / (problem.constants["mu"] * problem.n * T)


def tuned_error(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure the error after ``T`` epochs, the step size tuned for this cell: alpha mu n T in ``steps``."""
    problem, T = problem_of(cell), cell["T"]
    unit = unit_step(problem, T)
    low, high = cell["steps"]
    best = tune(lambda a: float(errors(cell, problem, a, T)[:, -LAST:].mean()), low * unit, high * unit)
    return {"error": best.error, "step": best.step_size / unit}


def tuned_together(
    cell: Mapping[str, Any], chosen: Sequence[Problem], T: int, last: int, low: float, high: float
) -> tuple[FloatArray, float]:
    """Tune one step size for all ``seeds`` of a cell; return the error of each seed, and the step size.

    Parameters
    ----------
    cell : mapping
    chosen : sequence of Problem
        One for each seed.
    T, last : int
        Epochs, and how many of the last records make the error.
    low, high : float
        Where the step size is looked for.
    """
    pairs = list(zip(cell["seeds"], chosen, strict=True))

    def found(alpha: float) -> FloatArray:
        return np.array([errors({**cell, "seed": s}, p, alpha, T)[:, -last:].mean() for s, p in pairs])

    try:
        step_size = tune(lambda alpha: float(found(alpha).mean()), low, high).step_size
    except ValueError:
        if found(low).mean() > found(2.0 * low).mean():
            raise
        step_size = low  # to stay is best, as after few epochs of an order that leads astray
    return found(step_size), step_size


def time_to_accuracy(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure the fewest epochs to an ``accuracy``, over alpha mu n in ``rates``; infinite above ``T``."""
    problem, T = problem_of(cell), cell["T"]
    accuracy = for_ordering(cell["accuracy"], cell["ordering"])
    unit = unit_step(problem, 1)
    found: list[float] = []

    def epochs(step_size: float) -> float:
        mean = errors(cell, problem, step_size, T).mean(axis=0)
        found.append(cell.get("every", 1) * time_to(mean, accuracy, window=LAST))
        return found[-1]

    low, high = cell["rates"]
    try:
        best = tune(epochs, low * unit, high * unit)
    except ValueError:
        if any(map(math.isfinite, found)):
            raise
        return {"epochs": math.inf, "rate": math.nan}
    return {"epochs": best.error, "rate": best.step_size / unit}


def unit_vectors(m: int, n: int, d: int, seed: int) -> FloatArray:
    """Draw vectors (m, n, d) uniform on the unit sphere; worker i's do not depend on m."""
    z = stream(seed, Role.DATA).standard_normal((m, n, d))
    z /= np.linalg.norm(z, axis=-1, keepdims=True)
    return z


def sphere(m: int, n: int, d: int, seed: int) -> FloatArray:
    """Draw vectors (m, n, d) uniform on the unit sphere, and centre each worker's over its examples."""
    z = unit_vectors(m, n, d, seed)
    z -= (example_sums(z) / n)[:, None]
    return z


def herding_error(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure the mean herding error of the last ``rounds``; of all orders where they are drawn afresh."""
    z = sphere(cell["m"], cell["n"], cell["d"], cell["seed"])
    found = herding.curve(z, cell["ordering"], cell["rounds"], seed=cell["seed"])
    return {"error": plateau(found, cell["ordering"])}


def plateau(curve: FloatArray, ordering: str) -> float:
    """Return the mean of the last errors of a curve by round, of all but the first of orders drawn afresh."""
    drawn = orderings.make(ordering).family == "drawn"
    return float((curve[1:] if drawn else curve[-LAST:]).mean())
