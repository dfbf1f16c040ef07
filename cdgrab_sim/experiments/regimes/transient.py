"""The first epochs: herding halves until it meets what balancing leaves, log2(H_0 / A) epochs later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._records import Record
from cdgrab_sim.experiments._cells import grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._measures import problem_of, run_of
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from theory.herding import transference_rounds


def transient_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Count the epochs until H_t <= 2 A against n, beside log2((H_0 - A) / A) rounded up (H5, H8)."""
    sizes = config["transient"]
    shared = {"problem": config["problem"], "m": sizes["m"], "T": sizes["T"], "alpha_n_L": sizes["alpha_n_L"]}
    cells = grid({"seed": seeds, "n": sizes["n"]}, shared)

    def read(values: list[dict[str, Any]]) -> Findings:
        table = {
            key: np.reshape([cell[key] for cell in values], (len(seeds), -1)).astype(float)
            for key in ("epochs", "promised")
        }
        rows = []
        for k, n in enumerate(sizes["n"]):
            measured, promised = table["epochs"][:, k], table["promised"][:, k]
            quantity = f"epochs to H ≤ 2A at n = {n} (≤ {promised.max():g})"
            holds = bool((measured <= promised).all())
            rows.append(Row.claimed("cd-grab", quantity, float(measured.mean()), holds))
        data = {"transient n": np.array(sizes["n"])}
        return Findings(rows, data | {f"transient {key}": values for key, values in table.items()})

    return Part(transient, cells, read)


def transient(cell: Cell) -> dict[str, int]:
    """Run cd-grab from random orders, and find the first epoch with H_t <= 2 max_s A_s."""
    problem = problem_of(cell)
    start = {"ordering": "cd-grab", "x0": 0.0, "replicates": {"others": 1}}
    alpha = cell["alpha_n_L"] / (problem.n * problem.constants["L"])
    record = Record(loss=False, grad_norm=False, distance=False, herding=("l2",), balance=True)
    run = run_of(cell | start, problem, alpha, cell["T"], record)
    assert run.balance is not None
    H, A = run.herding["l2"][0], float(run.balance.max())
    return {
        "epochs": int(np.argmax(H <= 2.0 * A)) if (H <= 2.0 * A).any() else len(H),
        "promised": transference_rounds(float(H[0]), A, A),
    }
