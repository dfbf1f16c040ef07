"""Every registered ordering through the scorecard's measures, ranked for each of them by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cdgrab_sim import orderings, problems
from cdgrab_sim._rng import subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import measurable, rate, t_interval, verdict
from cdgrab_sim.experiments._cells import run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._parts import run_parts
from cdgrab_sim.experiments.cost import stored
from cdgrab_sim.experiments.score import SIZES as SCORED
from cdgrab_sim.experiments.score import sections, validity
from cdgrab_sim.experiments.score.settings import ALIKE, FAMILIES

SIZES: dict[str, Any] = {
    "seeds": 6,
    "herding": {"m": [1, 4, 16], "n": [64], "d": [4], "at": {"m": 4, "n": 64, "d": 4}, "rounds": 12},
    "floors": SCORED["floors"] | {"problems": ["skewed"], "m": [1, 4, 16], "n": 16, "epochs": 240},
    "tuned": {"problems": list(FAMILIES), "m": [4], "n": 16, "T": 30},
    "later": SCORED["later"] | {"problems": []},
    "updated": SCORED["updated"] | {"problems": []},
}
QUICK: dict[str, Any] = SIZES | {"seeds": 3, "tuned": SIZES["tuned"] | {"problems": ["skewed"], "T": 10}}
_COUNTED = {"m": 4, "n": 64, "d": 32}


def run(options: Options, *, names: Sequence[str] | None = None) -> Result:
    """Measure all registered orderings that are orderings on several workers, and rank them in each column.

    Parameters
    ----------
    options : Options
    names : sequence of str, optional
        Other orderings than all registered ones; rr among them.

    Returns
    -------
    Result
        A row for each ordering and column, with its rank, the smallest first; notes say who was left out.
        Data as those of the scorecard.
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    every = list(orderings.ORDERINGS if names is None else names)
    found = run_cells(validity.look, [{"ordering": name} for name in every], options)
    wrong = {
        name: next((text for check in validity.MUST if (text := one.get(check))), "")
        for name, one in zip(every, found, strict=True)
    }
    names, seeds = [name for name in every if not wrong[name]], subseeds(options.seed, config["seeds"])
    data = run_parts("leaderboard", config, sections(config, names, seeds), options).data
    columns = [*_measured(data, names, config), _held(names)]
    rows = [row for column in columns for row in ranked(column)]
    notes = [f"{name} is left out: {why}" for name, why in wrong.items() if why]
    return Result("leaderboard", config | {"orderings": names}, rows, data, [*notes, *_NOTES])


_NOTES = (
    "each column is ranked by itself, the smallest first; where intervals overlap, ranks may be chance",
    "ratios are to rr on the same data, seed by seed; tuned errors: the median over the problems",
)


def ranked(column: Sequence[Row]) -> list[Row]:
    """Rank the rows of a column by what was measured; equal ones share the first of their ranks.

    Examples
    --------
    >>> [row.verdict for row in ranked([Row("a", "x", 2.0), Row("b", "x", 1.0), Row("c", "x", 2.0)])]
    ['1 of 3', '2 of 3', '2 of 3']
    """
    known = sorted((row for row in column if row.measured is not None), key=lambda row: row.measured or 0.0)
    values = [row.measured for row in known]
    placed = [replace(row, verdict=f"{values.index(row.measured) + 1} of {len(known)}") for row in known]
    return [*placed, *(row for row in column if row.measured is None)]


def _measured(data: Mapping[str, Any], names: Sequence[str], config: Mapping[str, Any]) -> list[list[Row]]:
    herding, floors, m = "herding error|largest m", f"floor, {ALIKE}|skewed", config["floors"]["m"]
    tuned = [f"tuned error, {ALIKE}|{problem}" for problem in config["tuned"]["problems"]]
    return [
        [
            _slope(name, "herding error exponent in m", config["herding"]["m"], data[f"{herding}|{name}"])
            for name in names
        ],
        [_ratio(name, f"herding error / rr, m = {m[-1]}", [herding], data) for name in names],
        [_slope(name, "floor exponent in m, skewed", m, data[f"{floors}|{name}"]) for name in names],
        [_ratio(name, f"floor / rr, skewed, m = {m[-1]}", [floors], data) for name in names],
        [_ratio(name, f"tuned error / rr, {len(tuned)} problems, m = 4", tuned, data) for name in names],
    ]


def _slope(name: str, quantity: str, x: Sequence[float], values: FloatArray) -> Row:
    if not measurable(values).all():
        return Row(name, quantity, None, verdict="not measured")
    return Row.judged(name, quantity, verdict(rate(x, values).slopes, None, None))


def _ratio(name: str, quantity: str, keys: Sequence[str], data: Mapping[str, Any]) -> Row:
    pairs = [(data[f"{key}|{name}"][:, -1:], data[f"{key}|rr"][:, -1:]) for key in keys]
    logs = [np.log(a / b)[:, 0] for a, b in pairs if measurable(a).all() and measurable(b).all()]
    if not logs:
        return Row(name, quantity, None, verdict="not measured")
    middle = np.median(logs, axis=0)
    low, high = t_interval(middle)
    return Row(name, quantity, float(np.exp(middle.mean())), float(np.exp(low)), float(np.exp(high)))


def _held(names: Sequence[str]) -> list[Row]:
    problem = problems.PROBLEMS["logistic"](**_COUNTED)
    what = "floats held, " + ", ".join(f"{letter} = {size}" for letter, size in _COUNTED.items())
    counted = {name: stored(orderings.make(name), problem) for name in names}
    return [Row(name, what, float(one.server + problem.m * one.worker)) for name, one in counted.items()]
