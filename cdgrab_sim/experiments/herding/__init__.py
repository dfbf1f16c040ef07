"""How the parallel herding error grows with workers and with examples, on vectors that do not move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cdgrab_sim import herding
from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments._exponents import exponent_row
from cdgrab_sim.experiments._unit_vectors import unit_vectors
from cdgrab_sim.problems._linear_terms import example_sums

ORDERINGS = ("rr", "d-grab", "d-grab-pair", "cd-grab")
# The error of a herded order carries log n; random orders and coordinated ones scatter least.
MARGINS = {"m": {"rr": 0.05, "cd-grab": 0.06}, "n": {"rr": 0.05}}
MARGIN = {"m": 0.08, "n": 0.1}
LAST = 5  # rounds that count, once the transient of about log2(H_0 / A) rounds is over

SIZES: dict[str, Any] = {
    "d": 16,
    "rounds": 15,
    "m": {"m": [1, 2, 4, 8, 16, 32], "n": 256},
    "n": {"n": [1024, 4096, 16384, 65536], "m": 4},
    "seeds": 6,
}
QUICK = SIZES | {"n": {"n": [256, 1024, 4096], "m": 4}}


def sphere(m: int, n: int, d: int, seed: int) -> FloatArray:
    """Draw vectors (m, n, d) uniform on the unit sphere, and centre each worker's over its examples."""
    z = unit_vectors(m, n, d, seed)
    z -= (example_sums(z) / n)[:, None]
    return z


def plateau(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: the mean error of the last rounds; of all orders where they are drawn afresh."""
    z = sphere(cell["m"], cell["n"], cell["d"], cell["seed"])
    errors = herding.curve(z, cell["ordering"], cell["rounds"], seed=cell["seed"])
    last = errors[1:] if cell["ordering"] == "rr" else errors[-LAST:]
    return {"error": float(last.mean())}


def run(options: Options, *, names: Sequence[str] = ORDERINGS) -> Result:
    """Measure the plateau of the herding error against m and against n, and fit its exponents.

    The error is the inf-norm of the prefix sums over all workers, checked once per step, not divided by m,
    as in the figure of arXiv 2302.00845.

    Parameters
    ----------
    options : Options
    names : sequence of str
        Registered orderings.

    Returns
    -------
    Result
        Rows "herding error exponent in m" and "... in n" of each ordering; data ``m``, ``n`` (K,) and
        ``<variable> <ordering>`` (seeds, K).
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed, "orderings": list(names)}
    seeds = subseeds(options.seed, config["seeds"])
    rows, data = [], {}
    cells = [cell for v in ("m", "n") for cell in _cells(config, v, names, seeds)]
    errors = iter(run_cells(plateau, cells, options))
    for variable in ("m", "n"):
        x = config[variable][variable]
        data[variable] = np.array(x)
        for name in names:
            values = np.array([[next(errors)["error"] for _ in x] for _ in seeds])
            margin = MARGINS[variable].get(name, MARGIN[variable])
            rows.append(exponent_row(name, "herding error", variable, x, values, margin))
            data[f"{variable} {name}"] = values
    return Result("herding", config, rows, data)


def _cells(
    config: dict[str, Any], variable: str, names: Sequence[str], seeds: Sequence[int]
) -> list[dict[str, Any]]:
    sizes = config[variable]
    axes = {"ordering": names, "seed": seeds, variable: sizes[variable]}
    held = {letter: size for letter, size in sizes.items() if letter != variable}
    return grid(axes, held | {"d": config["d"], "rounds": config["rounds"]})
