"""The exponents of the theory, one after the other: tuned errors, times to accuracy, floors, bounds."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cdgrab_sim import _checks, orderings
from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments import _real_data
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments._parts import Part, run_parts
from cdgrab_sim.experiments._study import Study
from cdgrab_sim.experiments.rates import elsewhere
from cdgrab_sim.experiments.rates.bounds import bounds_part
from cdgrab_sim.experiments.rates.floors import PARTS as FLOORS
from cdgrab_sim.experiments.rates.floors import floors_part
from cdgrab_sim.experiments.rates.times import times_part
from cdgrab_sim.experiments.rates.tuned import tuned_part

# Mean balancing has the exponents of pair balancing by itself.
ORDERINGS = orderings.select(lambda ordering: ordering.compared and ordering.family != "mean")
SIZES: dict[str, Any] = {
    "seeds": 6,
    "problem": {"family": "skewed", "kappa": 10.0, "d": 3},
    "n": 32,
    "tuned": {
        "orderings": [*ORDERINGS],
        "m": {"m": [1, 2, 4, 8, 16], "T": 400},
        "T": {"T": [100, 200, 400, 800], "m": 4},
        "steps": [2.0, 64.0],  # the grid of alpha mu n T
        "replicates": {"sgd": 16, "others": 4},
    },
    "times": {
        "orderings": [*ORDERINGS],
        "m": [1, 2, 4, 8, 16],
        "T": 800,
        "accuracy": {"sgd": 3e-4, "others": 5e-7},
        "rates": [0.005, 2.0],  # the grid of alpha mu n
        "replicates": {"sgd": 16, "others": 2},  # a mean of few chains reaches the accuracy by luck
    },
    "floors": {
        "m": 4,
        "relaxations": 20,  # epochs, in units of 1 / (alpha mu n)
        "alpha": {"alpha_n_L": [0.0125, 0.025, 0.05, 0.1]},
        "quadratic": {"family": "quadratic", "eigenvalues": [1.0, 3.0, 10.0]},
        "n": {"n": [16, 32, 64, 128], "alpha_n_L": 0.1},  # for the largest n
        "ms": {"m": [1, 2, 4, 8, 16], "alpha_n_L": 0.1},
        "replicates": {"sgd": 8, "rr": 4, "others": 2},
    },
    "bounds": {
        "problem": {"family": "robust", "d": 3},
        "orderings": ["rr", "d-grab-pair", "cd-grab"],
        "m": [1, 2, 4, 8, 16],
        "n": 16,
        "T": 800,
        "alpha_n_L": 1 / 12,  # the largest step for which T5 is claimed
    },
}
QUICK: dict[str, Any] = SIZES | {
    "tuned": SIZES["tuned"]
    | {"m": {"m": [1, 4, 16], "T": 120}, "T": {"T": [60, 120, 240], "m": 4}}
    | {"replicates": {"sgd": 2, "others": 1}},
    "times": SIZES["times"]
    | {"orderings": ["rr", "d-grab-pair", "cd-grab"]}  # sgd takes too many chains not to be lucky
    | {"m": [2, 4, 8], "T": 300, "accuracy": {"rr": 8e-6, "others": 4e-6}, "rates": [0.02, 1.28]}
    | {"replicates": {"others": 1}},
    "floors": SIZES["floors"]
    | {"alpha": {"alpha_n_L": [0.05, 0.1, 0.2]}, "n": {"n": [16, 32, 64], "alpha_n_L": 0.2}}
    | {"ms": {"m": [1, 3, 9], "alpha_n_L": 0.1}}
    | {"replicates": {"sgd": 2, "others": 1}, "relaxations": 10},
    "bounds": SIZES["bounds"] | {"m": [1, 4, 16], "T": 100},
}


PARTS: dict[str, Callable[[Mapping[str, Any], Sequence[int]], list[Part]]] = {
    "tuned": lambda config, seeds: [tuned_part(config, variable, seeds) for variable in ("m", "T")],
    "times": lambda config, seeds: [times_part(config, seeds)],
    "floors": lambda config, seeds: [floors_part(config, name, seeds) for name in FLOORS],
    "bounds": lambda config, seeds: [bounds_part(config, seeds)],
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add what this experiment can be told."""
    words = f"of {', '.join(PARTS)}; all by default"
    parser.add_argument("parts", nargs="*", metavar="PART", help=words)
    _real_data.add_arguments(parser)


def run(
    options: Options,
    *,
    parts: Sequence[str] = (),
    names: Sequence[str] | None = None,
    problem: str | None = None,
    data: Path | None = None,
    target: str | None = None,
    ridge: float = 0.01,
    standardize: bool = True,
    **chosen: Any,
) -> Result:
    """Measure every exponent that theory predicts for runs of SGD, and judge it.

    * Tuned errors on `skewed`, against m and T. The tuned step carries a logarithm, so that the slope with
      a verdict is that of err / (alpha mu n T)^2, for sgd err / (alpha mu n T); the raw one stands beside.
    * The fewest epochs to an accuracy, against m, with a horizon; what it censors is reported.
    * Floors at a fixed step size, against alpha, n and m on `skewed`, against alpha on `quadratic`.
    * The mean squared gradient norm on `robust`, beside the bounds T1 and T5, at every epoch.

    Parameters
    ----------
    options : Options
    parts : sequence of {"tuned", "times", "floors", "bounds"}
        All by default.
    names : sequence of str, optional
        Orderings, for all parts but ``bounds``.
    problem : str, optional
        A family of problems; then the exponents of tuned errors on it are measured, see `elsewhere`.
    data : Path, optional
        A table of real data; likewise.
    target, ridge, standardize, **chosen
        As in `cdgrab speedup`, for real data only.

    Returns
    -------
    Result
        Data by part, such as ``tuned m`` (K,), ``tuned m <ordering>`` (seeds, K).
    """
    asked = {_checks.choice("part", part, list(PARTS)) for part in parts} or set(PARTS)
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    if names is not None:
        config |= {part: config[part] | {"orderings": list(names)} for part in ("tuned", "times", "floors")}
    if _real_data.asked(data, target, chosen) or problem is not None:
        if parts and asked != {"tuned"}:
            raise ValueError(f"parts: expected 'tuned', or none, on other problems; got {' '.join(parts)}")
        table = {"data": data, "target": target, "ridge": ridge, "standardize": standardize, **chosen}
        study = _study(options, names or ORDERINGS, problem, table, config)
        return elsewhere.run(options, names or ORDERINGS, study)
    config["parts"] = [part for part in PARTS if part in asked]
    seeds = subseeds(options.seed, config["seeds"])
    measured = [one for part in config["parts"] for one in PARTS[part](config, seeds)]
    return run_parts("rates", config, measured, options)


def _study(
    options: Options,
    names: Sequence[str],
    problem: str | None,
    table: Mapping[str, Any],
    config: Mapping[str, Any],
) -> Study:
    """Return what is measured instead of the stock problem: a table, or a family of problems."""
    if problem is None:
        return _real_data.study(options, names, **table)
    if table["data"] is not None:
        raise ValueError(f"problem: expected none beside --data; got {problem!r}; leave one out")
    return elsewhere.own(options, names, problem, config["tuned"]["m"] | {"n": config["n"]}, config["seeds"])
