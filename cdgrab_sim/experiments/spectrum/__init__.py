"""Which frequencies do orders fill? Power by ordering, and floors of several updates from one spectrum."""

from __future__ import annotations

from typing import Any

from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments._parts import run_parts
from cdgrab_sim.experiments.spectrum import floors, orders

SIZES: dict[str, Any] = {
    "orders": {"m": [1, 4, 16], "n": 512, "d": 3, "settled": 20, "every": 4, "epochs": 100},
    "standing": {"m": 4, "n": 512, "d": 3},
    "changing": {"m": 4, "n": 128, "d": 3, "epochs": 100, "first": 20},
    "seeds": 12,
    "chains": 24,
}
QUICK = SIZES | {"seeds": 8, "chains": 12}


def run(options: Options) -> Result:
    """Measure the power of orders against frequency, and predict floors from it.

    Static normal vectors for the orders: power between 2/n and .06 cycles per step, its slope in frequency
    and its level in m, beside P4 and P6. Quadratics with one Hessian for the floors: of orders that stand or
    come back after two epochs, for SGD, momentum and gossip, from one spectrum of the order (P1,
    P2); of orders that change, in the mean over chains.

    Parameters
    ----------
    options : Options

    Returns
    -------
    Result
        Rows: slopes, levels over the model, exponents of levels in m, floors. Data ``frequency`` (K,),
        ``m=<m> <ordering>`` (seeds, K) and ``m=<m> <ordering> predicted`` (K,), ``levels <ordering>``
        (seeds, m); ``measured``, ``predicted`` (floors,).
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    seeds = subseeds(options.seed, max(config["seeds"], config["chains"]))
    parts = [
        orders.part(config["orders"], seeds[: config["seeds"]]),
        floors.standing(config["standing"], options.seed),
        floors.changing(config["changing"], seeds[: config["chains"]]),
    ]
    return run_parts("spectrum", config, parts, options)
