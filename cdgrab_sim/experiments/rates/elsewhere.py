"""Tuned errors where theory predicts no exponent: on a table of real data, or on a problem of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._rng import subseeds
from cdgrab_sim.analysis import t_interval
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._exponents import bend_notes, raw_exponent_row
from cdgrab_sim.experiments._measures import problem_of
from cdgrab_sim.experiments._study import Study, measured, rounded, usable

_HALVINGS = 3  # of the epochs


def own(options: Options, names: Sequence[str], family: str, sizes: Mapping[str, Any], seeds: int) -> Study:
    """Measure on a family of problems, from x_0 = (1, ..., 1), with these n, m and T."""
    chosen = {"n": sizes["n"], "m": sizes["m"], "epochs": sizes["T"], "seeds": seeds}
    shared: dict[str, Any] = {"problem": {"family": family}, "n": sizes["n"], "x0": 1.0}
    shared |= {"seeds": subseeds(options.seed, seeds)}
    for seed in shared["seeds"]:
        usable(problem_of(shared | {"m": sizes["m"][0], "seed": seed}))
    config = chosen | {"problem": family, "seed": options.seed, "orderings": list(names)}
    return Study(chosen, shared, config, f"{family} with n = {sizes['n']} examples for each worker")


def run(options: Options, names: Sequence[str], one: Study) -> Result:
    """Fit exponents of tuned errors in m at T epochs, and in T at the largest m.

    The step size is tuned for every ordering, m and T on the mean over all seeds.

    Returns
    -------
    Result
        Rows "tuned error exponent in m" and "... in T", and the tuned error at the largest of both; data
        ``tuned m``, ``tuned T`` (K,) and ``tuned <variable> <ordering>`` (seeds, K).
    """
    m, T = one.sizes["m"], one.sizes["epochs"]
    epochs = sorted({max(1, T >> halvings) for halvings in range(_HALVINGS + 1)})
    places = [*((size, T) for size in m), *((m[-1], t) for t in epochs)]
    found = measured(one, names, places, options)
    rows, data, notes = [], {"tuned m": np.array(m), "tuned T": np.array(epochs)}, [one.used]
    notes += rounded(found, [f"m = {size}, T = {t}" for size, t in places])
    for variable, x, part in (("m", m, slice(len(m))), ("T", epochs, slice(len(m), None))):
        for name, cells in found.items():
            table = np.column_stack([cell["errors"] for cell in cells[part]])
            data[f"tuned {variable} {name}"] = table
            if len(x) > 1:
                rows.append(raw_exponent_row(name, "tuned error", variable, x, table))
                notes += bend_notes("tuned error", variable, x, {name: table})
    for name, cells in found.items():
        low, high = t_interval(cells[-1]["errors"], positive=True)
        mean = float(cells[-1]["errors"].mean())
        rows.append(Row(name, f"tuned error at m = {m[-1]}, T = {T}", mean, low, high))
    sizes = {"m": {"m": m, "T": T}, "T": {"T": epochs, "m": m[-1]}}
    return Result("rates", one.config | {"parts": ["tuned"], "tuned": sizes}, rows, data, notes)
