"""What each asynchronous method converges to in equal time, when the slow examples matter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim import problems
from cdgrab_sim._records import Problem
from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import verdict
from cdgrab_sim.asynchronous import METHODS, AsyncRecord, JobTimes, Method, job_times, methods, simulate_async
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.problems import _minimum
from theory.asynchrony import exact_laws

# The fifth of the examples that pulls x* in one direction is slow: 15 ticks, where the others take 1.
SIZES: dict[str, Any] = {
    "m": 16,
    "n": 1000,
    "d": 8,
    "share": 0.2,
    "ratio": 15,
    "until": 20_000.0,  # in mean job times
    "records": 4000,  # of the iterate, on a grid of times
    "alpha_L": [0.02, 0.04, 0.08, 0.16, 0.32],
    "seeds": 6,
}
QUICK = SIZES | {"until": 4000.0, "records": 1000, "seeds": 4}

KEEPING = ("vanilla", "vanilla, queue", "ordered-momentum-anytime", "ordered-momentum-heavy-ball",
           "ordered-momentum-mu-squared", "mini-batch")  # fmt: skip
DISCARDING = ("delay-adaptive", "drop-by-age", "ringmaster 8", "ringmaster 64", "rennala 16", "rennala 128")
# The same times, permuted across examples: what discards late gradients then discards at random.
CONTROLS = ("delay-adaptive, shuffled", "drop-by-age, shuffled")
OWN, PREDICTED = "excess / excess of its own law", "excess / excess of its predicted law"


def method_of(name: str, m: int) -> Method:
    """Return the method that a row names."""
    first, _, number = name.partition(" ")
    if first == "ringmaster":
        return methods.ringmaster(int(number))
    if first == "rennala":
        return methods.rennala(int(number))
    return METHODS[name.partition(",")[0]](m)


def optimum(problem: Problem, weights: FloatArray) -> FloatArray:
    """Return the minimiser of a weighted sum of quadratic losses, from gradients alone."""
    points = np.vstack([np.zeros(problem.d), np.eye(problem.d)])
    at = np.array([weights @ problem.gradients(x)[0] for x in points])
    return np.asarray(np.linalg.solve((at[1:] - at[0]).T, -at[0]))


def _steps_scale(name: str, cell: dict[str, Any]) -> float:
    """Return the factor of the step size: rounds average gradients, AnyTime weights grow with the update."""
    if name in ("mini-batch", "rennala 16", "rennala 128"):
        return 8.0
    if name in ("ordered-momentum-anytime", "ordered-momentum-mu-squared"):
        return float(8.0 / (cell["m"] * cell["until"]))
    return 1.0 / 8.0 if name == "ordered-momentum-heavy-ball" else 1.0


def slow_examples(problem: Problem, share: float) -> NDArray[np.bool_]:
    """Return which examples are slow, (n,)."""
    factors = job_times.by_gradient(share, 2.0).example
    assert factors is not None
    return np.asarray(factors(problem)[0] > 1.0)


def situation(cell: dict[str, Any]) -> tuple[Problem, JobTimes, float]:
    """Return what a cell trains on, how long its jobs take, in ticks, and the end."""
    problem = problems.least_squares(m=1, n=cell["n"], d=cell["d"], seed=cell["seed"])
    ticks = np.where(slow_examples(problem, cell["share"]), cell["ratio"], 1)
    times = job_times.by_example(ticks)
    if cell["method"] in CONTROLS:
        times = job_times.shuffled(times, seed=cell["seed"])
    return problem, times, float(cell["until"] * ticks.mean())


def excess(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: the excess loss of the late average, and that of the optimum of the late law.

    Both belong to the second half of the run: the chance in its draws moves them alike. The average is over
    time, as that of the points that jobs read; an average over updates is another one where the counter does
    not advance with each arrival, by an amount of the order of the step.
    """
    name, (problem, times, end) = cell["method"], situation(cell)
    mean_curvature = float(np.mean(np.sum(problem.data.X**2, axis=-1)))
    early, late = (
        simulate_async(
            problem, method_of(name, cell["m"]), workers=cell["m"], until=until, job_times=times,
            step_size=cell["alpha_L"] * _steps_scale(name, cell) / mean_curvature,
            order="rr" if name.endswith("queue") else "iid", seed=cell["seed"], record=record,
        )
        for until, record in (
            (end / 2.0, AsyncRecord(loss=False)),
            (end, AsyncRecord(interval=end / cell["records"], trajectory=True, loss=False)),
        )
    )  # fmt: skip
    if late.status != "completed":
        return {"excess": np.inf, "law": np.inf}
    assert late.trajectory is not None
    weight = (late.weight - early.weight)[0]
    average = late.trajectory[len(late.trajectory) // 2 :].mean(axis=0)
    points = {"excess": average, "law": optimum(problem, weight / weight.sum())}
    return {key: _above(problem, x) for key, x in points.items()}


def _above(problem: Problem, x: FloatArray) -> float:
    return float(_minimum.excess(problem, [problem.value(x, problem.data)])[0])


def predicted_shares(config: dict[str, Any]) -> dict[str, float]:
    """Return the share of the slow examples in the laws that are known exactly, and 0 for none of them."""
    m, p, ticks = config["m"], [1.0 - config["share"], config["share"]], [1, config["ratio"]]

    def by_delay(weight: Any) -> float:
        return float(exact_laws.weighted_by_delay(p, ticks, m, weight)[1])

    rounds = {f"rennala {S}": float(exact_laws.round_law(p, ticks, m, S)[1]) for S in (16, 128)}
    return {
        "easy only": 0.0,
        "delay-adaptive": by_delay(lambda tau: m / np.maximum(m, tau)),
        "drop-by-age": by_delay(lambda tau: tau <= m),
        **rounds,
    }


def predicted_excess(config: dict[str, Any], seed: int, share: float) -> float:
    """Return the excess loss of the optimum of a law that gives the slow examples a share."""
    problem = problems.least_squares(m=1, n=config["n"], d=config["d"], seed=seed)
    slow = slow_examples(problem, config["share"])
    return _above(
        problem, optimum(problem, np.where(slow, share / slow.sum(), (1.0 - share) / (~slow).sum()))
    )


def run(options: Options) -> Result:
    """Compare the methods at equal simulated time, each with its best step size.

    Methods that keep every gradient reach x*; those that drop or attenuate late gradients stop at the optimum
    of their own effective law. Both are measured in the same run; where the law is known exactly, the
    excess is also held against its prediction, before any run. Laws are limits of small steps and are held
    against the smallest step; the best ones are ranked. With the same times permuted across examples the bias
    is gone.

    Returns
    -------
    Result
        Rows "excess / excess without slow examples" of keeping methods and controls (predicted 0), "excess /
        excess of its own law" and "of its predicted law" of discarding ones (predicted 1), and the ranking.
        Data ``excess <method>`` with the best step, ``small <method>`` with the smallest, ``law <method>``,
        ``predicted <method>`` and ``easy only``, all (seeds,).
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    seeds = subseeds(options.seed, config["seeds"])
    axes = {"method": [*KEEPING, *CONTROLS, *DISCARDING], "alpha_L": config["alpha_L"], "seed": seeds}
    shared = {key: config[key] for key in ("m", "n", "d", "share", "ratio", "until", "records")}
    cells = run_cells(excess, grid(axes, shared), options)
    shape = [len(axis) for axis in axes.values()]
    table = {key: np.reshape([cell[key] for cell in cells], shape) for key in ("excess", "law")}
    predicted = {
        name: np.array([predicted_excess(config, seed, share) for seed in seeds])
        for name, share in predicted_shares(config).items()
    }
    easy = predicted.pop("easy only")
    rows: list[Row] = []
    data: dict[str, Any] = {"easy only": easy} | {f"predicted {name}": at for name, at in predicted.items()}
    for k, name in enumerate(axes["method"]):
        best = int(np.argmin(table["excess"][k].mean(axis=1)))
        measured = data[f"excess {name}"] = table["excess"][k, best]
        # Laws are limits of small steps: the smallest of the grid is its first.
        small, own = table["excess"][k, 0], table["law"][k, 0]
        data[f"small {name}"], data[f"law {name}"] = small, own
        if name not in DISCARDING:
            share = verdict(measured / easy, 0.0, 0.05, positive=True)
            rows.append(Row.judged(name, "excess / excess without slow examples", share))
            continue
        rows.append(_beside(name, OWN, small, own))
        if name in predicted:
            rows.append(_beside(name, PREDICTED, small, predicted[name]))
    rows.append(_ranking(data))
    notes = [f"{name}: {method_of(name, 2).provenance}" for name in KEEPING if name.startswith("ordered")]
    return Result("async compare", config, rows, data, notes)


def _beside(name: str, quantity: str, small: FloatArray, law: FloatArray) -> Row:
    return Row.judged(name, quantity, verdict(small / law, 1.0, 0.1, positive=True))


def _ranking(data: dict[str, FloatArray]) -> Row:
    """Judge: the worst keeping method beats the best discarding one, seed by seed."""
    worst = np.max([data[f"excess {name}"] for name in KEEPING], axis=0)
    best = np.min([data[f"excess {name}"] for name in DISCARDING], axis=0)
    ratio = float((worst / best).max())
    return Row.claimed("all", "worst keeping / best discarding", ratio, ratio < 1.0)
