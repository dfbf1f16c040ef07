"""Tuned errors on the skewed instance, all sizes at once: in m n T^2 for rr, in m n T for cd-grab."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._records import Record
from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import rate, tune, verdict
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Row
from cdgrab_sim.synchronous._simulate import simulate

LAST = 5  # epochs whose mean is the error
# ordering -> what the error is a power of, the exponent, the margin
RATES = {"rr": ("m n T^2", -1.0, 0.15), "cd-grab": ("m n T", -2.0, 0.25)}


def effective_size(ordering: str, m: int, n: int, T: int) -> float:
    """Return m n T^2 or m n T, the quantity that the ordering's rate is a power of."""
    return float(m * n * T * (T if ordering == "rr" else 1))


def tuned(cell: dict[str, Any]) -> dict[str, FloatArray]:
    """Measure one cell: the error with the tuned step over (alpha mu n T)^2, which takes the log out."""
    m, n, T = cell["size"]
    chosen = [
        problems.skewed(m=m, n=n, d=cell["d"], kappa=cell["kappa"], seed=seed) for seed in cell["seeds"]
    ]

    def errors(alpha: float) -> FloatArray:
        return np.array(
            [_error(p, cell["ordering"], T, alpha, s) for p, s in zip(chosen, cell["seeds"], strict=True)]
        )

    L, mu = chosen[0].constants["L"], chosen[0].constants["mu"]
    best = tune(lambda alpha: float(errors(alpha).mean()), 2.0**-10 / L, 2.0**2 / L)
    return {"errors": errors(best.step_size) / (best.step_size * mu * n * T) ** 2}


def _error(problem: Any, ordering: str, T: int, alpha: float, seed: int) -> float:
    x0, record = np.ones(problem.d), Record(grad_norm=False)
    run = simulate(problem, ordering, epochs=T, step_size=alpha, x0=x0, seed=seed, record=record, threads=1)
    assert run.loss is not None
    return float(run.loss[0, -LAST:].mean() - problem.f_star)


def rates(config: dict[str, Any], options: Options) -> tuple[list[Row], dict[str, FloatArray]]:
    """Fit the rescaled tuned errors against m n T^2 and m n T."""
    seeds = subseeds(options.seed, config["seeds"])
    shared = {key: config[key] for key in ("kappa", "d")} | {"seeds": seeds}
    found = run_cells(tuned, grid({"ordering": list(RATES), "size": config["sizes"]}, shared), options)
    table = np.array([cell["errors"] for cell in found]).reshape(len(RATES), len(config["sizes"]), -1)
    rows, data = [], dict[str, FloatArray]()
    for errors, (name, (product, exponent, margin)) in zip(table, RATES.items(), strict=True):
        x = [effective_size(name, *size) for size in config["sizes"]]
        judged = verdict(rate(x, errors.T).slopes, exponent, margin)
        rows.append(Row.judged(name, f"tuned error exponent in {product}", judged))
        data |= {f"size {name}": np.array(x), f"tuned {name}": errors.T}
    return rows, data
