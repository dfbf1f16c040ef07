"""The non-convex bounds T1 and T5 beside the squared gradient norm, at every epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._records import Record
from cdgrab_sim._run import Run
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._cells import by_ordering, grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._exponents import raw_exponent_row
from cdgrab_sim.experiments._measures import problem_of, run_of
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from theory.convergence import cd_grab_nonconvex_bound, nonconvex_bound

LOOSEST = 50.0  # a bound further above what it bounds says little
QUANTITY = "mean |∇f|²"


def bounds_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Measure the mean squared gradient norm against m, and compare it with the bounds epoch by epoch."""
    sizes = config["bounds"]
    x, names = sizes["m"], sizes["orderings"]
    shared = {key: sizes[key] for key in ("problem", "n", "T", "alpha_n_L")}
    cells = grid({"ordering": names, "seed": seeds, "m": x}, shared)

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={"robust": np.array(x)})
        tables = {
            key: by_ordering(values, key, names, len(seeds))
            for key in ("measured", "T1", "T1 least", "T1 most", "T5", "T5 least", "T5 most", "window")
        }
        for name in names:
            found.data[f"robust {name}"] = tables["measured"][name]
            found.rows.append(raw_exponent_row(name, QUANTITY, "m", x, tables["measured"][name]))
            for label in ("T1", "T5"):
                if np.isfinite(tables[label][name]).all():
                    found.data[f"robust {label} {name}"] = tables[label][name]
                    found.rows += _rows(
                        name, label, tables[f"{label} least"][name], tables[f"{label} most"][name]
                    )
        found.notes.append(_window_note(tables["window"]["cd-grab"], sizes["T"]))
        return found

    return Part(bounded_run, cells, read)


def bounded_run(cell: Cell) -> dict[str, float]:
    """Run, and compare the mean of |grad f(x_t)|^2 over t < k with its bounds, for every k up to T.

    The proofs sum decreases of f along the run, so that f(x_0) - min_{t<=k} f(x_t) may stand for
    f(x_0) - inf f: the statement that is tested is the stronger one.
    """
    problem, T, paired = problem_of(cell), cell["T"], cell["ordering"] == "cd-grab"
    L = problem.constants["L"]
    alpha = cell["alpha_n_L"] / (problem.n * L)
    start = {"x0": 0.0, "replicates": {"others": 1}}
    run = run_of(cell | start, problem, alpha, T, Record(herding=("l2",), balance=paired))
    assert run.grad_norm is not None
    measured = np.cumsum(run.grad_norm[0, :-1] ** 2) / np.arange(1, T + 1)
    found = {"measured": float(measured[-1])} | _compared("T1", _t1(run, L, alpha), measured)
    t5 = _t5(run, L, alpha) if paired else np.full(T, np.nan)
    return found | _compared("T5", t5, measured) | {"window": _window(run, L) if paired else np.nan}


def _gaps(run: Run) -> FloatArray:
    """Return f(x_0) - min_{t<=k} f(x_t) for k = 1..T."""
    assert run.loss is not None
    lowest = np.minimum.accumulate(run.loss[0])
    return np.asarray(lowest[0] - lowest[1:])


def _t1(run: Run, L: float, alpha: float) -> FloatArray:
    """T1 at every epoch, with H_t^2 for the mean-square herding error V_t <= H_t^2."""
    n, m = run.meta["problem"]["n"], run.meta["problem"]["m"]
    V = (run.herding["l2"][0] / m) ** 2
    means = np.cumsum(V) / np.arange(1, len(V) + 1)
    return np.array(
        [
            nonconvex_bound(gap, L, mean, alpha, n, k)
            for k, (gap, mean) in enumerate(zip(_gaps(run), means, strict=True), start=1)
        ]
    )


def _t5(run: Run, L: float, alpha: float) -> FloatArray:
    """T5 at every epoch, with the balancing bounds that the server saw."""
    assert run.balance is not None
    n, m = run.meta["problem"]["n"], run.meta["problem"]["m"]
    H0, A = float(run.herding["l2"][0, 0] / m), run.balance[0]
    means = np.sqrt(np.cumsum(A**2) / np.arange(1, len(A) + 1))
    return np.array(
        [
            cd_grab_nonconvex_bound(gap, L, H0, mean, alpha, m, n, k)
            for k, (gap, mean) in enumerate(zip(_gaps(run), means, strict=True), start=1)
        ]
    )


def _window(run: Run, L: float) -> float:
    """Epochs from which the leading term of T5 dominates: 23.3 F0 L (m n / A)^2."""
    assert run.balance is not None
    n, m = run.meta["problem"]["n"], run.meta["problem"]["m"]
    return float(23.3 * _gaps(run)[-1] * L * (m * n / run.balance[0].max()) ** 2)


def _compared(label: str, bound: FloatArray, measured: FloatArray) -> dict[str, float]:
    ratios = bound / measured
    return {
        label: float(bound[-1]),
        f"{label} least": float(ratios.min()),
        f"{label} most": float(ratios.max()),
    }


def _rows(name: str, label: str, least: FloatArray, most: FloatArray) -> list[Row]:
    """Two rows: the bound holds at every epoch of every run, and it is not far above."""
    low, high = float(least.min()), float(most.max())
    text = f"{label} bound / {QUANTITY}"
    return [
        Row.claimed(name, f"{text}, least over epochs (>= 1)", low, low >= 1.0),
        Row.claimed(name, f"{text}, most over epochs (<= {LOOSEST:g})", high, high <= LOOSEST),
    ]


def _window_note(windows: FloatArray, T: int) -> str:
    return (
        f"robust: no exponent in m is predicted here: the leading term of T5 dominates from T = "
        f"{np.median(windows[:, 0]):.0f} (m = 1) to {np.median(windows[:, -1]):.0e} epochs (largest m), and "
        f"T = {T}; below, the bound does not fall with m"
    )
