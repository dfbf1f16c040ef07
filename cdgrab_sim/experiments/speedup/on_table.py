"""How much a better order gains on a table of real data: tuned errors against m, beside rr."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cdgrab_sim.analysis import t_interval
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._readings import paired, ratio
from cdgrab_sim.experiments._real_data import study
from cdgrab_sim.experiments._study import measured, rounded

_TRANSIENT = 0.5  # share of the error that is left without any noise, from which the output says so


def run(options: Options, names: Sequence[str], **asked: Any) -> Result:
    """Tune the step size of every ordering for every m, and compare the errors.

    No slope is claimed: real data obey none exactly.

    Parameters
    ----------
    options : Options
    names : sequence of str
    **asked
        As in `_real_data.study`.

    Returns
    -------
    Result
        Rows "tuned error at m = ..." and "error / rr at m = ..." for the largest m; data ``m``,
        ``error <ordering>`` (seeds, K) and ``step size <ordering>`` (K,).
    """
    one = study(options, names, **asked)
    m, epochs = one.sizes["m"], one.sizes["epochs"]
    by_name = measured(one, names, [(size, epochs) for size in m], options)
    arrays: dict[str, Any] = {"m": np.array(m)}
    for name, found in by_name.items():
        arrays[f"error {name}"] = np.column_stack([cell["errors"] for cell in found])
        arrays[f"step size {name}"] = np.array([cell["step_size"] for cell in found])
    largest = {name: found[-1] for name, found in by_name.items()}
    notes = [one.used, *rounded(by_name, [f"m = {size}" for size in m]), *_notes(largest, m[-1], epochs)]
    return Result("speedup", one.config, _rows(largest, m[-1]), arrays, notes)


def _rows(largest: dict[str, dict[str, Any]], m: int) -> list[Row]:
    rows = []
    for name, cell in largest.items():
        low, high = t_interval(cell["errors"], positive=True)
        mean = float(cell["errors"].mean())
        rows.append(Row(name, f"tuned error at m = {m}", mean, low, high))
    base = largest.get("rr")
    for name, cell in largest.items():
        if base is not None and name != "rr":
            rows.append(ratio(name, f"error / rr at m = {m}", cell["errors"], base["errors"]))
    return rows


def _notes(largest: dict[str, dict[str, Any]], m: int, T: int) -> list[str]:
    base, notes = largest.get("rr"), []
    for name, cell in largest.items():
        if base is not None and name != "rr":
            notes.append(f"{name} against rr at m = {m}: {paired(cell['errors'], base['errors'])}")
    for name, cell in largest.items():
        share = float(cell["noiseless"].mean() / cell["errors"].mean())
        if share >= _TRANSIENT:
            notes.append(
                f"{name} at m = {m}: full gradients with the same step leave {100 * share:.0f} % of this "
                f"error: T = {T} lies in the transient, which no order shortens"
            )
    return notes
