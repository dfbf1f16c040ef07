"""What no better analysis can change: lower bounds, counterexamples and exact floors, met by simulation."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim._rng import subseeds
from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments.limits import quadratics
from cdgrab_sim.experiments.limits.herding import lower_line
from cdgrab_sim.experiments.limits.tuned import rates

SIZES: dict[str, Any] = {
    "floors": {
        "m": 2,
        "n": [16, 32, 64],
        "alpha": [1 / 256, 1 / 128, 1 / 64],  # alpha n = 1/16 .. 1/4, where leading terms lead
        "epochs": 1200,
        "replicates": 8,
        "so": {"epochs": 240, "replicates": 64},  # nothing to average over in time, but over the orders
        "seeds": 6,
    },
    "many epochs": {
        "n": 64,
        "kappa": 200.0,
        "T": [50, 100, 200, 400, 800, 1600],
        "epochs": 16_000,  # of all chains of a cell
        "seeds": 6,
    },
    "bias": {"n": 6, "d": 2, "alpha": 0.1, "epochs": 40_000, "seeds": 6},
    "herding": {"d": 16, "rounds": 30},
    "rates": {
        "kappa": 10.0,
        "d": 3,
        "sizes": [[2, 16, 100], [8, 16, 100], [2, 64, 100], [2, 16, 400], [4, 32, 200], [8, 64, 400]],
        "seeds": 6,
    },
}
QUICK = SIZES | {
    "floors": SIZES["floors"] | {"epochs": 300, "replicates": 2, "so": {"epochs": 240, "replicates": 8}},
    "many epochs": SIZES["many epochs"] | {"T": [50, 400, 1600], "epochs": 9_000, "seeds": 3},
    "bias": SIZES["bias"] | {"epochs": 10_000},
    "rates": SIZES["rates"] | {"sizes": [[2, 16, 100], [8, 16, 100], [2, 64, 100], [2, 16, 400]]},
}


def run(options: Options) -> Result:
    """Hold orderings against the limits that are known for them.

    Returns
    -------
    Result
        Rows by block; data ``alpha``, ``n``, ``T`` (K,), floors ``alpha <ordering>``, ``n <ordering>`` and
        losses of ill-conditioned problems ``T <ordering>`` (seeds, K), herding errors over their lower line
        ``list <ordering>`` (rounds + 1,), and tuned errors ``tuned <ordering>`` against ``size <ordering>``.
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    floor_rows, floors = quadratics.floors(config["floors"], options)
    epoch_rows, epochs = quadratics.many_epochs(config["many epochs"], options)
    list_rows, lists = lower_line(config["herding"], options)
    tuned_rows, tuned = rates(config["rates"], options)
    rows = [
        *floor_rows,
        *epoch_rows,
        *quadratics.step_regimes(),
        _bias(config["bias"], options),
        *quadratics.de_sa(),
        *list_rows,
        *tuned_rows,
    ]
    return Result("limits", config, rows, floors | epochs | lists | tuned, NOTES)


NOTES = (
    "floors: one Hessian, exact orders at small alpha n (Q11, Q9): flipflop gains two powers of alpha n",
    "loss / sgd: Safran, Shamir (arXiv 2106.06880), alpha = log(nT)/(nT): no gain before T is about kappa",
    "De Sa (2020): all 120 orders and all 3125 sequences of five matrices; slower in the mean only",
    "Harvey and Samadi's list: no order is below sqrt(d)/2 (H10; COLT 2014, Theorem 11, has sqrt(d)/6)",
    "tuned errors are divided by (alpha mu n T)^2; 1/(m n T^2) and 1/(m n T)^2 are the orders of the lower",
    "bounds for rr (arXiv 2110.10342) and for any permutations (arXiv 2303.07160, m = 1; recalled)",
)


def _bias(config: dict[str, Any], options: Options) -> Row:
    sizes = {key: config[key] for key in ("n", "d", "alpha", "epochs")}
    cells = grid({"seed": subseeds(options.seed, config["seeds"])}, sizes)
    shares = np.array([one["share"] for one in run_cells(quadratics.bias, cells, options)])
    what = "bias of the mean where Hessians differ / exact"
    return Row.judged("rr", what, verdict(shares, 1.0, 0.2))
