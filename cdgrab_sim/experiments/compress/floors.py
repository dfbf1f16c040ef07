"""Floors of compressed gradients against the step size and against workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim import compressors, orderings
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import rate, verdict
from cdgrab_sim.experiments._cells import grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._measures import floor, problem_of, relaxed
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from theory import compression, slopes

BALANCED = 0.25  # margin of exponents that orders decide


def alpha_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for floors on one Hessian against the step size."""
    sizes = config["alpha"]
    x = [h / (sizes["n"] * max(sizes["problem"]["eigenvalues"])) for h in sizes["alpha_n_L"]]
    shared = {key: sizes[key] for key in ("problem", "m", "n", "replicates")}
    cells = _cells(config, seeds, {"step_size": x}, shared)

    def read(values: list[dict[str, Any]]) -> Findings:
        found, tables = Findings(data={"alpha": np.array(x)}), _tables(config, values, len(seeds))
        for (name, method), table in tables.items():
            found.data[f"alpha {name}, {method}"] = table
            found.rows.append(_exponent(config, name, method, "floor (quadratic)", "alpha", x, table, 1.0))
            if method in ("Q", "DIANA per worker"):
                sent = config["methods"][method]["compressor"]
                share = table[:, 0] / [_noise(cells[0] | {"seed": s}, sent, method, x[0]) for s in seeds]
                label = f"{method}: floor / predicted, smallest alpha"
                found.rows.append(Row.judged(name, label, verdict(share, 1.0, config["margin"])))
            if method == "DIANA":
                plain = tables[name, "plain"]
                found.rows.append(_kept(config, name, (table / plain).mean(axis=1)))
        return found

    return Part(floor, [relaxed(cell, sizes["relaxations"]) for cell in cells], read)


def workers_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Ask for floors on the skewed instance against m."""
    sizes = config["m"]
    x = sizes["m"]
    shared = {key: sizes[key] for key in ("problem", "n", "epochs", "replicates")}
    shared["step_size"] = sizes["alpha_n_L"] / (sizes["n"] * sizes["problem"]["kappa"])  # the L of skewed

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={"m": np.array(x)})
        for (name, method), table in _tables(config, values, len(seeds)).items():
            found.data[f"m {name}, {method}"] = table
            found.rows.append(_exponent(config, name, method, "floor", "m", x, table, -1.0))
        return found

    return Part(floor, _cells(config, seeds, {"m": x}, shared), read)


def _cells(
    config: Mapping[str, Any],
    seeds: Sequence[int],
    variable: Mapping[str, Sequence[Any]],
    shared: Mapping[str, Any],
) -> list[Cell]:
    axes = {"ordering": config["orderings"], "method": list(config["methods"]), "seed": seeds, **variable}
    cells = grid(axes, shared)
    sent = config["methods"]
    return [cell | ({"update": sent[cell["method"]]} if sent[cell["method"]] else {}) for cell in cells]


def _tables(
    config: Mapping[str, Any], values: Sequence[Mapping[str, Any]], seeds: int
) -> dict[tuple[str, str], FloatArray]:
    """Arrange floors (seeds, K) by ordering and method."""
    names = [(name, method) for name in config["orderings"] for method in config["methods"]]
    errors = np.array([cell["error"] for cell in values]).reshape(len(names), seeds, -1)
    return dict(zip(names, errors, strict=True))


def _exponent(
    config: Mapping[str, Any],
    name: str,
    method: str,
    quantity: str,
    variable: str,
    x: Sequence[float],
    table: FloatArray,
    noisy: float,
) -> Row:
    """Judge an exponent: what noise of messages has, where there is any, else that of the order."""
    measured, label = rate(x, table).slopes, f"{method}: floor exponent in {variable}"
    if method in ("Q", "DIANA per worker"):
        return Row.judged(name, label, verdict(measured, noisy, config["margin"]))
    promise = slopes.predicted(quantity, orderings.make(name).slopes or name, variable)
    if promise is None:
        return Row.judged(name, label, verdict(measured, None, None))
    return Row.judged(name, label, verdict(measured, promise.value, BALANCED + promise.half_width))


def _noise(cell: Cell, compressor: Mapping[str, Any], method: str, alpha: float) -> float:
    """Predict the part of f - f_star that noise of messages makes."""
    problem = problem_of(cell)
    b, lam = problem.data.b, problem.data.eigenvalues
    sent = compressors.make(compressor)
    assert sent.omega is not None
    omega, m, n = sent.omega(problem.d), problem.m, problem.n
    square = ((lam * (b - problem.x_star)) ** 2).mean(axis=(0, 1))
    variance = (lam * b).var(axis=1).mean(axis=0)
    total = 0.0
    for p, one in enumerate(lam):
        if method == "Q":
            e2 = compression.compression_floor(alpha, one, omega, square[p], m)
        else:
            e2 = compression.worker_shift_floor(alpha, one, omega, variance[p], n, m)
        total += 0.5 * one * e2
    return total


def _kept(config: Mapping[str, Any], name: str, ratios: FloatArray) -> Row:
    """Judge the floor with shifts per example over that of the same orders, sent as they are."""
    label = "DIANA: floor / that of plain gradients"
    if name != "rr":
        return Row.judged(name, label, verdict(ratios, None, None))
    predicted = compression.example_shift_ratio(1.0, config["alpha"]["n"], config["alpha"]["m"])
    return Row.judged(name, label, verdict(ratios, predicted, 0.05))
