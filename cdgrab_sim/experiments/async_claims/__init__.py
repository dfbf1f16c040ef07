"""What is claimed of ordered momentum, put to the test on reconstructions of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import rate, t_interval, verdict
from cdgrab_sim.asynchronous import METHODS
from cdgrab_sim.experiments._async_cells import measured
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row

# Per problem, what is measured.
_CONVEX = {"family": "least-squares", "n": 256, "d": 8, "error": "excess"}
_NONCONVEX = {"family": "robust", "n": 256, "d": 8, "error": "square"}
SIZES: dict[str, Any] = {
    "problems": {"convex": _CONVEX, "non-convex": _NONCONVEX},
    "methods": [
        "ordered-momentum-anytime", "ordered-momentum-heavy-ball", "ordered-momentum-mu-squared", "vanilla",
        "drop-by-age",
    ],
    "m": [1, 4, 16, 64],
    "biased at": 16,
    "until": 400.0,  # mean job times
    "updates": 6400,
    "alpha_L": [2.0**k for k in range(-11, 3)],
    "seeds": 8,
}  # fmt: skip
QUICK = SIZES | {
    "problems": {"convex": _CONVEX},
    "m": [1, 16],
    "until": 200.0,
    "updates": 1600,
    "alpha_L": [2.0**k for k in range(-8, 3, 2)],
    "seeds": 4,
}
# The settings of a claim: model of job times, and what is equal for all m.
_SETTINGS = {
    "dependent times": ("dependent", "until"),
    "the same times, shuffled": ("dependent, shuffled", "until"),
    "equal updates": ("dependent", "updates"),
}


def tuned(config: dict[str, Any], options: Options) -> dict[tuple[str, str, str], FloatArray]:
    """Return the errors with the best step of the grid, (seeds, m), by problem, setting and method."""
    seeds = subseeds(options.seed, config["seeds"])
    cells, keys = [], []
    for kind, problem in config["problems"].items():
        for setting, (times, equal) in _SETTINGS.items():
            for method in config["methods"]:
                axes = {"m": config["m"], "alpha_L": config["alpha_L"], "seed": seeds}
                shared = {"method": method, "times": times, equal: config[equal]}
                shared |= {key: problem[key] for key in ("family", "n", "d")}
                cells += grid(axes, shared)
                keys.append((kind, setting, method))
    shape = len(keys), len(config["m"]), len(config["alpha_L"]), len(seeds)
    found = run_cells(measured, cells, options)
    per_key = len(cells) // len(keys)
    errors = [
        [cell[config["problems"][kind]["error"]] for cell in found[i * per_key : (i + 1) * per_key]]
        for i, (kind, *_) in enumerate(keys)
    ]
    return {
        key: np.array([of_m[int(np.argmin(_log_means(of_m)))] for of_m in table]).T
        for key, table in zip(keys, np.reshape(errors, shape), strict=True)
    }


def _log_means(errors: FloatArray) -> FloatArray:
    """Return the mean logarithm over seeds for each step; infinite where a run did not end."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(errors).mean(axis=1))


def run(options: Options) -> Result:
    """Test the claims of the abstract of arXiv 2605.02043, whose method is known here by its abstract only.

    Every error is tuned over the step size. The convex problem is least squares, the error f - f* of the late
    average; the non-convex one is robust regression, the error the mean square gradient late in the run. A
    fifth of the examples, which pull the minimiser in one direction, take fifteen times as long.

    * Keeps the information in late gradients: with these times the error is that of the same times, permuted
      across examples (which depend on nothing).
    * Benefits from parallelisation: at equal simulated time the error falls with m, at least like m^(-1/2),
      the rate in print, and at most like m^-1, which averages have where the loss is smooth and curved:
      anything between, with .1 to either side for chance.
    * The leading term does not depend on m: at an equal number of updates the error does not grow with m.

    A verdict is one on the reconstruction that a row names. `vanilla` keeps every gradient without momentum,
    `drop-by-age` discards late ones: what a method of either kind does is seen beside.

    Returns
    -------
    Result
        Data ``m`` (K,) and ``<problem>, <setting>: <method>`` (seeds, K).
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    found, m = tuned(config, options), np.array(config["m"], dtype=float)
    rows = []
    at = config["m"].index(config["biased at"])
    for kind in config["problems"]:
        for name in config["methods"]:
            biased, unbiased, equal = (found[kind, setting, name] for setting in _SETTINGS)
            rows += _claims(f"{name}, {kind}", m, biased, unbiased[:, at] / biased[:, at], equal)
    data: dict[str, Any] = {"m": m}
    data |= {f"{kind}, {setting}: {name}": errors for (kind, setting, name), errors in found.items()}
    ordered = [name for name in config["methods"] if name.startswith("ordered")]
    notes = [f"{name}: {METHODS[name](2).provenance}" for name in ordered]
    return Result("async claims", config, rows, data, notes)


def _claims(name: str, m: FloatArray, biased: FloatArray, kept: FloatArray, equal: FloatArray) -> list[Row]:
    """Return a row for each claim; methods that are no reconstruction are measured without a verdict."""
    parallel, steady = rate(m, biased).slopes, rate(m, equal).slopes
    quantities = {
        "error with shuffled times / with dependent ones": (kept, 1.0, 0.5),
        "error at equal time, exponent in m": (parallel, -0.75, 0.35),
        "error at equal updates, exponent in m": (steady, 0.0, 0.2),
    }
    rows = []
    for quantity, (values, predicted, margin) in quantities.items():
        positive = quantity.startswith("error with")
        if name.startswith("ordered"):
            rows.append(Row.judged(name, quantity, verdict(values, predicted, margin, positive=positive)))
        else:
            interval = t_interval(values, positive=positive)
            rows.append(Row(name, quantity, float(values.mean()), *interval))
    return rows
