"""The fewest bits to an accuracy, the step size tuned for every ordering and every way to send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim import compressors
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._cells import grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._measures import time_to_accuracy
from cdgrab_sim.experiments._parts import Findings, Part


def bits_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for bits and rounds: a worker sends one message in every step."""
    sizes, names = config["bits"], config["orderings"]
    sent, n, d = sizes["sent"], sizes["n"], sizes["problem"]["d"]
    shared = {"x0": 1.0} | {
        key: sizes[key] for key in ("problem", "m", "n", "T", "accuracy", "rates", "replicates")
    }
    cells = grid({"ordering": names, "sent": list(sent), "seed": seeds}, shared)
    cells = [cell | ({"update": sent[cell["sent"]]} if sent[cell["sent"]] else {}) for cell in cells]
    length = {label: _message(update, d) for label, update in sent.items()}

    def read(values: list[dict[str, Any]]) -> Findings:
        epochs = np.array([cell["epochs"] for cell in values]).reshape(len(names), len(sent), -1)
        found = Findings()
        for name, table in zip(names, epochs, strict=True):
            found.data[f"rounds {name}"] = rounds = n * table.T
            found.data[f"bits {name}"] = bits = rounds * list(length.values())
            found.rows += _rows(name, list(sent), bits, sizes["accuracy"]["others"])
            found.notes += [
                f"{name}: {label} does not reach {sizes['accuracy']['others']:g} in T = {sizes['T']} epochs"
                for label, column in zip(sent, bits.T, strict=True)
                if not np.isfinite(column).all()
            ]
        return found

    return Part(time_to_accuracy, cells, read)


def _message(update: Mapping[str, Any] | None, d: int) -> float:
    compressor = "identity" if update is None else update["compressor"]
    return compressors.make(compressor).bits(d)


def _rows(name: str, labels: Sequence[str], bits: FloatArray, accuracy: float) -> list[Row]:
    """Report means over seeds: bits of a worker, and over those of gradients that are sent as they are."""
    means = bits.mean(axis=0)
    rows = [Row(name, f"bits to {accuracy:g}, plain", float(means[0]))]
    return rows + [
        Row(name, f"bits / plain, {label}", float(mean / means[0]))
        for label, mean in zip(labels[1:], means[1:], strict=True)
        if np.isfinite(mean)
    ]
