"""The published memory of balancing in model-sized arrays: 3 with a stale mean, 1 with pairs."""

from __future__ import annotations

import gc
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np

from cdgrab_sim import orderings, problems
from cdgrab_sim._rng import Role, stream
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._readings import Reading, same

SIZES: dict[str, Any] = {"d": 100_000, "n": 4, "m": [1, 4]}
BALANCE, PAIR_BALANCE = 3.0, 1.0  # arXiv 2302.00845, p. 9 and appendix; model-sized arrays of a sorter
SORTER, MODEL = 4.36, 4.13  # MiB, Figure 8: the sorter of CD-GraB, and the optimiser, which holds one array
MARGIN = 0.01


def arrays_held(ordering: str, m: int, n: int, d: int) -> float:
    """Return what the state of an ordering holds in memory, in arrays of d floats, as tracemalloc sees it."""
    problem = problems.quadratic(m=m, n=n, d=d, eigenvalues=[1.0] * d)
    kind, rng = orderings.make(ordering), stream(0, Role.ORDER)
    kind.init(problem, rng)  # what is made once stays out of the measurement
    gc.collect()
    tracemalloc.start()
    state = kind.init(problem, rng)
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del state
    return held / (8.0 * d)


def run(options: Options) -> Result:
    """Measure the states of balancing orderings.

    Returns
    -------
    Result
        Rows in model-sized arrays; data ``m`` (K,), and ``held <ordering>`` (K,) beside it.
    """
    config = SIZES | {"seed": options.seed, "orderings": ["rr", "d-grab", "d-grab-pair", "cd-grab"]}
    sizes = {"n": config["n"], "d": config["d"]}
    held = {
        name: np.array([arrays_held(name, m, **sizes) for m in config["m"]]) for name in config["orderings"]
    }
    most = config["m"][-1]
    what = "model-sized arrays held"
    rows = [
        same("rr", f"{what}, m = {most}", held["rr"][-1], Reading(0.0, MARGIN)),
        same("d-grab", f"{what} by a worker (Balance)", held["d-grab"][-1] / most, Reading(BALANCE, MARGIN)),
        same(
            "d-grab-pair",
            f"{what} by a worker (PairBalance), less the gradient that waits for its partner",
            held["d-grab-pair"][-1] / most - 1.0,
            Reading(PAIR_BALANCE, MARGIN),
        ),
        same(
            "cd-grab",
            f"{what} by the server, m = {most} (in all, less a waiting gradient for each worker)",
            held["cd-grab"][-1] - most,
            Reading(PAIR_BALANCE, MARGIN),
        ),
        _beside(held["cd-grab"][-1] - most),
    ]
    data = {"m": np.array(config["m"])} | {f"held {name}": values for name, values in held.items()}
    return Result("reproduce memory", config, rows, data, NOTES)


def _beside(measured: float) -> Row:
    reading = Reading(round(SORTER / MODEL, 3), 0.01)
    row = same("cd-grab", "sorter / model, Figure 8 of the LSTM", measured, reading)
    return replace(row, verdict="other data")


NOTES = (
    "published: Balance holds the sum, the stale mean and the mean in the making, PairBalance the sum alone",
    "(arXiv 2302.00845); gradients of a pair there come together, here the first waits for the second, which",
    "costs one array more. Measured with tracemalloc on the states that `simulate` uses",
)
