"""Floors of the mean iterate for every graph and ordering, beside what the prefixes on the graph predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim import graphs, orderings
from cdgrab_sim._records import Ordering, Problem, Record
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.analysis import rate, verdict
from cdgrab_sim.experiments._cells import by_ordering, grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._measures import floor, problem_of, run_of
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.graphs import Graph

STILL = 1e-12  # of a step that moves nothing: gradients stay as they are at the minimiser


def ordering_on(name: str, graph: Graph) -> Ordering:
    """Return an ordering by name; the gossiping one talks over the graph, lazily where N6 asks for it."""
    if name != "cd-grab-gossip":
        return orderings.make(name)
    negative = float(np.linalg.eigvalsh(graph.W)[0]) < -1e-9
    return orderings.cd_grab_gossip(graph=graph.lazy() if negative else graph)


def floor_and_spread(cell: Cell) -> dict[str, Any]:
    """Measure a floor, and the mean square of the distances from the mean at which gradients are taken."""
    problem, graph = problem_of(cell), graphs.make(cell["graph"], cell["m"])
    ordering = ordering_on(cell["ordering"], graph)
    still = {key: value for key, value in cell.items() if key != "update"}
    record = Record(loss=False, grad_norm=False, distance=False, orders=True)
    run = run_of(still, problem, STILL, cell["standing"], record, ordering)
    assert run.orders is not None
    spread = spread_of(problem, run.orders[0], graph.W)
    return {"error": floor(cell, problem, ordering)["error"], "spread": spread}


def spread_of(problem: Problem, orders: IntArray, W: FloatArray) -> float:
    """Return the mean square of P_k + D_ik, by which worker i is off at step k, over alpha.

    P are the parallel prefixes of an epoch, and D <- W (D + nu - mean nu) what the graph leaves of the
    workers' own (N3 as alpha vanishes). The first half of the epochs only fills the filter.
    """
    terms, (epochs, m, n) = problem.data.terms, orders.shape
    D, total = np.zeros((m, problem.d)), 0.0
    for t, pi in enumerate(orders):
        shown = np.take_along_axis(terms, pi[:, :, None], axis=1)
        P = np.zeros(problem.d)
        for k in range(n):
            if t >= epochs // 2:
                total += float(((P + D) ** 2).sum())
            nu = shown[:, k]
            P = P + nu.mean(axis=0)
            D = W @ (D + nu - nu.mean(axis=0))
    return float(total / (m * n * (epochs - epochs // 2)))


def graphs_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for floors on `skewed`, graph by graph."""
    sizes, names, over = config["floors"], config["orderings"], config["graphs"]
    shared = {key: sizes[key] for key in ("problem", "epochs", "standing", "replicates")}
    shared |= {"m": config["m"], "n": config["n"]}
    shared["step_size"] = sizes["alpha_n_L"] / (config["n"] * sizes["problem"]["kappa"])  # the L of skewed
    cells = grid({"ordering": names, "seed": seeds, "graph": over}, shared)
    cells = [cell | {"update": {"name": "gossip", "graph": cell["graph"]}} for cell in cells]

    def read(values: list[dict[str, Any]]) -> Findings:
        shape = (len(names), len(seeds), len(over))
        floors, spreads = (np.array([v[key] for v in values]).reshape(shape) for key in ("error", "spread"))
        gaps = np.array([graphs.make(name, config["m"]).gap for name in over])
        found = Findings(data={"gap": gaps})
        base = names.index("rr"), slice(None), over.index("complete")
        unit = float(np.exp(np.log(floors[base] / spreads[base]).mean()))
        for name, table, spread in zip(names, floors, spreads, strict=True):
            found.data[f"floor {name}"] = table
            found.data[f"predicted {name}"] = spread * unit
            for g, graph in enumerate(over):
                if (name, graph) != ("rr", "complete"):
                    found.rows.append(_row(name, graph, table[:, g] / unit, spread[:, g], config["margin"]))
        return found

    return Part(floor_and_spread, cells, read)


def workers_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for floors on `skewed` against m on one graph, whose gap closes as m grows."""
    sizes, names, graph = config["workers"], config["orderings"], config["workers"]["graph"]
    shared = {key: config["floors"][key] for key in ("problem", "standing", "replicates")}
    shared |= {"n": config["n"], "epochs": sizes["epochs"]}
    shared |= {"graph": graph, "update": {"name": "gossip", "graph": graph}}
    L = config["floors"]["problem"]["kappa"]  # of skewed
    shared["step_size"] = config["floors"]["alpha_n_L"] / (config["n"] * L)
    cells = grid({"ordering": names, "seed": seeds, "m": sizes["m"]}, shared)

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={"workers": np.array(sizes["m"])})
        floors, spreads = (by_ordering(values, key, names, len(seeds)) for key in ("error", "spread"))
        for name in names:
            found.data[f"workers {name}"] = floors[name]
            slopes, expected = (rate(sizes["m"], one[name]).slopes for one in (floors, spreads))
            promise = float(expected.mean())
            word = verdict(slopes - expected + promise, promise, config["margin"])
            found.rows.append(Row.judged(name, f"floor exponent in m, {graph}", word))
        return found

    return Part(floor_and_spread, cells, read)


def _row(name: str, graph: str, measured: FloatArray, predicted: FloatArray, margin: float) -> Row:
    """Judge a floor, in the unit in which that of rr with a server is its spread, by its own spread."""
    share = measured / predicted
    return Row.judged(name, f"floor / predicted, {graph}", verdict(share, 1.0, margin))
