"""What tables of gradients, anchors, weights and batches do to noise, and what orders add to them."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cdgrab_sim import _checks
from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments._parts import Part, run_parts
from cdgrab_sim.experiments.variance.adam import adam_part
from cdgrab_sim.experiments.variance.balanced import balanced_part
from cdgrab_sim.experiments.variance.batches import batches_part
from cdgrab_sim.experiments.variance.tables import tables_part
from cdgrab_sim.experiments.variance.weights import weights_part

SIZES: dict[str, Any] = {
    "seeds": 8,
    "tables": {
        "curvatures": [0.2, 0.4, 0.6, 0.8, 1.0],  # of five examples: L = 1
        "kinds": ["sag", "saga"],
        "orderings": ["sgd", "rr", "ig"],
        "alpha_L": [1 / 16, 1 / 3],
        "epochs": [[4, 12], [2, 6]],  # mean squares of draws are heavy-tailed, later on and at long steps
        "replicates": 1000,
        "margins": [0.004, 0.03],
        "curve": [0.02, 1.0, 25],
    },
    "balanced": {
        "m": 4,
        "n": 32,
        "d": 4,
        "updates": ["sag", "saga", "svrg", "sarah"],
        "orderings": ["rr", "cd-grab"],
        "alpha_L": [0.1, 0.2, 0.4, 0.8, 1.6],
        "small": 0.1,
        "T": 150,
        "margin": 0.1,
    },
    "weights": {
        "n": 16,
        "d": 8,
        "conditions": [1.0, 100.0],
        "replicates": 600,
        "epochs": 32,
        "margin": 0.05,
        "rows": 64,
        "spread": 1.0,
        "T": 20,
        "alpha_L": [0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2],
    },
    "batches": {
        "n": 64,
        "d": 16,
        "alpha": [0.5, 1.0],
        "epochs": 3000,
        "replicates": 2,
        "margin": 0.01,
        "orderings": ["sgd", "rr", "cd-grab"],
        "small": {"alpha_n": 0.4, "factors": [1, 2, 4], "relaxations": 300, "replicates": 2},
        "exponents": 0.2,
    },
    "adam": {
        "problems": [
            {"family": "quadratic", "d": 4},
            {"family": "logistic", "d": 4, "ridge": 0.1},
            {"family": "least-squares", "d": 4},
        ],
        "m": [4, 16],
        "n": 64,
        "T": 300,
        "orderings": ["rr", "d-grab-pair", "cd-grab"],
        "steps": {
            "sgd": [0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16],
            "adam": [0.00005, 0.0001, 0.0002, 0.0004, 0.0008, 0.0016, 0.0032],
        },
        "alpha_n": 0.05,
        "relaxations": 60,
        "margin": 0.1,
    },
}
QUICK: dict[str, Any] = SIZES | {
    "seeds": 4,
    "tables": SIZES["tables"]
    | {"kinds": ["sag"], "replicates": 100, "margins": [0.02, 0.1], "curve": [0.02, 1.0, 7]},
    "balanced": SIZES["balanced"] | {"updates": ["saga"], "alpha_L": [0.1, 0.8], "T": 60, "margin": 0.5},
    "weights": SIZES["weights"] | {"replicates": 60, "epochs": 8, "margin": 0.5, "alpha_L": [0.1, 0.4, 1.6]},
    "batches": SIZES["batches"]
    | {
        "epochs": 300,
        "margin": 0.1,
        "small": {"alpha_n": 0.4, "factors": [1, 4], "relaxations": 40, "replicates": 1},
        "exponents": 1.0,
    },
    "adam": SIZES["adam"]
    | {
        "problems": SIZES["adam"]["problems"][:1],
        "m": [4],
        "T": 150,
        "steps": {"sgd": [0.01, 0.02, 0.04], "adam": [0.0001, 0.0002, 0.0004]},
        "margin": 0.5,
    },
}

PARTS: dict[str, Callable[[Mapping[str, Any], Sequence[int]], Part]] = {
    "tables": tables_part,
    "balanced": balanced_part,
    "weights": weights_part,
    "batches": batches_part,
    "adam": adam_part,
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add what this experiment can be told."""
    words = f"of {', '.join(PARTS)}; all by default"
    parser.add_argument("parts", nargs="*", metavar="PART", help=words)


def run(options: Options, *, parts: Sequence[str] = ()) -> Result:
    """Measure how noise is reduced by other means than orders, and what orders add (M2, W).

    * Tables: mean-square rates of SAG and SAGA beside the exact ones of their maps, for draws, reshuffling
      and cycles: reshuffling is slower at 1/(16 L), and faster at 1/(3 L).
    * Balanced: how fast SAG, SAGA, SVRG and SARAH converge in balanced orders, over how fast in shuffled
      ones.
    * Weights: random projections beside their bound, the last residual, and errors of weighted draws.
    * Batches: twice the batch against half the step; exponents in the step, the batch, and the workers.
    * Adam: whether balanced orders gain over shuffled ones under Adam and AdamW, and Adam's floor.

    Parameters
    ----------
    options : Options
    parts : sequence of {"tables", "balanced", "weights", "batches", "adam"}
        All by default.

    Returns
    -------
    Result
    """
    asked = {_checks.choice("part", part, list(PARTS)) for part in parts} or set(PARTS)
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    config["parts"] = [part for part in PARTS if part in asked]
    seeds = subseeds(options.seed, config["seeds"])
    return run_parts("variance", config, [PARTS[part](config, seeds) for part in config["parts"]], options)
