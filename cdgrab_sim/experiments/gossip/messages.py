"""The fewest messages to an accuracy, the step size tuned for every ordering and graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim import graphs
from cdgrab_sim.experiments._cells import grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._measures import time_to_accuracy
from cdgrab_sim.experiments._parts import Findings, Part

NAMES = ("rr", "cd-grab")


def messages_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for vectors that all workers together send, one over every edge and direction in every step."""
    sizes, over, m, n = config["messages"], config["graphs"], config["m"], config["n"]
    keys = ("problem", "T", "accuracy", "rates", "replicates")
    shared = {"m": m, "n": n, "x0": 1.0} | {key: sizes[key] for key in keys}
    cells = grid({"ordering": NAMES, "seed": seeds, "graph": over}, shared)
    cells = [cell | {"update": {"name": "gossip", "graph": cell["graph"]}} for cell in cells]
    edges = np.array([graphs.make(name, m).edges for name in over])

    def read(values: list[dict[str, Any]]) -> Findings:
        epochs = np.array([v["epochs"] for v in values]).reshape(len(NAMES), len(seeds), len(over))
        found = Findings()
        for name, table in zip(NAMES, n * epochs, strict=True):
            found.data[f"exchanges {name}"], found.data[f"messages {name}"] = table, table * edges
            means = (table * edges).mean(axis=0)
            found.rows += [
                Row(name, f"messages to {sizes['accuracy']['others']:g}, {graph}", float(mean))
                for graph, mean in zip(over, means, strict=True)
            ]
        return found

    return Part(time_to_accuracy, cells, read)
