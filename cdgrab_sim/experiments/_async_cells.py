"""What the experiments on asynchronous methods share: how long jobs take, and the error of one run."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim import problems
from cdgrab_sim._records import Problem
from cdgrab_sim.asynchronous import METHODS, AsyncRecord, AsyncStatus, JobTimes, job_times, simulate_async
from cdgrab_sim.problems import _minimum

# A fifth of the examples, those that pull x* in one direction, take fifteen times as long.
_SHARE, _RATIO = 0.2, 15.0

_RECORDS = 32  # in a run
_DESCENT = 2000  # steps to a stationary point where no minimiser is known
TIMES = ("equal", "exponential", "pareto", "dependent", "dependent, shuffled")


def times_of(name: str, slow: NDArray[np.bool_], seed: int) -> JobTimes:
    """Return a model of job times by its name here; all have mean 1."""
    if name == "pareto":
        return job_times.pareto(1.5)
    if name == "equal":
        return job_times.fixed()
    if name == "exponential":
        return job_times.exponential()
    dependent = job_times.two_classes(slow, _RATIO)
    return job_times.shuffled(dependent, seed=seed) if name.endswith("shuffled") else dependent


def pulling(problem: Problem) -> NDArray[np.bool_]:
    """Return which examples pull a stationary point hardest in the first principal direction of all pulls."""
    x = problem.x_star
    if x is None:
        x = np.zeros(problem.d)
        for _ in range(_DESCENT):
            x = x - problem.gradients(x).mean(axis=(0, 1)) / problem.constants["L"]
    g = problem.gradients(x)[0]
    direction = np.linalg.svd(g - g.mean(axis=0), full_matrices=False)[2][0]
    direction = direction * np.sign(direction[np.argmax(np.abs(direction))])
    slow = np.zeros(problem.n, dtype=bool)
    slow[np.argsort(-(g @ direction), kind="stable")[: round(_SHARE * problem.n)]] = True
    return slow


@lru_cache(maxsize=64)
def situation(family: str, n: int, d: int, seed: int) -> tuple[Problem, NDArray[np.bool_]]:
    """Return a problem that all workers share, and which examples are slow where times depend on them."""
    problem: Problem = problems.PROBLEMS.factory(family)(m=1, n=n, d=d, seed=seed)
    return problem, pulling(problem)


def steps_scale(name: str, m: int, updates: float) -> float:
    """Return the factor of the step size that makes methods move alike for one point of the grid.

    AnyTime weights grow with the update, momentum repeats a gradient, and rounds average m of them.
    """
    if name in ("ordered-momentum-anytime", "ordered-momentum-mu-squared"):
        return 8.0 / updates
    if name in ("ordered-momentum-heavy-ball", "dana-zero", "adaptive-braking"):
        return 1.0 / 8.0
    if name in ("mini-batch", "rennala", "malenia", "buffered"):
        return float(m) / 2.0
    return 1.0


def measured(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: f - f* of the late average, and the mean square gradient over the second half.

    `until` counts mean job times and `updates` the server's counter; one of both is given.
    """
    problem, slow = situation(*(cell[key] for key in ("family", "n", "d", "seed")))
    m, times = cell["m"], times_of(cell["times"], slow, cell["seed"])
    until, updates = cell.get("until"), cell.get("updates")
    curvature = float(np.mean(np.sum(problem.data.X**2, axis=-1)))
    scale = steps_scale(cell["method"], m, updates or m * until)
    run = simulate_async(
        problem, METHODS[cell["method"]](m), workers=m, until=until, updates=updates,
        job_times=times, step_size=cell["alpha_L"] * scale / curvature, seed=cell["seed"],
        record=AsyncRecord(
            every=None if updates is None else max(1, updates // _RECORDS),
            interval=None if until is None else until / _RECORDS,
            loss=False, average=True, grad_norm=True,
        ),
    )  # fmt: skip
    if run.status != AsyncStatus.COMPLETED:
        return {"excess": np.inf, "square": np.inf}  # diverged: worse than any
    assert run.average is not None
    assert run.grad_norm is not None
    late = run.grad_norm[len(run.grad_norm) // 2 :]
    found = {"square": float(np.mean(late**2))}
    if problem.f_star is not None:
        found["excess"] = float(_minimum.excess(problem, [problem.value(run.average, problem.data)])[0])
    return {key: value if np.isfinite(value) else np.inf for key, value in found.items()}
