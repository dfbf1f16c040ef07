"""How many sequential steps CD-GraB on m workers saves over GraB on one, for the same examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import t_interval
from cdgrab_sim.experiments._cells import by_ordering, grid
from cdgrab_sim.experiments._experiment import CENSORED, Options, Result, Row
from cdgrab_sim.experiments._exponents import bend_notes, exponent_row, raw_exponent_row
from cdgrab_sim.experiments._measures import time_to_accuracy
from cdgrab_sim.experiments._parts import Cell, Findings, Part, run_parts
from cdgrab_sim.experiments.centralized.errors import errors_part

SIZES: dict[str, Any] = {
    "seeds": 6,
    "problem": {"family": "skewed", "kappa": 10.0, "d": 3},
    "N": 512,
    "m": [1, 2, 4, 8, 16],
    "distributed": ["rr", "cd-grab"],
    "steps": {
        "T": 400,
        "accuracy": {"rr": 1e-6, "others": 1e-8},
        "rates": [0.01, 1.28],  # the grid of alpha mu n
        "replicates": {"rr": 4, "others": 2},
    },
    "errors": {"T": 200, "steps": [2.0, 64.0], "replicates": {"rr": 8, "others": 4}},
}
QUICK: dict[str, Any] = SIZES | {
    "N": 256,
    "m": [1, 4, 16],
    "steps": SIZES["steps"]
    | {"T": 200, "accuracy": {"rr": 1e-5, "others": 2e-7}, "replicates": {"others": 1}},
    "errors": SIZES["errors"] | {"T": 100, "replicates": {"rr": 4, "others": 2}},
}
CENTRAL = "grab"
MARGIN = 0.2
STEPS = "steps to accuracy (fixed N)"


def run(options: Options, *, names: Sequence[str] | None = None) -> Result:
    """Deal the same N = m n examples to m workers, and count the sequential steps K = n T to an accuracy.

    The step size is tuned in every cell. With it the count carries a logarithm; the slope with a verdict is
    that of K / log K. The error after a fixed number of epochs shows the other side: at fixed N it depends
    on N and on the mean-square prefix of the orders only. More workers make no ordering much better, they
    make its epochs shorter.

    Parameters
    ----------
    options : Options
    names : sequence of str, optional
        Orderings to compare with the centralized one; rr and cd-grab by default.

    Returns
    -------
    Result
        Data ``m`` (K,), ``steps <ordering>`` (seeds, K) with one column for `grab`, and ``error <ordering>``,
        ``step <ordering>``, ``prefix <ordering>`` (seeds, K): tuned error, its alpha mu n T, mean |S_k|^2.
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    config |= {} if names is None else {"distributed": list(names)}
    seeds = subseeds(options.seed, config["seeds"])
    errors = errors_part(config, _cells(config, seeds, dict(config["errors"])), len(seeds))
    return run_parts("centralized", config, [_steps(config, seeds), errors], options)


def _cells(config: Mapping[str, Any], seeds: Sequence[int], shared: Cell) -> list[Cell]:
    axes = {"ordering": config["distributed"], "seed": seeds, "m": config["m"]}
    held = {"problem": config["problem"], "x0": 1.0, "dealt": True} | shared
    return [cell | {"n": config["N"] // cell["m"]} for cell in grid(axes, held)]


def _steps(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    cells = _cells(config, seeds, dict(config["steps"]))
    central = [cell | {"ordering": CENTRAL} for cell in cells[: len(seeds) * len(config["m"])]]
    central = [cell for cell in central if cell["m"] == 1]
    m = np.array(config["m"])

    def read(values: list[dict[str, Any]]) -> Findings:
        names = config["distributed"]
        epochs = by_ordering(values[: len(cells)], "epochs", names, len(seeds))
        base = config["N"] * by_ordering(values[len(cells) :], "epochs", [CENTRAL], len(seeds))[CENTRAL]
        found = Findings(data={"m": m, f"steps {CENTRAL}": base})
        for name in names:
            steps = epochs[name] * config["N"] / m
            found.data[f"steps {name}"] = steps
            found.rows += [
                exponent_row(name, STEPS, "m", m, _without_log(steps), MARGIN, "steps K / log K"),
                raw_exponent_row(name, "steps K", "m", m, steps),
            ]
            found.notes += bend_notes("steps K", "m", m, {name: steps})
        if "cd-grab" in names:
            found.rows += [_speedup(k, found.data["steps cd-grab"], base, m) for k in (0, len(m) - 1)]
        return found

    return Part(time_to_accuracy, [*cells, *central], read)


def _without_log(steps: FloatArray) -> FloatArray:
    """Return K / log K, infinite where the horizon came first."""
    known = np.isfinite(steps)
    found: FloatArray = np.divide(steps, np.log(steps), out=np.full(steps.shape, np.inf), where=known)
    return found


def _speedup(k: int, steps: FloatArray, base: FloatArray, m: FloatArray) -> Row:
    """Tell how many times fewer steps than the centralized ordering; constants are not predicted."""
    quantity = f"speedup over {CENTRAL} at m = {m[k]}"
    if not np.isfinite([base[:, 0], steps[:, k]]).all():
        return Row("cd-grab", quantity, None, verdict=CENSORED)
    logs = np.log(base[:, 0] / steps[:, k])
    low, high = (float(np.exp(end)) for end in t_interval(logs))
    return Row("cd-grab", quantity, float(np.exp(logs.mean())), low, high)
