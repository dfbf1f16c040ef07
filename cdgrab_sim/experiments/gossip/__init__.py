"""Does order survive when workers talk to their neighbours only? Disagreement, floors, messages."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cdgrab_sim import _checks
from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments._parts import Part, run_parts
from cdgrab_sim.experiments.gossip.disagreement import disagreement_part
from cdgrab_sim.experiments.gossip.floors import graphs_part, workers_part
from cdgrab_sim.experiments.gossip.messages import messages_part

SIZES: dict[str, Any] = {
    "seeds": 6,
    "margin": 0.2,  # of floors over predicted ones
    "m": 16,
    "n": 64,
    "graphs": ["ring", "torus", "exponential", "complete"],  # from the smallest gap to the largest
    "orderings": ["rr", "d-grab-pair", "cd-grab", "cd-grab-gossip"],
    "disagreement": {
        "problem": {"family": "quadratic", "d": 2, "eigenvalues": [1.0, 2.0], "heterogeneity": 0.5},
        "alpha_L": [0.01, 0.02, 0.04],
        "epochs": 2_000,
    },
    "floors": {
        "problem": {"family": "skewed", "kappa": 5.0, "d": 3},
        "alpha_n_L": 0.05,
        "epochs": 3_000,
        "standing": 40,  # epochs without steps, whose later half gives the points that predict
        "replicates": {"others": 1},
    },
    "workers": {"graph": "ring", "m": [4, 8, 16, 32], "epochs": 3_000},
    "messages": {
        "problem": {"family": "skewed", "kappa": 5.0, "d": 3},
        "T": 400,
        "accuracy": {"others": 1e-6},
        "rates": [0.005, 10.24],  # the grid of alpha mu n
        "replicates": {"others": 1},
    },
}
QUICK: dict[str, Any] = SIZES | {
    "seeds": 4,
    "margin": 0.5,
    "m": 8,
    "n": 32,
    "graphs": ["ring", "exponential", "complete"],
    "disagreement": SIZES["disagreement"] | {"epochs": 1_000},
    "floors": SIZES["floors"] | {"epochs": 2_000},
    "workers": SIZES["workers"] | {"m": [4, 16], "epochs": 1_000},
    "messages": SIZES["messages"] | {"T": 80, "accuracy": {"others": 1e-4}},
}

PARTS: dict[str, Callable[[Mapping[str, Any], Sequence[int]], Part]] = {
    "disagreement": disagreement_part,
    "floors": graphs_part,
    "workers": workers_part,
    "messages": messages_part,
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add what this experiment can be told."""
    words = f"of {', '.join(PARTS)}; all by default"
    parser.add_argument("parts", nargs="*", metavar="PART", help=words)


def run(options: Options, *, parts: Sequence[str] = ()) -> Result:
    """Measure what a graph in place of the server does to workers and orders, beside theory (N1, N3).

    * How far workers are apart on `quadratic` under random reshuffling: exponent in alpha, and level.
    * Floors of the mean iterate on `skewed`, for every graph and ordering, over that of the complete graph:
      predicted by where gradients are taken, the mean square of the prefixes that a graph leaves.
    * Exponents of these floors in m on the ring, predicted in the same way.
    * The fewest vectors that all workers send to reach an accuracy, the step size tuned.

    Parameters
    ----------
    options : Options
    parts : sequence of {"disagreement", "floors", "workers", "messages"}
        All by default.

    Returns
    -------
    Result
        Data ``gap`` (graphs,), ``alpha`` (K,), ``apart <graph>`` (seeds, K), ``floor <ordering>``,
        ``messages <ordering>`` and ``exchanges <ordering>`` (seeds, graphs); ``workers`` (K,) and ``workers
        <ordering>`` (seeds, K).
    """
    asked = {_checks.choice("part", part, list(PARTS)) for part in parts} or set(PARTS)
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    config["parts"] = [part for part in PARTS if part in asked]
    seeds = subseeds(options.seed, config["seeds"])
    return run_parts("gossip", config, [PARTS[part](config, seeds) for part in config["parts"]], options)
