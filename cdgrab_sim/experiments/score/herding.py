"""How far prefixes wander where vectors stand still: herding errors, and signed sums where shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim import orderings, problems
from cdgrab_sim._records import Record
from cdgrab_sim._rng import Role, stream
from cdgrab_sim.experiments._cells import by_ordering, grid, held
from cdgrab_sim.experiments._exponents import raw_exponent_row
from cdgrab_sim.experiments._measures import herding_error
from cdgrab_sim.experiments._parts import Findings, Part
from cdgrab_sim.synchronous._simulate import simulate

HERDING, SUMS = "herding error", "largest signed sum"
_STILL = 1e-12  # a step that moves nothing that is measured


def shows_sums(name: str) -> bool:
    """Tell whether the state of an ordering shows its running signed sums."""
    problem = problems.PROBLEMS["skewed"](m=2, n=4, d=2)
    return hasattr(orderings.make(name).init(problem, stream(0, Role.ORDER)), "s")


def signed_sums(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure the largest 2-norm of the signed sums in the last epochs, over gradients that stand still."""
    problem = problems.PROBLEMS["skewed"](m=cell["m"], n=cell["n"], d=cell["d"], seed=cell["seed"])
    run = simulate(
        problem, cell["ordering"], epochs=cell["rounds"], step_size=_STILL, seed=cell["seed"], threads=1,
        record=Record(loss=False, grad_norm=False, distance=False, balance=True),
    )  # fmt: skip
    assert run.balance is not None
    return {"error": float(run.balance[0, -5:].mean())}


def parts(config: Mapping[str, Any], names: Sequence[str], seeds: Sequence[int]) -> list[Part]:
    """Ask for both, against m, n and d."""
    sizes = config["herding"]
    showing = [name for name in names if shows_sums(name)]
    asked = [
        (task, label, variable, chosen)
        for task, label, chosen in ((herding_error, HERDING, names), (signed_sums, SUMS, showing))
        for variable in ("m", "n", "d")
        if chosen
    ]
    return [_part(sizes, *one, seeds) for one in asked]


def _part(
    sizes: Mapping[str, Any], task: Any, label: str, variable: str, names: Sequence[str], seeds: Sequence[int]
) -> Part:
    x = sizes[variable]
    shared = held(sizes["at"], variable) | {"rounds": sizes["rounds"]}
    cells = grid({"ordering": names, "seed": seeds, variable: x}, shared)

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={f"{label} {variable}": np.array(x)})
        for name, errors in by_ordering(values, "error", names, len(seeds)).items():
            found.rows.append(raw_exponent_row(name, label, variable, x, errors))
            found.data[f"{label}|largest {variable}|{name}"] = errors
        return found

    return Part(task, cells, read)
