"""Random projections, and draws with weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._records import Problem, Record
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._cells import grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.experiments.variance.below import LEAST, below
from cdgrab_sim.orderings import weighted
from cdgrab_sim.synchronous._simulate import simulate
from theory import variance

LAST = 0.75  # the last residual falls at least with this power of the steps
WAYS = ("uniform", "smoothness", "half")


def projections(cell: Cell) -> dict[str, Any]:
    """Measure mean squares of distance and residual along random projections, beside the exact ones."""
    sizes = {key: cell[key] for key in ("n", "d", "condition", "seed")}
    problem = problems.PROBLEMS["linear-system"](**sizes)
    x_star, A = problem.x_star, problem.data.X
    assert x_star is not None
    x0 = x_star + np.linalg.norm(A, axis=0) / np.sqrt((A**2).sum())
    alpha, steps = problem.constants["kaczmarz_step"], problem.n * np.arange(cell["epochs"] + 1)
    run = simulate(
        problem, weighted("smoothness"), epochs=cell["epochs"], step_size=alpha, seed=cell["seed"], x0=x0,
        replicates=cell["replicates"], record=Record(trajectory=True, loss=False, grad_norm=False), threads=1,
    )  # fmt: skip
    assert run.trajectory is not None
    off = run.trajectory - x_star
    bound = [variance.kaczmarz_bound(A, float(((x0 - x_star) ** 2).sum()), k) for k in steps]
    return {
        "distance": (off**2).sum(axis=2).mean(axis=0),
        "residual": ((off @ A.T) ** 2).sum(axis=2).mean(axis=0),
        "exact": np.array([_exact(problem, x0, k) for k in steps]),
        "bound": np.array(bound),
    }


def _exact(problem: Problem, x0: FloatArray, k: int) -> list[float]:
    """Return E |x_k - x_star|^2 and E |A x_k - b|^2 (W1)."""
    assert problem.x_star is not None
    A, e = problem.data.X, x0 - problem.x_star
    hessians = A[:, :, None] * A[:, None]
    alpha, L = problem.constants["kaczmarz_step"], (A**2).sum(axis=1)
    _, square = variance.weighted_moments(alpha, hessians, np.zeros_like(A), L, e, k)
    return [float(np.trace(square)), float(np.trace(A @ square @ A.T))]


def errors_of(cell: Cell) -> dict[str, Any]:
    """Measure the least f after T epochs over step sizes; f_star = 0, and rows differ in length."""
    rng = stream(cell["seed"], Role.DATA)
    n, d = cell["n"], cell["d"]
    X = rng.standard_normal((n, d)) * np.exp(cell["spread"] * rng.standard_normal((n, 1)))
    problem = problems.from_arrays(X, X @ rng.standard_normal(d), m=1, loss="least-squares")
    assert problem.smoothness is not None
    found = []
    for a in cell["alpha_L"]:
        run = simulate(
            problem, weighted(cell["by"]), epochs=cell["T"], step_size=a / float(problem.smoothness.mean()),
            seed=cell["seed"], replicates=4, record=Record(every=cell["T"], grad_norm=False),
        )  # fmt: skip
        assert run.loss is not None
        found.append(float(run.loss[:, -1].mean()))
    return {"error": float(np.nanmin(np.where(np.isfinite(found), found, np.inf)))}


def measured(cell: Cell) -> dict[str, Any]:
    """Measure one cell of this part."""
    return projections(cell) if "condition" in cell else errors_of(cell)


def weights_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for projections at two conditions, and for errors of three ways to draw."""
    sizes = config["weights"]
    cells = grid(
        {"condition": sizes["conditions"], "seed": seeds},
        {key: sizes[key] for key in ("n", "d", "epochs", "replicates")},
    )
    cells += grid(
        {"by": WAYS, "seed": seeds}, {key: sizes[key] for key in ("n", "d", "spread", "T", "alpha_L")}
    )

    def read(values: list[dict[str, Any]]) -> Findings:
        found, count = Findings(), len(seeds)
        found.data["weights k"] = sizes["n"] * np.arange(sizes["epochs"] + 1)
        for k, condition in enumerate(sizes["conditions"]):
            runs = values[k * count : (k + 1) * count]
            found.add(_projected(sizes, condition, runs))
        errors = np.array([cell["error"] for cell in values[-3 * count :]]).reshape(3, count)
        found.data["weights errors"] = errors
        for way, one in zip(WAYS[1:], errors[1:], strict=True):
            ratios = np.log10(np.maximum(one, LEAST) / np.maximum(errors[0], LEAST))
            label = "log10 of the error over that of uniform draws, best steps"
            found.rows.append(below(f"weighted by {way}", label, ratios))
        return found

    return Part(measured, cells, read)


def square_of(condition: float, d: int) -> float:
    """Return the square of the Frobenius norm of the linear system."""
    return float((np.geomspace(1.0, 1.0 / condition, d) ** 2).sum())


def _projected(sizes: Mapping[str, Any], condition: float, runs: Sequence[Mapping[str, Any]]) -> Findings:
    """Judge projections by their exact moments, and the last residual by its published exponent."""
    distance, residual, exact, bound = (
        np.array([run[key] for run in runs]) for key in ("distance", "residual", "exact", "bound")
    )
    label, k = f"condition {condition:g}", sizes["n"] * np.arange(1, sizes["epochs"] + 1)
    found = Findings(data={f"weights residual {condition:g}": residual})
    found.data[f"weights exact residual {condition:g}"] = exact[:, :, 1]
    rows, name = found.rows, "kaczmarz"
    early = distance[:, 1] / exact[:, 1, 0]
    label_early = f"{label}: distance / exact, one epoch"
    rows.append(Row.judged(name, label_early, verdict(early, 1.0, sizes["margin"])))
    if condition == 1.0:
        off = float(np.abs(exact[:, :, 0] / bound - 1.0).max())
        rows.append(Row.claimed(name, f"{label}: exact / bound - 1", off, holds=off <= 1e-12))
    else:
        scaled = (exact[:, 1:, 1] * k**LAST).max(axis=1) / (exact[:, 0, 0] * square_of(condition, sizes["d"]))
        rows.append(Row(name, f"{label}: largest residual k^3/4 / (|A|^2 r0)", float(scaled.mean())))
    return found
