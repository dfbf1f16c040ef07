"""How the parallel herding error grows with workers and with examples, on vectors that do not move."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cdgrab_sim import orderings
from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments import _compared
from cdgrab_sim.experiments._cells import by_ordering, grid, held
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments._exponents import exponent_row
from cdgrab_sim.experiments._measures import herding_error
from cdgrab_sim.experiments._parts import Findings, Part, run_parts
from cdgrab_sim.experiments.herding import on_vectors

ORDERINGS = orderings.select(lambda ordering: ordering.compared and not ordering.replacement)
# The error of a herded order carries log n; random orders and coordinated ones scatter least.
MARGINS = {"m": {"rr": 0.05, "cd-grab": 0.06}, "n": {"rr": 0.05}}
MARGIN = {"m": 0.08, "n": 0.1}

SIZES: dict[str, Any] = {
    "d": 16,
    "rounds": 15,
    "m": {"m": [1, 2, 4, 8, 16, 32], "n": 256},
    "n": {"n": [1024, 4096, 16384, 65536], "m": 4},
    "seeds": 6,
}
QUICK = SIZES | {"n": {"n": [256, 1024, 4096], "m": 4}}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments that choose orderings, and other vectors."""
    _compared.add_argument(parser, ORDERINGS)
    words = "order these vectors instead: an array (m, n, d) or (n, d) of numpy.save"
    parser.add_argument("--vectors", type=Path, metavar="FILE.npy", help=words)


def run(options: Options, *, names: Sequence[str] = ORDERINGS, vectors: Path | None = None) -> Result:
    """Measure the plateau of the herding error against m and against n, and fit its exponents.

    The error is the inf-norm of the prefix sums over all workers, checked once per step, not divided by m,
    as in the figure of arXiv 2302.00845.

    Parameters
    ----------
    options : Options
    names : sequence of str
        Registered orderings.
    vectors : Path, optional
        Vectors of your own; then their errors are compared instead, see `on_vectors`.

    Returns
    -------
    Result
        Rows "herding error exponent in m" and "... in n" of each ordering; data ``m``, ``n`` (K,) and
        ``<variable> <ordering>`` (seeds, K).
    """
    names = _compared.known(names)
    if vectors is not None:
        return on_vectors.run(options, names, vectors)
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed, "orderings": list(names)}
    seeds = subseeds(options.seed, config["seeds"])
    parts = [_part(config, variable, names, seeds) for variable in ("m", "n")]
    return run_parts("herding", config, parts, options)


def _part(config: Mapping[str, Any], variable: str, names: Sequence[str], seeds: Sequence[int]) -> Part:
    x = config[variable][variable]
    shared = held(config[variable], variable) | {"d": config["d"], "rounds": config["rounds"]}
    cells = grid({"ordering": names, "seed": seeds, variable: x}, shared)

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={variable: np.array(x)})
        for name, errors in by_ordering(values, "error", names, len(seeds)).items():
            margin = MARGINS[variable].get(name, MARGIN[variable])
            found.rows.append(exponent_row(name, "herding error", variable, x, errors, margin))
            found.data[f"{variable} {name}"] = errors
        return found

    return Part(herding_error, cells, read)
