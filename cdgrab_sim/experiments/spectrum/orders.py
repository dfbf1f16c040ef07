"""Power against frequency, per ordering: slopes in frequency, levels in m."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._records import Record
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import rate, spectrum, verdict
from cdgrab_sim.experiments._cells import grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.herding._vectors import vectors
from cdgrab_sim.synchronous._simulate import simulate
from theory import spectra as theory

ORDERINGS = ("rr", "d-grab-pair", "cd-grab")
SLOPE = {"rr": 0.05, "d-grab-pair": 0.1, "cd-grab": 0.1}  # margins; of levels below, relative
LEVEL = {"rr": 0.05, "d-grab-pair": 0.15, "cd-grab": 0.15}
EXPONENT = {"rr": 0.05, "d-grab-pair": 0.05, "cd-grab": 0.15}
HIGH = 0.06  # cycles per step; the low end is 2 / n


def power(cell: Cell) -> dict[str, FloatArray]:
    """Measure one cell: the mean density over settled epochs, summed over coordinates."""
    m, n, d, every = (cell[key] for key in ("m", "n", "d", "every"))
    z = stream(cell["seed"], Role.DATA).standard_normal((m, n, d))
    z -= z.mean(axis=1, keepdims=True)
    z /= z.std(axis=1, keepdims=True)
    record = Record(every=every, loss=False, grad_norm=False, distance=False, orders=True)
    run = simulate(
        vectors(z), cell["ordering"], epochs=cell["epochs"], step_size=1.0, seed=cell["seed"], record=record
    )
    assert run.orders is not None
    settled = run.orders[0, cell["settled"] // every :]
    return {"density": spectrum(z, settled).density.sum(axis=1)}


def promise(ordering: str, frequency: FloatArray, m: int, n: int, d: int) -> FloatArray:
    """Return the density of the mean over workers that theory predicts, summed over coordinates."""
    omega = 2.0 * math.pi * frequency
    if ordering == "rr":
        return d / m * theory.drawn_density("rr", omega, n)
    scope = "coordinated" if ordering == "cd-grab" else "independent"
    return theory.balanced_density(omega, m, d, scope)


def part(sizes: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Return the part that measures orders of vectors that do not move."""
    n, d, workers = sizes["n"], sizes["d"], sizes["m"]
    frequency = np.arange(n // 2 + 1) / n
    inside = (frequency >= 2.0 / n) & (frequency <= HIGH)
    axes = {"ordering": ORDERINGS, "m": workers, "seed": seeds}
    shared = {key: sizes[key] for key in ("n", "d", "settled", "every", "epochs")}

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={"frequency": frequency})
        K = len(frequency)
        tables = np.array([v["density"] for v in values]).reshape(len(ORDERINGS), len(workers), -1, K)
        for name, table in zip(ORDERINGS, tables, strict=True):
            lines = np.array([promise(name, frequency, m, n, d) for m in workers])
            for m, densities, predicted in zip(workers, table, lines, strict=True):
                found.data |= {f"m={m} {name}": densities, f"m={m} {name} predicted": predicted}
                slope = _slope(frequency[inside], predicted[None, inside])[0]
                slopes = _slope(frequency[inside], densities[:, inside])
                judged = verdict(slopes, round(float(slope), 3), SLOPE[name])
                found.rows.append(Row.judged(name, f"slope of power in frequency, m = {m}", judged))
            levels, promised = (_level(a[..., inside]) for a in (table, lines))
            found.rows += _levels(name, workers, levels, promised)
            found.data[f"levels {name}"] = levels.T
            found.data[f"levels {name} predicted"] = promised
        return found

    return Part(power, grid(axes, shared), read)


def _levels(name: str, workers: Sequence[int], levels: FloatArray, promised: FloatArray) -> list[Row]:
    """Judge levels (m, seeds) against the model, and their exponents between neighbouring m."""
    rows = [
        Row.judged(name, f"level / predicted, m = {m}", verdict(level / p, 1.0, LEVEL[name]))
        for m, level, p in zip(workers, levels, promised, strict=True)
    ]
    for k in range(len(workers) - 1):
        apart = math.log(workers[k + 1] / workers[k])
        exponents, expected = (np.log(a[k + 1] / a[k]) / apart for a in (levels, promised))
        quantity = f"exponent of the level in m, {workers[k]} to {workers[k + 1]}"
        judged = verdict(exponents, round(float(expected), 3), EXPONENT[name])
        rows.append(Row.judged(name, quantity, judged))
    return rows


def _slope(f: FloatArray, densities: FloatArray) -> FloatArray:
    return rate(f, densities).slopes


def _level(densities: FloatArray) -> FloatArray:
    """Return the geometric mean over the frequencies."""
    return np.asarray(np.exp(np.log(densities).mean(axis=-1)))
