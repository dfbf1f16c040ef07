"""What each asynchronous method converges to in equal time, when the slow examples matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray, Problem
from cdgrab_sim.analysis import verdict
from cdgrab_sim.asynchronous import METHODS, AsyncRecord, Method, job_times, methods, simulate_async
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row

# The fifth of the examples that pulls x* in one direction is slow.
SIZES: dict[str, Any] = {
    "m": 16,
    "n": 1000,
    "d": 8,
    "share": 0.2,
    "ratio": 15.0,
    "until": 20_000.0,  # in mean job times
    "alpha_L": [0.02, 0.04, 0.08, 0.16, 0.32],
    "seeds": 6,
}
QUICK = SIZES | {"until": 4000.0, "seeds": 4}

KEEPING = ("vanilla", "vanilla, queue", "ordered-momentum-anytime", "ordered-momentum-heavy-ball",
           "ordered-momentum-mu-squared", "mini-batch")  # fmt: skip
DISCARDING = ("delay-adaptive", "drop-by-age", "ringmaster 8", "ringmaster 64", "rennala 16", "rennala 128")
# The same times, permuted across examples: what discards late gradients then discards at random.
CONTROLS = ("delay-adaptive, shuffled", "drop-by-age, shuffled")
_RECORDS = 400


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
    at = np.array([weights @ job_times.example_gradients(problem, x)[0] for x in points])
    return np.asarray(np.linalg.solve((at[1:] - at[0]).T, -at[0]))


def _steps_scale(name: str, cell: dict[str, Any]) -> float:
    """Return the factor of the step size: rounds average gradients, AnyTime weights grow with the update."""
    if name in ("mini-batch", "rennala 16", "rennala 128"):
        return 8.0
    if name in ("ordered-momentum-anytime", "ordered-momentum-mu-squared"):
        return float(8.0 / (cell["m"] * cell["until"]))
    return 1.0 / 8.0 if name == "ordered-momentum-heavy-ball" else 1.0


def excess(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: the excess loss of the late average, and that of the realised law's optimum."""
    problem = problems.least_squares(m=1, n=cell["n"], d=cell["d"], seed=cell["seed"])
    name, f_star = cell["method"], problem.f_star
    assert f_star is not None
    times = job_times.by_gradient(cell["share"], cell["ratio"])
    mean_curvature = float(np.mean(np.sum(problem.data[0] ** 2, axis=-1)))
    run = simulate_async(
        problem,
        method_of(name, cell["m"]),
        workers=cell["m"],
        until=cell["until"],
        step_size=cell["alpha_L"] * _steps_scale(name, cell) / mean_curvature,
        job_times=job_times.shuffled(times, seed=cell["seed"]) if name in CONTROLS else times,
        order="rr" if name.endswith("queue") else "iid",
        seed=cell["seed"],
        record=AsyncRecord(interval=cell["until"] / _RECORDS, trajectory=True, loss=False),
    )
    assert run.trajectory is not None
    if run.status != "completed":
        return {"excess": np.inf, "law": np.inf}
    late = run.trajectory[len(run.trajectory) // 2 :].mean(axis=0)
    points = {"excess": late, "law": optimum(problem, run.law[0])}
    return {key: float(problem.value(x, problem.data) - f_star) for key, x in points.items()}


def easy_only(config: dict[str, Any], seed: int) -> float:
    """Return the excess loss of the optimum without the slow examples."""
    problem = problems.least_squares(m=1, n=config["n"], d=config["d"], seed=seed)
    times = job_times.by_gradient(config["share"], config["ratio"]).example
    assert times is not None
    assert problem.f_star is not None
    fast = times(problem)[0] < 1.0
    return float(problem.value(optimum(problem, fast / fast.sum()), problem.data) - problem.f_star)


def run(options: Options) -> Result:
    """Compare the methods at equal simulated time, each with its best step size.

    Methods that keep every gradient reach x*; those that drop or attenuate late gradients stop at the optimum
    of their own effective law. Both are measured in the same run. With the same times permuted across
    examples the bias is gone.

    Parameters
    ----------
    options : Options

    Returns
    -------
    Result
        Rows "excess / excess without slow examples" of keeping methods and controls (predicted 0), "excess /
        excess of its own law" of discarding ones (predicted 1), and the ranking. Data ``excess <method>``,
        ``law <method>`` (seeds,), and ``easy only`` (seeds,).
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    seeds = subseeds(options.seed, config["seeds"])
    axes = {"method": [*KEEPING, *CONTROLS, *DISCARDING], "alpha_L": config["alpha_L"], "seed": seeds}
    shared = {key: config[key] for key in ("m", "n", "d", "share", "ratio", "until")}
    cells = run_cells(excess, grid(axes, shared), options)
    shape = [len(axis) for axis in axes.values()]
    table = {key: np.reshape([cell[key] for cell in cells], shape) for key in ("excess", "law")}
    easy = np.array([easy_only(config, seed) for seed in seeds])
    rows: list[Row] = []
    data: dict[str, Any] = {"easy only": easy}
    for k, name in enumerate(axes["method"]):
        best = int(np.argmin(table["excess"][k].mean(axis=1)))
        measured, own = table["excess"][k, best], table["law"][k, best]
        data[f"excess {name}"], data[f"law {name}"] = measured, own
        if name not in DISCARDING:
            share = verdict(measured / easy, 0.0, 0.05)
            rows.append(Row.judged(name, "excess / excess without slow examples", share))
        else:
            rows.append(Row.judged(name, "excess / excess of its own law", verdict(measured / own, 1.0, 0.1)))
    rows.append(_ranking(data))
    notes = [f"{name}: {method_of(name, 2).provenance}" for name in KEEPING if name.startswith("ordered")]
    return Result("async compare", config, rows, data, notes)


def _ranking(data: dict[str, FloatArray]) -> Row:
    """Judge: the worst keeping method beats the best discarding one, seed by seed."""
    worst = np.max([data[f"excess {name}"] for name in KEEPING], axis=0)
    best = np.min([data[f"excess {name}"] for name in DISCARDING], axis=0)
    ratio = float((worst / best).max())
    word = "holds" if ratio < 1.0 else "fails"
    return Row("all", "worst keeping / best discarding", ratio, None, None, None, None, word)
