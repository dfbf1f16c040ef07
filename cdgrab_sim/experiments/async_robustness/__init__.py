"""How wide the range of step sizes is that serve each asynchronous method well."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import t_interval
from cdgrab_sim.asynchronous import METHODS
from cdgrab_sim.experiments._async_cells import TIMES, measured
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row

SIZES: dict[str, Any] = {
    "family": "least-squares",
    "m": 16,
    "n": 256,
    "d": 8,
    "until": 400.0,  # mean job times
    "alpha_L": [2.0**k for k in range(-13, 4)],
    "times": list(TIMES),
    "methods": [
        "vanilla", "delay-adaptive", "drop-by-age", "ringmaster", "picky", "rennala", "buffered",
        "gradient-table", "dc-asgd", "gap-aware", "dana-zero", "adaptive-braking", "storm", "clipped",
        "ordered-momentum-anytime", "ordered-momentum-heavy-ball", "ordered-momentum-mu-squared",
    ],
    "seeds": 16,
}  # fmt: skip
QUICK = SIZES | {
    "until": 100.0,
    "alpha_L": [2.0**k for k in range(-10, 4)],
    "times": ["exponential", "dependent"],
    "methods": ["vanilla", "drop-by-age", "ordered-momentum-anytime", "ordered-momentum-heavy-ball"],
    "seeds": 3,
}
_FACTOR = 2.0  # of the best error


def width(steps: FloatArray, errors: FloatArray, factor: float = _FACTOR) -> float:
    """Return how many octaves of step sizes have an error within a factor of the best.

    The error is a power law between the steps that were tried. Where it is no number the range ends at the
    last step before; where it is within the factor at an end of the grid, the range ends there.

    Examples
    --------
    >>> steps = 2.0 ** np.arange(5)
    >>> width(steps, np.array([16.0, 4.0, 1.0, 4.0, np.inf]))
    1.0
    """
    x = np.log2(steps)
    y = np.where(np.isfinite(errors), np.log2(np.where(np.isfinite(errors), errors, 1.0)), np.inf)
    best = int(np.argmin(y))
    level = y[best] + np.log2(factor)

    def end(way: int) -> float:
        k = best
        while 0 <= k + way < len(x) and y[k + way] <= level:
            k += way
        if not 0 <= k + way < len(x) or not np.isfinite(y[k + way]):
            return float(x[k])
        share = (level - y[k]) / (y[k + way] - y[k])
        return float(x[k] + share * (x[k + way] - x[k]))

    return end(1) - end(-1)


def widths(steps: FloatArray, errors: FloatArray) -> FloatArray:
    """Return the width of the mean curve of errors (steps, seeds), as one jackknife value for each seed.

    Means are geometric. The width of a single seed would be that of its noise: the best of its errors is low
    by chance.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(errors)
    seeds = logs.shape[1]
    whole = width(steps, np.exp(logs.mean(axis=1)))
    without = [width(steps, np.exp(np.delete(logs, i, axis=1).mean(axis=1))) for i in range(seeds)]
    return np.asarray(seeds * whole - (seeds - 1) * np.array(without))


def add_arguments(parser: Any) -> None:
    """Add what this experiment can be told."""
    parser.add_argument("--methods", nargs="+", metavar="METHOD", help="instead of the usual ones")


def run(options: Options, *, methods: list[str] | None = None) -> Result:
    """Measure the error against the step size, for every method and model of job times.

    The error is f - f* of the average of the late iterates, after equal simulated time. The width of a method
    is the range of step sizes, in octaves, whose mean error is within a factor 2 of its best; intervals are
    those of the jackknife over seeds. One of the claims about ordered momentum (arXiv 2605.02043) is that its
    learning rates are robust.

    Parameters
    ----------
    options : Options
    methods : list of str, optional
        Names in ``cg.asynchronous.METHODS``.

    Returns
    -------
    Result
        Rows "octaves within 2 of the best" of each method and model, and "octaves more than vanilla" of
        ordered momentum. Data ``alpha_L`` (K,) and ``<model>: <method>`` (seeds, K), the errors.
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    if methods is not None:
        chosen = [_checks.choice("method", name, METHODS) for name in methods]
        config = config | {"methods": list(dict.fromkeys(["vanilla", *chosen]))}
    seeds = subseeds(options.seed, config["seeds"])
    axes = {key: config[key] for key in ("times", "methods", "alpha_L")} | {"seed": seeds}
    cells = grid(
        {"method" if key == "methods" else key: axis for key, axis in axes.items()},
        {key: config[key] for key in ("family", "m", "n", "d", "until")},
    )
    values = [cell["excess"] for cell in run_cells(measured, cells, options)]
    table = np.reshape(values, [len(axis) for axis in axes.values()])
    steps = np.array(config["alpha_L"])
    data: dict[str, Any] = {"alpha_L": steps}
    rows: list[Row] = []
    for model, by_method in zip(config["times"], table, strict=True):
        found = {}
        for name, errors in zip(config["methods"], by_method, strict=True):
            data[f"{model}: {name}"] = errors.T
            found[name] = widths(steps, errors)
            rows.append(_row(f"{name}, {model}", "octaves within 2 of the best", found[name]))
        for name in (name for name in found if name.startswith("ordered")):
            more = found[name] - found["vanilla"]
            rows.append(_row(f"{name}, {model}", "octaves more than vanilla", more))
    ordered = [name for name in config["methods"] if name.startswith("ordered")]
    notes = [f"{name}: {METHODS[name](2).provenance}" for name in ordered]
    return Result("async robustness", config, rows, data, notes)


def _row(name: str, quantity: str, values: FloatArray) -> Row:
    return Row(name, quantity, float(values.mean()), *t_interval(values))
