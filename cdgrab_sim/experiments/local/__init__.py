"""Does order survive when workers communicate once in a while, or stay away? Floors and tuned errors."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cdgrab_sim import _checks
from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments._parts import Part, run_parts
from cdgrab_sim.experiments.local.cohorts import cohorts_part
from cdgrab_sim.experiments.local.floors import floors_part, heterogeneous_part
from cdgrab_sim.experiments.local.tuned import tuned_part

SIZES: dict[str, Any] = {
    "seeds": 6,
    "problem": {"family": "skewed", "kappa": 20.0, "d": 3},
    "orderings": ["rr", "d-grab-pair", "cd-grab", "cd-grab-local"],
    "n": 64,
    "floors": {
        "m": [1, 2, 4, 8, 16],
        "H": [1, 4, 16, 64],
        "alpha_n_L": 0.05,
        "epochs": 6_000,
        "standing": 60,  # epochs without steps, whose later half gives the prefixes that predict
        "replicates": {"others": 1},
    },
    "heterogeneous": {"m": [2, 4, 8, 16], "H": 64, "heterogeneity": 1.0},
    "tuned": {
        "problem": {"family": "skewed", "kappa": 5.0, "d": 3},
        "n": 32,
        "m": [1, 4, 16],
        "H": [1, 8, 32],
        "T": 400,
        "steps": [2.0, 64.0],  # the grid of alpha mu n T
        "standing": 60,
        "replicates": {"rr": 2, "others": 1},
    },
    "cohorts": {
        "problem": {"family": "quadratic", "d": 2, "eigenvalues": [1.0, 2.0], "heterogeneity": 1.0},
        "m": 16,
        "n": 16,
        "C": [1, 2, 4, 8],
        "clients": ["uniform", "rr", "cd-grab"],
        "alpha_n_L": 0.2,
        "epochs": 8_000,
        "margin": 0.15,  # of floors over predicted ones
        "replicates": {"others": 1},
    },
}
QUICK: dict[str, Any] = SIZES | {
    "seeds": 3,
    "floors": SIZES["floors"] | {"m": [1, 16], "epochs": 1_200, "standing": 40},
    "heterogeneous": SIZES["heterogeneous"] | {"m": [2, 8]},
    "tuned": SIZES["tuned"] | {"m": [1, 8], "H": [1, 32], "T": 200},
    "cohorts": SIZES["cohorts"] | {"C": [2, 8], "epochs": 1_000, "margin": 0.6},
}


PARTS: dict[str, Callable[[Mapping[str, Any], Sequence[int]], Part]] = {
    "floors": floors_part,
    "heterogeneous": heterogeneous_part,
    "tuned": tuned_part,
    "cohorts": cohorts_part,
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add what this experiment can be told."""
    words = f"of {', '.join(PARTS)}; all by default"
    parser.add_argument("parts", nargs="*", metavar="PART", help=words)


def run(options: Options, *, parts: Sequence[str] = ()) -> Result:
    """Measure what orders gain with H local steps between averages, or some workers absent (L3, L4, L7).

    * Floors of the server's loss at a fixed step, against m, for every H. Predicted are exponents and levels:
      for rr in closed form, for balanced orders from the prefixes that they have on gradients that stand
      still. A worker's own prefixes within a round are a drift that no number of workers averages away.
    * The same with workers that differ, H = n: more workers then raise the floor.
    * Tuned errors after T epochs, against m and against the n T / H rounds of communication.
    * Floors where C of 16 workers take part in a round: uniform cohorts, regularised ones, and cohorts from
      a balanced order of the workers.

    Parameters
    ----------
    options : Options
    parts : sequence of {"floors", "heterogeneous", "tuned", "cohorts"}
        All by default.

    Returns
    -------
    Result
        Data ``m`` (K,), ``H`` (J,); ``floor <ordering>``, ``predicted <ordering>`` and the mean squares
        ``parallel <ordering>``, ``drift <ordering>`` (J, seeds, K); with workers that differ
        ``heterogeneous m``, ``heterogeneous <ordering>`` (seeds, K); ``tuned m``, ``rounds`` (J,) and
        ``tuned <ordering>`` (J, seeds, K); ``cohort`` (K,) and ``cohort <clients>`` (seeds, K); and what is
        predicted of each.
    """
    asked = {_checks.choice("part", part, list(PARTS)) for part in parts} or set(PARTS)
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    config["parts"] = [part for part in PARTS if part in asked]
    seeds = subseeds(options.seed, config["seeds"])
    return run_parts("local", config, [PARTS[part](config, seeds) for part in config["parts"]], options)
