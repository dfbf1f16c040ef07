"""Floors against m for every H, beside what the prefixes of the orders predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import rate, verdict
from cdgrab_sim.experiments._cells import by_ordering, grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._measures import floor
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.experiments.local.prefixes import rests

SLOPE, LEVEL = 0.1, 0.15  # margins
# What a pilot in plain NumPy found at m = 16 (kappa = 20, n = 64, d = 3), before there was this experiment.
PILOT = {("d-grab-pair", 4): 3.3e-9, ("cd-grab", 4): 5e-9, ("rr", 64): 3.5e-8, ("d-grab-pair", 64): 3.3e-9}
PILOT |= {("cd-grab", 64): 3.5e-8}
ENVELOPE = {1: 1.1}  # what the ordering that knows H may cost over the best of the others; else 1.5


def floor_and_rest(cell: Cell) -> dict[str, Any]:
    """Measure a floor and predict it."""
    predicted = rests(cell)
    return {"error": floor(cell)["error"], "predicted": predicted.pop("error"), **predicted}


def _cells(
    config: Mapping[str, Any], seeds: Sequence[int], H: Sequence[int], m: Sequence[int], **problem: Any
) -> list[Cell]:
    sizes, n = config["floors"], config["n"]
    axes = {"ordering": config["orderings"], "H": H, "seed": seeds, "m": m}
    shared = {
        "problem": config["problem"] | problem,
        "n": n,
        "step_size": sizes["alpha_n_L"] / (n * config["problem"]["kappa"]),  # the L of skewed is kappa
    } | {key: sizes[key] for key in ("epochs", "standing", "replicates")}
    return [cell | {"update": {"name": "local", "steps": cell["H"]}} for cell in grid(axes, shared)]


def floors_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for floors against m, for every ordering and every H."""
    names, m, H = config["orderings"], config["floors"]["m"], config["floors"]["H"]

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={"m": np.array(m), "H": np.array(H)})
        for key in ("error", "predicted", "parallel", "drift"):
            for name, table in by_ordering(values, key, names, len(H) * len(seeds)).items():
                label = "floor" if key == "error" else key
                found.data[f"{label} {name}"] = table.reshape(len(H), len(seeds), len(m))
        measured = {name: found.data[f"floor {name}"] for name in names}
        for name in names:
            predicted = found.data[f"predicted {name}"]
            for h, steps in enumerate(H):
                found.rows += beside(name, "floor", f"H = {steps}", m, measured[name][h], predicted[h])
            found.rows.append(_end(name, H, m[-1], measured[name][..., -1], predicted[..., -1]))
        found.rows += _envelope(measured, H) + _pilot(config, measured)
        return found

    return Part(floor_and_rest, _cells(config, seeds, H, m), read)


def heterogeneous_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for floors against m where workers differ, with one round to an epoch."""
    sizes, names = config["heterogeneous"], config["orderings"]
    m, H = sizes["m"], sizes["H"]

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={"heterogeneous m": np.array(m)})
        measured, predicted = (by_ordering(values, key, names, len(seeds)) for key in ("error", "predicted"))
        for name in names:
            found.data[f"heterogeneous {name}"] = measured[name]
            found.data[f"heterogeneous predicted {name}"] = predicted[name]
            found.rows += beside(
                name, "floor", f"H = {H}, workers differ", m, measured[name], predicted[name]
            )
        return found

    return Part(floor_and_rest, _cells(config, seeds, [H], m, heterogeneity=sizes["heterogeneity"]), read)


def beside(
    name: str,
    quantity: str,
    where: str,
    m: Sequence[int],
    measured: FloatArray,
    predicted: FloatArray,
    slope: float = SLOPE,
    level: float = LEVEL,
) -> list[Row]:
    """Judge the exponent in m and the level of errors (seeds, K) by predicted ones.

    Seed by seed: instances differ from each other by more than their predictions err.
    """
    found, expected = rate(m, measured).slopes, rate(m, predicted).slopes
    ratios = np.exp(np.log(measured / predicted).mean(axis=1))
    return [
        Row.judged(
            name,
            f"{quantity} exponent in m, {where}",
            verdict(found - expected + expected.mean(), float(expected.mean()), slope),
        ),
        Row.judged(name, f"{quantity} / predicted, {where}", verdict(ratios, 1.0, level)),
    ]


def _end(name: str, H: Sequence[int], m: int, measured: FloatArray, predicted: FloatArray) -> Row:
    """Compare the H at which floors (J, seeds) are twice those of H = 1 with the predicted one."""
    quantity = f"H of twice the floor, m = {m}"
    found = np.array([doubling(H, column) for column in measured.T])
    expected = doubling(H, predicted.mean(axis=1))
    if not (np.isfinite(found).all() and np.isfinite(expected)):
        return Row(name, quantity, float("inf") if np.isinf(found).all() else float(np.median(found)))
    return Row.judged(name, quantity, verdict(np.log2(found), float(np.log2(expected)), 0.25))


def doubling(H: Sequence[int], floors: FloatArray) -> float:
    """Return where floors (J,), interpolated in logarithms, are first twice the first; infinite if nowhere.

    Examples
    --------
    >>> doubling([1, 4, 16], np.array([1.0, 1.0, 4.0]))
    8.0
    """
    gain = np.log2(floors / floors[0])
    above = int(np.argmax(gain >= 1.0))
    if gain[above] < 1.0:
        return float("inf")
    x, share = np.log2(H), (1.0 - gain[above - 1]) / (gain[above] - gain[above - 1])
    return float(2.0 ** (x[above - 1] + share * (x[above] - x[above - 1])))


def _pilot(config: Mapping[str, Any], measured: Mapping[str, FloatArray]) -> list[Row]:
    """Compare the levels of most workers with those of the pilot, where sizes are the same."""
    sizes = config["floors"]
    if (config["n"], sizes["m"][-1], sizes["epochs"]) != (64, 16, 6_000):
        return []
    return [
        Row.judged(
            name,
            f"floor / pilot, H = {H}, m = 16",
            verdict(measured[name][sizes["H"].index(H), :, -1] / level, 1.0, LEVEL),
        )
        for (name, H), level in PILOT.items()
        if name in measured and H in sizes["H"]
    ]


def _envelope(measured: Mapping[str, FloatArray], H: Sequence[int]) -> list[Row]:
    """Claim that the ordering which knows H is near the best of the others, at every m."""
    knows = "cd-grab-local"
    means = {name: table.mean(axis=1) for name, table in measured.items()}
    if knows not in means:
        return []
    best = np.min([table for name, table in means.items() if name != knows], axis=0)
    rows = []
    for h, steps in enumerate(H):
        allowed, worst = ENVELOPE.get(steps, 1.5), float((means[knows][h] / best[h]).max())
        quantity = f"floor / lowest of the others, H = {steps}, worst m (< {allowed})"
        rows.append(Row.claimed(knows, quantity, worst, worst < allowed))
    return rows
