"""The examples that an asynchronous method really trains on, when slow examples arrive late."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.analysis import verdict, verdict_in_errors
from cdgrab_sim.asynchronous import (
    AsyncRecord,
    AsyncRun,
    JobTimes,
    Method,
    job_times,
    methods,
    simulate_async,
)
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row
from theory.asynchrony import effective_laws, exact_laws, finite_horizon, renewal

# Four classes of examples, times in whole ticks without a common divisor. Two are slower than the average of
# 33.7 ticks, the third by little and the last by much: that one is the slow class.
SIZES: dict[str, Any] = {
    "m": 96,
    "share": [0.5, 0.2, 0.1, 0.2],
    "ticks": [10, 19, 43, 103],
    "n": 600,
    "batch": 1536,  # Rennala's
    "first": 72,
    "thresholds": [192, 384],  # Ringmaster's: below and above the mean delay of the slow class
    "warm_up": 9600,
    "updates": 24_000,
    "alpha": 0.002,  # where the offset of the iterate is measured
    "seeds": 30,
}
QUICK = SIZES | {"updates": 12_000}

_ORDERED = ("ordered-momentum-anytime", "ordered-momentum-heavy-ball", "ordered-momentum-mu-squared")
SLOW, EXACT = "share of the slow class", "within 3 standard errors"
RESOLUTION, LIMIT, FLUID = 0.01, 0.02, 0.03  # of exact laws; margins of many workers and of the fluid limit


def method_of(name: str, config: dict[str, Any]) -> Method:
    """Return the method that a row names."""
    first, _, number = name.partition(",")[0].partition(" ")
    made = {
        "first-k": lambda: methods.first_k(config["first"]),
        "rennala": lambda: methods.rennala(config["batch"]),
        "ringmaster": lambda: methods.ringmaster(int(number)),
    }
    return made[first]() if first in made else methods.make(first, config["m"])


def classes_of(config: dict[str, Any]) -> IntArray:
    """Return the class of each example."""
    counts = [round(share * config["n"]) for share in config["share"]]
    return np.repeat(np.arange(len(counts)), counts)


def situation(cell: dict[str, Any]) -> tuple[Problem, JobTimes]:
    """Return what a cell trains on and how long its jobs take."""
    name, m, seed = cell["method"], cell["m"], cell["seed"]
    if name.endswith(", shards"):  # the workers are slow, each with examples of its own
        means = np.where(np.arange(m) < m // 2, 1.0, 3.0)
        return problems.quadratic(m=m, n=8, d=1, seed=seed), job_times.exponential(means)
    times = job_times.by_example(np.array(cell["ticks"])[classes_of(cell)])
    if name.endswith(", shuffled"):
        times = job_times.shuffled(times, seed=seed)
    return problems.quadratic(m=1, n=cell["n"], d=1, seed=seed), times


def _sums(run: AsyncRun) -> dict[str, FloatArray]:
    arrived = run.applied + run.dropped
    return {
        "weight": run.weight,
        "busy": run.busy,
        "arrived": arrived.astype(np.float64),
        "delay": np.where(arrived > 0, run.delay * arrived, 0.0),
    }


def window(cell: dict[str, Any]) -> dict[str, FloatArray]:
    """Return sums by example between the end of the warm-up and the end, two horizons of one run."""
    problem, times = situation(cell)
    method, m = method_of(cell["method"], cell), cell["m"]
    rounds = {"first-k": cell["first"], "rennala": cell["batch"], "mini-batch": m}  # gradients in one update
    per_update = rounds.get(method.name, 1)
    early, late = (
        _sums(simulate_async(
            problem, method, workers=m, updates=max(1, count // per_update), step_size=1e-6,
            order="rr" if cell["method"].endswith(", queue") else "iid", seed=cell["seed"], job_times=times,
            record=AsyncRecord(loss=False),
        ))
        for count in (cell["warm_up"], cell["warm_up"] + cell["updates"])
    )  # fmt: skip
    return {name: late[name] - early[name] for name in late}


def law(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure one cell: shares of the classes in training and in flight, and mean delays."""
    sums = window(cell)
    if cell["method"].endswith(", shards"):
        classes = np.where(np.arange(cell["m"]) < cell["m"] // 2, 0, 1)
        sums = {name: total.sum(axis=1) for name, total in sums.items()}
    else:
        classes = classes_of(cell)
        sums = {name: total[0] for name, total in sums.items()}
    by_class = {name: np.bincount(classes, weights=total) for name, total in sums.items()}
    return {
        "share": by_class["weight"] / by_class["weight"].sum(),
        "in flight": by_class["busy"] / by_class["busy"].sum(),
        "delay": by_class["delay"] / by_class["arrived"],
    }


def offset(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure A10: offsets from x* over the predicted one, of the virtual iterate and of the server's."""
    problem, m = problems.quadratic(m=1, n=cell["n"], d=1, seed=cell["seed"]), cell["m"]
    times = job_times.by_gradient(0.2, 10.0)
    assert times.example is not None
    assert problem.x_star is not None
    g = problem.gradients(problem.x_star)[0]
    p = np.full(cell["n"], 1.0 / cell["n"])
    predicted = -cell["alpha"] * renewal.mean_in_flight_sum(p, times.example(problem)[0], g, m)[0]
    run = simulate_async(
        problem, "vanilla", workers=m, updates=cell["updates"], step_size=cell["alpha"], job_times=times,
        seed=cell["seed"], x0=problem.x_star,
        record=AsyncRecord(every=m, virtual=True, trajectory=True, loss=False),
    )  # fmt: skip
    assert run.virtual is not None
    assert run.trajectory is not None
    late = slice(len(run.virtual) // 5, None)
    means = {"virtual": run.virtual[late].mean(), "server": run.trajectory[late].mean()}
    return {name: float(mean - problem.x_star[0]) / predicted for name, mean in means.items()}


def exact_predictions(config: dict[str, Any]) -> dict[str, float]:
    """Return the share of the slow class by name of row, where its law is exact."""
    p, s, m = np.array(config["share"]), np.array(config["ticks"]), config["m"]
    laws: dict[str, FloatArray] = dict.fromkeys(("vanilla", "vanilla, queue", "mini-batch", *_ORDERED), p)
    laws["vanilla, shards"] = effective_laws.shards([1.0, 3.0])
    laws["first-k"] = finite_horizon.first_k(p, s, m, config["first"])
    laws["rennala"] = exact_laws.round_law(p, s, m, config["batch"])
    laws["delay-adaptive"] = exact_laws.weighted_by_delay(p, s, m, lambda tau: m / np.maximum(tau, m))
    laws["drop-by-age"] = exact_laws.weighted_by_delay(p, s, m, lambda tau: tau <= m)
    laws["drop-by-age, shuffled"] = laws["vanilla"]
    return {name: float(q[-1]) for name, q in laws.items()}


def run(options: Options) -> Result:
    """Measure the effective law of every method under job times that depend on the example.

    Predictions A7 (delays and jobs in flight), A8 (rounds), A9 (rules by age) and A10 (the drained iterate).
    All but three rows are exact and judged by their own standard errors. The forms for many workers and
    Ringmaster's fluid limit have margins. The laws are those of a run that has forgotten its start: counts at
    the end minus counts after a warm-up.

    Returns
    -------
    Result
        Rows "share of the slow class" of each method; of all examples slower than average where they are
        dropped by age; for vanilla also its share in flight, its mean delay and the offset of its iterates.
        Data ``share <method>`` (seeds,).
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    exact, fluid = exact_predictions(config), [f"ringmaster {R}" for R in config["thresholds"]]
    names, seeds = [*exact, *fluid], subseeds(options.seed, config["seeds"])
    shared = {key: config[key] for key in config if key not in ("seed", "seeds")}
    axes: dict[str, list[Any]] = {"method": names, "seed": seeds}
    cells = run_cells(law, grid(axes, shared), options)
    by_method = {name: cells[k * len(seeds) : (k + 1) * len(seeds)] for k, name in enumerate(names)}
    shares = {name: np.array([cell["share"] for cell in found]) for name, found in by_method.items()}
    rows = [_exactly(name, SLOW, shares[name][:, -1], value, RESOLUTION) for name, value in exact.items()]
    rows += _limits(config, shares)
    rows += _on_the_way(config, by_method["vanilla"])
    offsets = run_cells(offset, grid({"seed": seeds}, shared), options)
    for point, value in (("virtual", 1.0), ("server", 0.0)):
        measured = np.array([cell[point] for cell in offsets])
        quantity = f"offset of the {point} iterate / predicted"
        rows.append(_exactly("vanilla", quantity, measured, value, 0.1, positive=False))
    data = {f"share {name}": share[:, -1] for name, share in shares.items()}
    notes = [f"{name}: {method_of(name, config).provenance}" for name in _ORDERED]
    return Result("async bias", config, rows, data, notes)


def _exactly(
    name: str, quantity: str, values: FloatArray, predicted: float, resolution: float, positive: bool = True
) -> Row:
    judged = verdict_in_errors(values, predicted, resolution, positive=positive)
    return Row.judged(name, f"{quantity}, {EXACT}", judged)


def _limits(config: dict[str, Any], shares: dict[str, FloatArray]) -> list[Row]:
    """Judge the forms for many workers: what is slower than average vanishes when it is dropped by age."""
    p, s, m = np.array(config["share"]), np.array(config["ticks"]), config["m"]
    slower = s > p @ s
    adaptive = verdict(
        shares["delay-adaptive"][:, -1], effective_laws.delay_adaptive(p, s)[-1], LIMIT, positive=True
    )
    vanished = verdict(shares["drop-by-age"][:, slower].sum(axis=1), 0.0, LIMIT, positive=True)
    control = verdict(shares["vanilla"][:, slower].sum(axis=1), float(p[slower].sum()), LIMIT, positive=True)
    rows = [
        Row.judged("vanilla", "share of all slower than average", control),
        Row.judged("drop-by-age", "share of all slower than average, many workers", vanished),
        Row.judged("delay-adaptive", f"{SLOW}, many workers", adaptive),
    ]
    for R in config["thresholds"]:
        promise = effective_laws.age_threshold(p, s, m, R)[-1]
        judged = verdict(shares[f"ringmaster {R}"][:, -1], promise, FLUID, positive=True)
        rows.append(Row.judged(f"ringmaster {R}", f"{SLOW}, fluid limit", judged))
    return rows


def _on_the_way(config: dict[str, Any], cells: list[dict[str, Any]]) -> list[Row]:
    p, s, m = np.array(config["share"]), np.array(config["ticks"]), config["m"]
    in_flight, late = renewal.in_flight_law(p, s)[-1], renewal.expected_delay(p, s, m)[-1] / (m - 1)
    held = np.array([cell["in flight"][-1] for cell in cells])
    delays = np.array([cell["delay"][-1] for cell in cells]) / (m - 1)
    return [
        _exactly("vanilla", "slow class in flight", held, float(in_flight), RESOLUTION),
        _exactly("vanilla", "delay of the slow class / (m - 1)", delays, float(late), 0.03),
    ]
