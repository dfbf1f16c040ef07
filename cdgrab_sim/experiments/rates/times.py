"""Time to accuracy against workers, under a horizon that censors the slow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import uncensored
from cdgrab_sim.experiments._cells import by_ordering, grid
from cdgrab_sim.experiments._exponents import bend_notes, exponent_row
from cdgrab_sim.experiments._measures import for_ordering, time_to_accuracy
from cdgrab_sim.experiments._parts import Findings, Part

MARGINS = {"cd-grab": 0.2, "sgd": 0.2}
MARGIN = 0.1
FEWEST = 3  # sizes that a fit needs


def times_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Find the fewest epochs that reach the accuracy for any step size, and their exponent in m."""
    sizes = config["times"]
    x, names = sizes["m"], sizes["orderings"]
    shared = {"problem": config["problem"], "n": config["n"], "x0": 1.0}
    shared |= {key: sizes[key] for key in ("T", "accuracy", "rates", "replicates")}
    cells = grid({"ordering": names, "seed": seeds, "m": x}, shared)

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={"times": np.array(x)})
        for name, times in by_ordering(values, "epochs", names, len(seeds)).items():
            found.data[f"times {name}"] = times
            found.add(_exponent(name, x, times, sizes["T"], for_ordering(sizes["accuracy"], name)))
        return found

    return Part(time_to_accuracy, cells, read)


def _exponent(name: str, x: Sequence[int], times: FloatArray, T: int, accuracy: float) -> Findings:
    known = uncensored(times)
    found = Findings()
    if not known.all():
        missing = [
            f"m = {m}: {int(np.isinf(column).sum())} of {len(column)} seeds"
            for m, column in zip(x, times.T, strict=True)
            if np.isinf(column).any()
        ]
        found.notes.append(
            f"{name}: f - f* <= {accuracy:g} takes more than T = {T} epochs at {', '.join(missing)}; "
            f"these m are censored and not in the fit"
        )
    if known.sum() < FEWEST:
        found.notes.append(f"{name}: no exponent of the time to accuracy from {int(known.sum())} sizes")
        return found
    fitted, kept = np.array(x)[known], times[:, known]
    found.rows.append(exponent_row(name, "time to accuracy", "m", fitted, kept, MARGINS.get(name, MARGIN)))
    found.notes += bend_notes("time to accuracy", "m", fitted, {name: kept})
    return found
