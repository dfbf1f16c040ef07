"""Mean-square rates of tables of gradients, in draws, reshuffled and in cycles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._records import Record
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._cells import grid, table
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.synchronous._simulate import simulate
from theory import affine


def decay(cell: Cell) -> dict[str, Any]:
    """Measure by what factor per step the mean square of x falls between two epochs."""
    A = np.array(cell["curvatures"]).reshape(1, -1, 1, 1)
    problem, (first, last) = problems.from_hessians(A, np.zeros(A.shape[:3])), cell["epochs"]
    run = simulate(
        problem, cell["ordering"], epochs=last, step_size=cell["alpha_L"], seed=cell["seed"], x0=[1.0],
        replicates=cell["replicates"], update=cell["kind"], threads=1,
        record=Record(every=first, loss=False, grad_norm=False),
    )  # fmt: skip
    assert run.distance is not None
    square = (run.distance**2).mean(axis=0)
    return {"rate": float(square[-1] / square[1]) ** (1.0 / (problem.n * (last - first)))}


def maps_of(sizes: Mapping[str, Any], kind: str, alpha: float) -> FloatArray:
    """Return the maps of a table of gradients (M2)."""
    a = np.array(sizes["curvatures"])
    return affine.table_maps(alpha, a.reshape(-1, 1, 1), np.zeros((len(a), 1)), kind)


def in_the_long_run(sizes: Mapping[str, Any], kind: str, ordering: str, alpha: float) -> float:
    """Return the mean-square rate per step."""
    per_step, _ = affine.mean_square_rate(ordering, maps_of(sizes, kind, alpha))
    return per_step


def exact(sizes: Mapping[str, Any], kind: str, ordering: str, alpha: float, epochs: Sequence[int]) -> float:
    """Return by what factor per step the mean square of x falls between the two epochs."""
    maps, n = maps_of(sizes, kind, alpha), len(sizes["curvatures"])
    start, (first, last) = [1.0, *np.zeros(n)], epochs
    before, after = (float(affine.moments(ordering, maps, start, T)[1][0, 0]) for T in (first, last))
    return float((after / before) ** (1.0 / (n * (last - first))))


def tables_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for rates at the step of the theorem and at a large one."""
    sizes = config["tables"]
    axes = {key: sizes[f"{key}s" if key != "alpha_L" else key] for key in ("kind", "ordering", "alpha_L")}
    cells = grid({**axes, "seed": seeds}, {k: sizes[k] for k in ("curvatures", "replicates")})
    looked = dict(zip(sizes["alpha_L"], sizes["epochs"], strict=True))
    cells = [cell | {"epochs": looked[cell["alpha_L"]]} for cell in cells]

    def read(values: list[dict[str, Any]]) -> Findings:
        rates = table(values, "rate", *map(len, axes.values()), len(seeds))
        low, high, points = sizes["curve"]
        curve = np.geomspace(low, high, points)
        found = Findings(data={"tables alpha L": np.array(sizes["alpha_L"]), "tables curve": curve})
        for kind, by_order in zip(sizes["kinds"], rates, strict=True):
            for name, measured in zip(sizes["orderings"], by_order, strict=True):
                found.data[f"tables {kind} {name}"] = measured.T
                found.data[f"tables exact {kind} {name}"] = np.array(
                    [in_the_long_run(sizes, kind, name, a) for a in curve]
                )
                found.rows += _rows(sizes, kind, name, measured)
            found.rows += _compared(sizes, kind, by_order)
        return found

    return Part(decay, cells, read)


def _said(alpha_L: float) -> str:
    return f"1/({1 / alpha_L:.3g} L)"


def _rows(sizes: Mapping[str, Any], kind: str, name: str, measured: FloatArray) -> list[Row]:
    settings = zip(sizes["alpha_L"], sizes["epochs"], sizes["margins"], measured, strict=True)
    return [
        Row.judged(
            name, f"{kind}: rate at {_said(a)}", verdict(one, exact(sizes, kind, name, a, epochs), margin)
        )
        for a, epochs, margin, one in settings
    ]


def _compared(sizes: Mapping[str, Any], kind: str, rates: FloatArray) -> list[Row]:
    """Judge by how much reshuffling is slower or faster than draws."""
    off = rates[sizes["orderings"].index("rr")] - rates[sizes["orderings"].index("sgd")]
    settings = zip(sizes["alpha_L"], sizes["epochs"], sizes["margins"], off, strict=True)
    rows = []
    for a, epochs, margin, measured in settings:
        shuffled, drawn = (exact(sizes, kind, name, a, epochs) for name in ("rr", "sgd"))
        label = f"{kind}: rate less that of draws, {_said(a)}"
        rows.append(Row.judged("rr", label, verdict(measured, shuffled - drawn, margin)))
    return rows
