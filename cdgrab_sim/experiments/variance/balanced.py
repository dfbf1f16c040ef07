"""What balanced orders add to variance reduction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._records import Record
from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._cells import grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.synchronous._simulate import simulate

BELOW, ABOVE = 1e-11, 1e-2  # of the first distance: where the rate is looked at


def speeds(cell: Cell) -> dict[str, Any]:
    """Measure how much log |x - x_star| falls per epoch at every step size; 0 where it does not converge."""
    problem = problems.PROBLEMS["least-squares"](seed=cell["seed"], **{k: cell[k] for k in ("m", "n", "d")})
    found = []
    for a in cell["alpha_L"]:
        run = simulate(
            problem, cell["ordering"], epochs=cell["T"], step_size=a / problem.constants["L"],
            seed=cell["seed"], x0=np.full(problem.d, 2.0), update=cell["update"],
            record=Record(loss=False, grad_norm=False),
        )  # fmt: skip
        assert run.distance is not None
        found.append(_speed(run.distance[0]))
    return {"speeds": np.array(found)}


def _speed(distance: Any) -> float:
    scaled = distance / distance[0]
    at = np.flatnonzero(np.isfinite(scaled) & (scaled < ABOVE) & (scaled > BELOW))
    if len(at) < 3:
        return 0.0
    return float(np.log(scaled[at[0]] / scaled[at[-1]]) / (at[-1] - at[0]))


def balanced_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for the speed of every update in every order, at one small step and at its best one."""
    sizes = config["balanced"]
    axes = {"update": sizes["updates"], "ordering": sizes["orderings"], "seed": seeds}
    shared = {key: sizes[key] for key in ("m", "n", "d", "alpha_L", "T")}

    def read(values: list[dict[str, Any]]) -> Findings:
        every = np.array([cell["speeds"] for cell in values])
        speed = every.reshape(*map(len, axes.values()), len(sizes["alpha_L"]))
        found, small = Findings(), sizes["alpha_L"].index(sizes["small"])
        for update, (shuffled, balanced) in zip(sizes["updates"], speed, strict=True):
            label = f"{update}: speed over that of rr"
            ratio = balanced[:, small] / shuffled[:, small]
            found.rows.append(
                Row.judged("cd-grab", f"{label}, {sizes['small']:g}/L", verdict(ratio, 1.0, sizes["margin"]))
            )
            best = balanced.max(axis=1) / shuffled.max(axis=1)
            found.rows.append(Row.judged("cd-grab", f"{label}, best steps", verdict(best, None, None)))
            found.data[f"balanced {update}"] = np.array([ratio, best])
        return found

    return Part(speeds, grid(axes, shared), read)
