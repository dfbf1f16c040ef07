"""How far signed sums wander: the largest prefix against m, n and d, for every sign rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import binom

from cdgrab_sim import balancing
from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import t_interval, verdict
from cdgrab_sim.experiments._cells import grid, held, run_cells, table
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._exponents import slope_row
from cdgrab_sim.experiments._measures import unit_vectors
from cdgrab_sim.herding._profile import profile_of
from cdgrab_sim.herding._vectors import as_stream
from theory import balancing as theory

RULES = ("greedy", "greedy, independent", "self-balancing", "hilbert", "random")
DELTA = 0.01  # of the bounds that hold with probability 1 - delta
LONGEST = 1.0 + 1e-12  # B: unit vectors, up to rounding
# What the bounds may fail with: V5 counts clips and lengths apart.
CHANCES = {"V1": 0.0, "V4": DELTA, "V5": 1.5 * DELTA, "V6": DELTA}

# (rule, variable) -> exponent of the largest sum and margin. V3: greedy sums are stationary, whatever m and
# n; V4: those of fair coins are of size sqrt(m n) in any dimension. The walks grow like logarithms.
EXPONENTS = {
    ("greedy", "m"): (0.0, 0.05),
    ("greedy", "n"): (0.0, 0.1),
    ("greedy, independent", "m"): (0.5, 0.05),
    ("greedy, independent", "n"): (0.0, 0.1),
    ("random", "m"): (0.5, 0.05),
    ("random", "n"): (0.5, 0.1),
    ("random", "d"): (0.0, 0.15),  # the largest of few dimensions scatters upwards
}
SIZES: dict[str, Any] = {
    "m": {"m": [1, 8, 64, 512, 4096], "n": 64, "d": 4},
    "n": {"n": [64, 256, 1024, 4096, 16384], "m": 4, "d": 4},
    "d": {"d": [2, 4, 8, 16, 32, 64], "m": 4, "n": 2048},
    "small": {"vectors": 16, "d": 4},
    "seeds": 12,
}
QUICK = SIZES | {
    "n": {"n": [64, 256, 1024, 4096], "m": 4, "d": 4},
    "d": {"d": [2, 4, 8, 16], "m": 4, "n": 512},
}


def wander(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: largest and mean 2-norm of the signed sums after each step."""
    rule, _, independent = cell["rule"].partition(", ")
    z = unit_vectors(cell["m"], cell["n"], cell["d"], cell["seed"])
    eps = balancing.signs(
        z,
        balancing.SignRule(rule, bound=LONGEST if rule == "self-balancing" else None, delta=DELTA),
        scope="independent" if independent else "coordinated",
        seed=cell["seed"],
    )
    norms = profile_of(as_stream(eps[:, :, None] * z), "l2")
    return {"largest": float(norms.max()), "mean": float(norms.mean())}


def against_optimum(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: the largest prefix over that of the best signs there are."""
    z = unit_vectors(1, cell["vectors"], cell["d"], cell["seed"])[0]
    found, best = (
        balancing.prefix_discrepancy(z, balancing.signs(z, rule, norm="l2", seed=cell["seed"]), "l2")
        for rule in (cell["rule"], "optimal")
    )
    return {"ratio": found / best}


def bound(rule: str, m: int, n: int, d: int) -> tuple[str, float]:
    """Return the statement and its bound on the largest 2-norm, which fails with chance `CHANCES`."""
    N = m * n
    if rule == "self-balancing":
        return "V6", theory.self_balancing_bound(N, d, DELTA, "l2", LONGEST)
    if rule == "hilbert":
        # The variance of kernel halving holds for each sum; its tail is that of V6, for sub-Gaussian vectors.
        s2 = theory.kernel_halving_variance_bound(DELTA / N, LONGEST)
        t = math.log(2.0 * N / DELTA)
        return "V5", math.sqrt(s2 * (d + 2.0 * math.sqrt(d * t) + 2.0 * t))
    if rule == "random":
        return "V4", theory.random_signs_l2_bound(np.ones(N), DELTA)
    own = float(theory.greedy_prefix_bound(np.ones(N if rule == "greedy" else n))[-1])
    return "V1", own if rule == "greedy" else m * own


def run(options: Options, *, rules: Sequence[str] = RULES) -> Result:
    """Measure the largest signed sum of unit vectors against m, n and d, beside V1 to V6.

    Stand-ins for pair differences: each of m workers has n vectors, uniform on the unit sphere, and one sum
    takes them step by step and within a step worker by worker (one sum for each worker where the rule says
    independent). The norm is the 2-norm, looked at after each step.

    Parameters
    ----------
    options : Options
    rules : sequence of str
        From `RULES`.

    Returns
    -------
    Result
        Rows: exponents; the mean norm of greedy sums over their stationary mean; largest sums over their
        bounds, and over the optimum. Data ``m``, ``n``, ``d`` (K,), ``<variable> <rule>`` (seeds, K) and
        ``<variable> <rule> bound`` (K,).
    """
    config = QUICK if options.quick else SIZES
    config = config | {"seed": options.seed, "rules": list(rules), "delta": DELTA}
    seeds = subseeds(options.seed, config["seeds"])
    rows: list[Row] = []
    data: dict[str, FloatArray] = {}
    for variable in ("m", "n", "d"):
        x = config[variable][variable]
        sizes = [config[variable] | {variable: size} for size in x]
        axes = {"rule": rules, "seed": seeds, variable: x}
        found = run_cells(wander, grid(axes, held(config[variable], variable)), options)
        largest, mean = (table(found, key, len(rules), len(seeds), -1) for key in ("largest", "mean"))
        data[variable] = np.array(x)
        for rule, values, means in zip(rules, largest, mean, strict=True):
            limits = [bound(rule, **at) for at in sizes]
            data[f"{variable} {rule}"] = values
            data[f"{variable} {rule} bound"] = np.array([limit for _, limit in limits])
            rows.append(_exponent(rule, variable, x, values))
            rows.append(_below(rule, variable, values, data[f"{variable} {rule} bound"], limits[0][0]))
            if rule == "greedy":
                rows.append(_stationary(variable, means, [at["d"] for at in sizes]))
    rows += _yardstick(config, rules, seeds, options)
    return Result("discrepancy", config, rows, data)


def _exponent(rule: str, variable: str, x: Sequence[float], values: FloatArray) -> Row:
    promise = EXPONENTS.get((rule, variable), (None, None))
    return slope_row(rule, f"largest sum exponent in {variable}", x, values, *promise)


def _below(rule: str, variable: str, values: FloatArray, limits: FloatArray, statement: str) -> Row:
    """Judge a bound: no more violations than its probability allows in 999 of 1000 experiments."""
    ratios = values / limits
    allowed = binom.ppf(0.999, ratios.size, CHANCES[statement])
    holds = (ratios > 1.0 + 1e-9).sum() <= allowed
    worst = ratios.max(axis=1)
    quantity = f"largest sum / bound of {statement}, over {variable}"
    low, high = t_interval(worst, positive=True)
    return replace(Row.claimed(rule, quantity, float(worst.mean()), holds), ci_low=low, ci_high=high)


def _stationary(variable: str, means: FloatArray, dimensions: Sequence[int]) -> Row:
    """Judge the mean norm of greedy sums: V3 is about long runs, so at the largest m or n, and over all d."""
    ratios = means / [theory.greedy_stationary_norm(d) for d in dimensions]
    if variable == "d":
        return Row.judged(
            "greedy", "mean sum / V3, all d", verdict(ratios.mean(axis=1), 1.0, 0.1, positive=True)
        )
    largest = verdict(ratios[:, -1], 1.0, 0.1, positive=True)
    return Row.judged("greedy", f"mean sum / V3, largest {variable}", largest)


def _yardstick(
    config: dict[str, Any], names: Sequence[str], seeds: Sequence[int], options: Options
) -> list[Row]:
    rules = [name for name in (*names, "prefix") if ", " not in name]
    found = run_cells(against_optimum, grid({"rule": rules, "seed": seeds}, config["small"]), options)
    ratios = table(found, "ratio", len(rules), len(seeds))
    label = f"largest sum / optimum of {config['small']['vectors']} vectors"
    rows = zip(rules, ratios, strict=True)
    return [Row.judged(rule, label, verdict(values, None, None, positive=True)) for rule, values in rows]
