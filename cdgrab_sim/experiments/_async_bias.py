"""The examples that an asynchronous method really trains on, when slow examples arrive late."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import IntArray
from cdgrab_sim.analysis import verdict
from cdgrab_sim.asynchronous import AsyncRecord, JobTimes, Method, job_times, methods, simulate_async
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row
from theory.asynchrony import effective_laws, finite_horizon, renewal

# Three classes of examples with job times on no common grid; the last class is the slow one.
SIZES: dict[str, Any] = {
    "m": 96,
    "share": [0.6, 0.2, 0.2],
    "time": [1.0, 1.9, 10.3],
    "n": 600,
    "batch": 1536,  # Rennala's
    "first": 72,
    "thresholds": [192, 384],  # Ringmaster's: below and above the mean delay of the slow class
    "updates": 60_000,
    "seeds": 6,
}
QUICK = SIZES | {"updates": 20_000}

_ORDERED = ("ordered-momentum-anytime", "ordered-momentum-heavy-ball")
EXACT, LIMIT, FLUID = 0.01, 0.01, 0.03  # margins: exact laws, limits of many workers, the fluid limit


def method_of(name: str, config: dict[str, Any]) -> Method:
    """Return the method that a row names."""
    first, _, number = name.partition(" ")
    made = {
        "first-k": lambda: methods.first_k(config["first"]),
        "rennala": lambda: methods.rennala(config["batch"]),
        "ringmaster": lambda: methods.ringmaster(int(number)),
    }
    return made[first]() if first in made else methods.make(first, config["m"])


def times_of(config: dict[str, Any]) -> tuple[JobTimes, IntArray]:
    """Return the model of job times and the class of each example."""
    counts = [round(share * config["n"]) for share in config["share"]]
    classes = np.repeat(np.arange(len(counts)), counts)
    return job_times.by_example(np.array(config["time"])[classes]), classes


def law(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure one cell: the shares of the classes in training and in flight, and their mean delays."""
    times, classes = times_of(cell)
    name, m, control = cell["method"], cell["m"], cell["method"].endswith(", shuffled")
    method = method_of(name.removesuffix(", shuffled"), cell)
    updates = cell["updates"]
    if method.restarts:  # a round applies many gradients at once
        updates = max(8, updates // {"first-k": cell["first"], "rennala": cell["batch"]}.get(method.name, m))
    problem = problems.quadratic(m=1, n=cell["n"], d=1, seed=cell["seed"])
    run = simulate_async(
        problem, method, workers=m, updates=updates, step_size=1e-4, seed=cell["seed"],
        job_times=job_times.shuffled(times, seed=cell["seed"]) if control else times,
        record=AsyncRecord(loss=False),
    )  # fmt: skip
    arrived = (run.applied + run.dropped)[0]
    sums = np.where(arrived > 0, run.delay[0] * arrived, 0.0)
    slow = classes == classes.max()
    return {
        "slow": float(run.law[0, slow].sum()),
        "in flight": float(run.in_flight_law[0, slow].sum()),
        "delay": float(sums[slow].sum() / max(1, arrived[slow].sum())),
    }


def predictions(config: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Return the predicted share of the slow class, and its margin, by name of row."""
    p, s, m = np.array(config["share"]), np.array(config["time"]), config["m"]
    low, high = config["thresholds"]
    exact = dict.fromkeys(("vanilla", "mini-batch", *_ORDERED), p)
    exact["first-k"] = finite_horizon.first_k(p, s, m, config["first"])
    exact["rennala"] = finite_horizon.first_updates_law(p, s, m, config["batch"])
    limits = {"delay-adaptive": effective_laws.delay_adaptive(p, s)}
    limits["drop-by-age"] = effective_laws.drop_older_than_m(p, s)
    fluid = {f"ringmaster {R}": effective_laws.age_threshold(p, s, m, R) for R in (low, high)}
    controls = {"drop-by-age, shuffled": p}
    groups = ((exact, EXACT), (limits, LIMIT), (fluid, FLUID), (controls, FLUID))
    return {name: (float(q[-1]), margin) for laws, margin in groups for name, q in laws.items()}


def run(options: Options) -> Result:
    """Measure the effective law of every method under job times that depend on the example.

    Predictions A7 (delays and jobs in flight), A8 (rounds) and A9 (rules by age). First-k and the methods
    that keep everything are exact; Rennala is of first order in 1 / S; rules by age are limits of many
    workers; Ringmaster's law is a fluid limit and smoother near its threshold.

    Parameters
    ----------
    options : Options

    Returns
    -------
    Result
        Rows "share of the slow class" of each method; for vanilla also its share in flight and its mean
        delay over the mean of all. Data ``share <method>`` (seeds,).
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    promises = predictions(config)
    axes: dict[str, list[Any]] = {"method": list(promises), "seed": subseeds(options.seed, config["seeds"])}
    shared = {key: config[key] for key in config if key not in ("seed", "seeds")}
    cells = run_cells(law, grid(axes, shared), options)
    count = config["seeds"]
    by_method = {name: cells[k * count : (k + 1) * count] for k, name in enumerate(promises)}
    rows, data = [], {}
    for name, (predicted, margin) in promises.items():
        shares = np.array([cell["slow"] for cell in by_method[name]])
        rows.append(Row.judged(name, "share of the slow class", verdict(shares, predicted, margin)))
        data[f"share {name}"] = shares
    rows.extend(_on_the_way(config, by_method["vanilla"]))
    notes = [f"{name}: {method_of(name, config).provenance}" for name in _ORDERED]
    return Result("async bias", config, rows, data, notes)


def _on_the_way(config: dict[str, Any], cells: list[dict[str, float]]) -> list[Row]:
    p, s, m = np.array(config["share"]), np.array(config["time"]), config["m"]
    in_flight = verdict([cell["in flight"] for cell in cells], renewal.in_flight_law(p, s)[-1], EXACT)
    late = renewal.expected_delay(p, s, m)[-1] / (m - 1)
    delay = verdict([cell["delay"] / (m - 1) for cell in cells], late, 0.02 * late)
    return [
        Row.judged("vanilla", "slow class in flight", in_flight),
        Row.judged("vanilla", "delay of the slow class / (m - 1)", delay),
    ]
