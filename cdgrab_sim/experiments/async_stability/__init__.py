"""Which step sizes are stable under delay, and how much noise does delay add? Equal and random workers."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._rng import subseeds
from cdgrab_sim.analysis import verdict
from cdgrab_sim.asynchronous import AsyncRecord, job_times, simulate_async
from cdgrab_sim.experiments._cells import grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row
from theory.asynchrony import exponential, fixed_delay

SIZES: dict[str, Any] = {
    "m": [2, 8, 32],
    "times": ["fixed", "exponential"],
    "fraction": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],  # of the largest stable step
    "judged": 0.3,
    "d": 16,
    "n": 256,
    "updates": 100_000,
    "seeds": 6,
}
QUICK = SIZES | {"m": [2, 8], "updates": 20_000}
_EVERY, _MARGIN, _PRECISION = 8, 0.05, 2e-3


def limit(times: str, m: int) -> float:
    """Return the largest stable c = alpha h."""
    return fixed_delay.stability_limit(m - 1) if times == "fixed" else exponential.stability_limit(m)


def predicted_variance(times: str, c: float, m: int) -> float:
    """Return the stationary variance over the noise of one step."""
    return fixed_delay.variance(c, m - 1) if times == "fixed" else exponential.variance(c, m)


def variance(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: the mean square of the server's iterate, over that of one step's noise."""
    d, seed, m = cell["d"], cell["seed"], cell["m"]
    problem = problems.quadratic(m=1, n=cell["n"], d=d, eigenvalues=[1.0] * d, seed=seed)
    assert problem.x_star is not None
    c = cell["fraction"] * limit(cell["times"], m)
    run = simulate_async(
        problem, "vanilla", workers=m, updates=cell["updates"], step_size=c, seed=seed, x0=problem.x_star,
        job_times=job_times.fixed() if cell["times"] == "fixed" else job_times.exponential(),
        record=AsyncRecord(every=_EVERY, trajectory=True, loss=False),
    )  # fmt: skip
    assert run.trajectory is not None
    noise = c**2 * problem.data.b[0].var(axis=0)
    late = run.trajectory[len(run.trajectory) // 5 :] - problem.x_star
    return {"variance": float((late**2 / noise).mean())}


def largest_stable_step(m: int, updates: int = 200_000) -> float:
    """Bisect for the largest step at which equal workers on one mode without noise do not grow."""
    mode = problems.quadratic(m=1, n=1, d=1, eigenvalues=[1.0], sigma=0.0)
    assert mode.x_star is not None
    low, high = 0.0, 2.5
    while high - low > _PRECISION / 10 * high:
        c = 0.5 * (low + high)
        run = simulate_async(
            mode, "vanilla", workers=m, updates=updates, step_size=c, x0=mode.x_star + 1.0,
            record=AsyncRecord(loss=False),
        )  # fmt: skip
        stable = bool(np.isfinite(run.x).all()) and abs(run.x[0] - mode.x_star[0]) <= 1.0
        low, high = (c, high) if stable else (low, c)
    return 0.5 * (low + high)


def run(options: Options) -> Result:
    """Measure stability limits and stationary variances of asynchronous SGD on quadratics.

    Predictions A1, A2 (equal workers, a fixed delay m - 1) and A6 (exponential times). The exponential limit
    is one of the second moment, which a sample mean cannot show; its variances can.

    Returns
    -------
    Result
        Rows "largest stable step" of equal workers and "variance over its prediction" of both; data
        ``fraction`` (K,), ``variance <times> m=<m>`` (seeds, K) and ``predicted <times> m=<m>`` (K,).
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    keys = ("times", "m", "fraction")
    axes = {key: config[key] for key in keys} | {"seed": subseeds(options.seed, config["seeds"])}
    cells = grid(axes, {key: config[key] for key in ("d", "n", "updates")})
    measured = [cell["variance"] for cell in run_cells(variance, cells, options)]
    table = np.reshape(measured, [len(axis) for axis in axes.values()])
    rows = [_limit_row(m) for m in config["m"]]
    data: dict[str, Any] = {"fraction": np.array(config["fraction"])}
    at = config["fraction"].index(config["judged"])
    for times, by_m in zip(config["times"], table, strict=True):
        for m, values in zip(config["m"], by_m, strict=True):
            steps = data["fraction"] * limit(times, m)
            predicted = np.array([predicted_variance(times, c, m) for c in steps])
            name = f"{times} m={m}"
            data[f"variance {name}"], data[f"predicted {name}"] = values.T, predicted
            ratio = verdict(values[at] / predicted[at], 1.0, _MARGIN, positive=True)
            rows.append(Row.judged(name, "variance over its prediction", ratio))
    return Result("async stability", config, rows, data)


def _limit_row(m: int) -> Row:
    measured, predicted = largest_stable_step(m), limit("fixed", m)
    margin = _PRECISION * predicted
    word = "agrees" if abs(measured - predicted) <= margin else "disagrees"
    return Row(f"fixed m={m}", "largest stable step", measured, None, None, predicted, margin, word)
