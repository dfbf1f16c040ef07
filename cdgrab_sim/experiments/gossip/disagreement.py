"""How far workers are apart under gossip and random reshuffling, against the step size and the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim import graphs, orderings, updates
from cdgrab_sim.analysis import rate, verdict
from cdgrab_sim.experiments._cells import grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._measures import problem_of
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.orderings._states import states
from cdgrab_sim.synchronous._engine import Engine
from theory import networks


def apart(cell: Cell) -> dict[str, Any]:
    """Measure the mean of |x_i - xbar|^2 at the ends of the later epochs, and predict it."""
    problem, alpha = problem_of(cell), cell["step_size"]
    graph = graphs.make(cell["graph"], problem.m)
    engine = Engine(problem, updates.gossip(graph=graph), problem.x_star)
    coming, total = states(orderings.rr(), problem, cell["seed"]), 0.0
    epochs, steps = cell["epochs"], np.full(problem.n, alpha)
    for t in range(epochs):
        engine.epoch(next(coming).pi, steps, None)
        if t >= epochs // 4:
            X = engine.it.X
            total += float(((X - X.mean(axis=0)) ** 2).sum())
    measured = total / (problem.m * (epochs - epochs // 4))
    exact = networks.consensus_error(alpha, problem.data.eigenvalues, graph.W, problem.data.b)
    return {"apart": measured, "exact": exact}


def disagreement_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for the disagreement on all graphs but the complete one, which has none."""
    sizes, names = config["disagreement"], [name for name in config["graphs"] if name != "complete"]
    x = [h / max(sizes["problem"]["eigenvalues"]) for h in sizes["alpha_L"]]
    shared = {"problem": sizes["problem"], "m": config["m"], "n": config["n"], "epochs": sizes["epochs"]}
    cells = grid({"graph": names, "seed": seeds, "step_size": x}, shared)

    def read(values: list[dict[str, Any]]) -> Findings:
        shape = (len(names), len(seeds), -1)
        measured, exact = (np.array([v[key] for v in values]).reshape(shape) for key in ("apart", "exact"))
        found = Findings(data={"alpha": np.array(x)})
        for name, table, promise in zip(names, measured, exact, strict=True):
            found.data[f"apart {name}"], found.data[f"exact {name}"] = table, promise
            share = np.exp(np.log(table / promise).mean(axis=1))
            found.rows.append(Row.judged(name, "disagreement / predicted", verdict(share, 1.0, 0.05)))
            slope = rate(x, promise).slope
            exponents = verdict(rate(x, table).slopes, slope, 0.1)
            found.rows.append(Row.judged(name, "disagreement exponent in alpha", exponents))
        return found

    return Part(apart, cells, read)
