"""Does order survive when gradients are compressed? Floors, and bits to an accuracy."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cdgrab_sim import _checks
from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments._parts import Part, run_parts
from cdgrab_sim.experiments.compress.bits import bits_part
from cdgrab_sim.experiments.compress.floors import alpha_part, workers_part

HALF = {"name": "rand-k", "k": 2}  # of four coordinates: omega = 1

# what is sent -> the update; None for gradients as they are
METHODS: dict[str, dict[str, Any] | None] = {
    "plain": None,
    "Q": {"name": "compressed", "compressor": HALF},
    "DIANA per worker": {"name": "diana", "compressor": HALF, "shifts": "worker"},
    "DIANA": {"name": "diana", "compressor": HALF, "shifts": "example"},
}

SIZES: dict[str, Any] = {
    "seeds": 6,
    "margin": 0.1,  # of exponents and levels of compressed gradients
    "orderings": ["rr", "cd-grab"],
    "methods": METHODS,
    "alpha": {
        "problem": {"family": "quadratic", "d": 4, "eigenvalues": [1.0, 1.0, 2.0, 2.0]},
        "m": 4,
        "n": 64,
        "alpha_n_L": [0.05, 0.1, 0.2, 0.4],
        "relaxations": 200,
        "replicates": {"others": 2},
    },
    "m": {
        "problem": {"family": "skewed", "kappa": 5.0, "d": 4},
        "m": [1, 2, 4, 8, 16],
        "n": 64,
        "alpha_n_L": 0.05,
        "epochs": 8_000,
        "replicates": {"others": 1},
    },
    "bits": {
        "problem": {"family": "skewed", "kappa": 5.0, "d": 16},
        "m": 8,
        "n": 64,
        "T": 500,
        "accuracy": {"others": 1e-5},
        "rates": [0.005, 10.24],  # the grid of alpha mu n
        "replicates": {"others": 1},
        "sent": {
            "plain": None,
            "rand-4": {"name": "compressed", "compressor": {"name": "rand-k", "k": 4}},
            "rand-4, DIANA": {"name": "diana", "compressor": {"name": "rand-k", "k": 4}},
            "natural, DIANA": {"name": "diana", "compressor": {"name": "natural"}},
            "qsgd, DIANA": {"name": "diana", "compressor": {"name": "qsgd", "levels": 4}},
            "top-2, memory": {
                "name": "compressed",
                "compressor": {"name": "top-k", "k": 2},
                "error_feedback": True,
            },
            "sign, memory": {"name": "compressed", "compressor": {"name": "sign"}, "error_feedback": True},
        },
    },
}
QUICK: dict[str, Any] = SIZES | {
    "seeds": 4,
    "margin": 0.5,
    "alpha": SIZES["alpha"] | {"alpha_n_L": [0.1, 0.4], "relaxations": 40},
    "m": SIZES["m"] | {"m": [1, 8], "epochs": 1_000},
    "bits": SIZES["bits"]
    | {
        "T": 120,
        "accuracy": {"others": 1e-4},
        "sent": {key: SIZES["bits"]["sent"][key] for key in ("plain", "rand-4, DIANA")},
    },
}

PARTS: dict[str, Callable[[Mapping[str, Any], Sequence[int]], Part]] = {
    "alpha": alpha_part,
    "m": workers_part,
    "bits": bits_part,
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add what this experiment can be told."""
    words = f"of {', '.join(PARTS)}; all by default"
    parser.add_argument("parts", nargs="*", metavar="PART", help=words)


def run(options: Options, *, parts: Sequence[str] = ()) -> Result:
    """Measure what compression does to floors and to the gain of orders, beside theory (C2, C3).

    * Floors on `quadratic` against the step size, of gradients sent as they are, compressed (Q), and as
      differences from shifts per worker and per example (DIANA), for rr and cd-grab: exponents, levels, and
      the floor with shifts per example over that of random reshuffling.
    * Floors on `skewed` against m: compressed, every order averages like 1/m; with shifts per example,
      cd-grab keeps its 1/m^2.
    * The fewest bits that a worker sends to reach an accuracy, the step size tuned.

    Parameters
    ----------
    options : Options
    parts : sequence of {"alpha", "m", "bits"}
        All by default.

    Returns
    -------
    Result
        Data ``alpha`` and ``m`` (K,), and ``alpha <ordering>, <method>``, ``m <ordering>, <method>`` (seeds,
        K); ``bits <ordering>`` and ``rounds <ordering>`` (seeds, methods).
    """
    asked = {_checks.choice("part", part, list(PARTS)) for part in parts} or set(PARTS)
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    config["parts"] = [part for part in PARTS if part in asked]
    seeds = subseeds(options.seed, config["seeds"])
    return run_parts("compress", config, [PARTS[part](config, seeds) for part in config["parts"]], options)
