"""Where linear speedup holds, and the conditions under which it stops."""

from __future__ import annotations

from typing import Any

from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments._parts import run_parts
from cdgrab_sim.experiments.regimes.bias import bias_part
from cdgrab_sim.experiments.regimes.gain import CASES, gain_part
from cdgrab_sim.experiments.regimes.map import map_part
from cdgrab_sim.experiments.regimes.transient import transient_part
from cdgrab_sim.experiments.regimes.workers import heterogeneity_part, same_order_part, signs_part

QUADRATIC = {"family": "quadratic", "eigenvalues": [1.0, 1.0, 1.0]}
SIZES: dict[str, Any] = {
    "seeds": 6,
    "problem": {"family": "skewed", "kappa": 10.0, "d": 3},
    "map": {
        "kappa": 30.0,
        "n": [8, 32, 128],
        "T": [5, 10, 20, 40, 80, 160],
        "m": [1, 2, 4, 8, 16, 32, 64],
        "replicates": {"others": 2},
    },
    "gain": {
        "skewed": {
            "problem": {"family": "skewed", "kappa": 10.0, "d": 3},
            "m": 4,
            "n": 32,
            "alpha_n_L": [0.0125, 0.025, 0.05, 0.1],
        },
        "few examples": {"problem": QUADRATIC, "m": 1, "n": 8, "alpha_n_L": [0.004, 0.016, 0.064]},
        "many examples": {"problem": QUADRATIC, "m": 4, "n": 32, "alpha_n_L": [0.004, 0.016, 0.064]},
        "relaxations": 40,  # epochs, in units of 1 / (alpha mu n)
        "replicates": {"others": 4},
    },
    "bias": {
        "problem": {"family": "least-squares", "d": 2},
        "m": [1, 4],
        "n": 16,
        "alpha_n_L": 0.1,
        "epochs": 20_000,
        "replicates": 8,
        "margin": 0.15,
    },
    "transient": {"m": 4, "n": [64, 1024, 16384], "T": 15, "alpha_n_L": 0.05},
    "workers": {
        "m": [1, 2, 4, 8, 16],
        "n": 32,
        "alpha_n_L": 0.1,
        "relaxations": 20,
        "heterogeneity": 10.0,
        "replicates": {"rr": 4, "rr, one order for all": 4, "others": 2},
    },
}
QUICK: dict[str, Any] = SIZES | {
    "map": SIZES["map"] | {"T": [5, 20, 40], "m": [1, 4, 16, 64], "replicates": {"others": 1}},
    "gain": SIZES["gain"]
    | {"skewed": SIZES["gain"]["skewed"] | {"alpha_n_L": [0.05, 0.1]}}
    | {case: SIZES["gain"][case] | {"alpha_n_L": [0.016, 0.064]} for case in CASES[1:]}
    | {"relaxations": 15, "replicates": {"others": 2}},
    "bias": SIZES["bias"] | {"m": [4], "epochs": 4_000, "replicates": 4, "margin": 0.3},
    "transient": SIZES["transient"] | {"n": [64, 1024]},
    "workers": SIZES["workers"] | {"m": [1, 4, 16], "relaxations": 10, "replicates": {"others": 1}},
}


def run(options: Options) -> Result:
    """Map where m workers gain m^2 in error, and probe every condition under which they do not.

    * A map over (m, n, T): the exponent in m of cd-grab's tuned error beside that of its bound, and which
      term of the bound is largest: what is left of the first orders, the step-size cap, or neither.
    * The transient: epochs until the first orders are forgotten.
    * Quadratics, where random reshuffling catches up, and with few examples and small steps goes ahead.
    * Workers: shards that differ change nothing; equal shards visited in equal orders gain nothing; terms
      +-1 cancel.

    Returns
    -------
    Result
        Data ``map n``, ``map T``, ``map m``, ``map error`` (n, T, m, seeds), ``map measured`` and ``map
        predicted`` exponents between neighbours in m, ``map regime`` (n, T, m), and those of the probes.
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    seeds = subseeds(options.seed, config["seeds"])
    parts = [
        map_part(config, seeds),
        transient_part(config, seeds),
        *(gain_part(config, seeds, case) for case in CASES),
        bias_part(config, seeds),
        heterogeneity_part(config, seeds),
        same_order_part(config, seeds, "own"),
        same_order_part(config, seeds, "copies"),
        signs_part(config, seeds),
    ]
    return run_parts("regimes", config, parts, options)
