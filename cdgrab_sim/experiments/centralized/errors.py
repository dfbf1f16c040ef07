"""Tuned errors of the same examples on ever more workers, and the prefixes that explain what m changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._records import Record
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._cells import by_ordering
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._exponents import exponent_row, raw_exponent_row, slope_row
from cdgrab_sim.experiments._measures import problem_of, run_of, tuned_error, unit_step
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.experiments.rates.tuned import rescaled

ERRORS, PREFIX = "tuned error (fixed N)", "mean |S_k|² (fixed N)"
SHARE = "tuned error / ((α μ n T)² mean |S_k|²) (fixed N)"
MARGIN, TIGHT = 0.2, 0.05  # the tight one would not let cd-grab's own exponent pass as 0


def errors_part(config: Mapping[str, Any], cells: list[Cell], seeds: int) -> Part:
    """Compare tuned errors over m, as they are and in units of the mean-square prefix of their orders.

    The error of tuned runs is C (alpha mu n T)^2 (1 + 2 / log) with C proportional to the mean square of the
    prefix sums S_k: what m changes beyond N goes through S_k alone (note S-slopes).
    """
    m, names = config["m"], config["distributed"]

    def read(values: list[dict[str, Any]]) -> Findings:
        table = {key: by_ordering(values, key, names, seeds) for key in ("error", "step", "prefix", "pair")}
        found = Findings()
        for name in names:
            error, prefix, step = (table[key][name] for key in ("error", "prefix", "step"))
            found.data |= {f"error {name}": error, f"prefix {name}": prefix, f"step {name}": step}
            found.rows += _rows(name, m, error, prefix, rescaled(name, error, step)[1])
            if (error > 0.0).all():
                found.notes.append(_noise_note(name, m, error))
        if "cd-grab" in names:
            found.notes += _pair_notes(m, table["pair"]["cd-grab"], table["prefix"]["cd-grab"])
        return found

    return Part(herded_error, cells, read)


def herded_error(cell: Cell) -> dict[str, float]:
    """Measure a tuned error, and at its step the mean-square prefix and pair difference of the orders.

    For problems such as `skewed`, whose centred gradients, the first array of data, do not depend on x. Pair
    differences are in units of those of random pairs, 2 sigma^2 n / (n - 1) with sigma^2 within workers.
    """
    found, problem, T = tuned_error(cell), problem_of(cell), cell["T"]
    run = run_of(cell, problem, found["step"] * unit_step(problem, T), T, Record(loss=False, orders=True))
    assert run.orders is not None
    z, n = problem.data[0], problem.n
    prefixes, pairs = [], []
    for pi in run.orders[:, T // 2 :].reshape(-1, problem.m, problem.n):  # H_0 is forgotten by then
        ordered = np.take_along_axis(z, pi[..., None], axis=1)
        prefixes.append(_mean_square(np.cumsum(ordered.sum(axis=0), axis=0)))
        pairs.append(_mean_square(ordered[:, : n - 1 : 2] - ordered[:, 1::2]))
    random = 2.0 * _mean_square(z - z.mean(axis=1, keepdims=True)) * n / (n - 1)
    return found | {"prefix": float(np.mean(prefixes)), "pair": float(np.mean(pairs)) / random}


def _mean_square(vectors: FloatArray) -> float:
    return float((vectors**2).sum(axis=-1).mean())


def _rows(name: str, m: Sequence[int], error: FloatArray, prefix: FloatArray, clean: FloatArray) -> list[Row]:
    """Judge the exponent of the error, and that of the error per mean-square prefix, far more closely."""
    return [
        exponent_row(name, ERRORS, "m", m, error, MARGIN),
        raw_exponent_row(name, PREFIX, "m", m, prefix),
        slope_row(name, f"{SHARE} exponent in m", m, clean / prefix, 0.0, TIGHT),
    ]


def _noise_note(name: str, m: Sequence[int], table: FloatArray) -> str:
    """Compare what m changes with what the seed changes."""
    logs = np.log(table)
    change = 100.0 * float(np.expm1(np.ptp(logs.mean(axis=0))))
    deviation = 100.0 * float(np.expm1(np.sqrt(logs.var(axis=0, ddof=1).mean())))
    change_in, noise = f"{change:.0f} % over m = {m[0]}..{m[-1]}", f"{deviation:.0f} % over seeds"
    return f"{name}: at fixed N the tuned error varies by {change_in}, by a standard deviation of {noise}"


def _pair_notes(m: Sequence[int], pair: FloatArray, prefix: FloatArray) -> list[str]:
    """Tell why few workers herd worse: neighbours in a herded order repel, and pairs are neighbours."""
    pairs, squares = pair.mean(axis=0), prefix.mean(axis=0)
    return [
        f"cd-grab: its mean |S_k|² falls by a factor {squares[0] / squares[-1]:.2f}, and the error with it. "
        "Neighbours in a",
        "herded order repel, most where few workers share the sum, and pairs are neighbours: their |z - z'|²",
        f"is {pairs[0]:.2f} times that of random pairs at m = {m[0]}, {pairs[-1]:.2f} times at m = {m[-1]} "
        "(theory/notes/S-slopes.md)",
    ]
