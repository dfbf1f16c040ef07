"""What workers may and may not share: shards that differ, orders that are the same, terms that cancel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cdgrab_sim import orderings
from cdgrab_sim._records import Ordering, Problem
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._cells import by_ordering, grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._exponents import slope_row
from cdgrab_sim.experiments._measures import floor, problem_of
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.orderings._orders import drawn, random_orders
from theory.instances import sign_terms

SAME = "rr, one order for all"
_NOTHING = 1e-6  # share of rr's floor below which a floor counts as none


def one_order() -> Ordering:
    """Reshuffle with the same permutation on all workers, as equal seeds on all of them do."""
    return drawn(SAME, lambda m, n, rng: np.tile(random_orders(1, n, rng), (m, 1)))


def workers_floor(cell: Cell) -> dict[str, Any]:
    """Measure a floor where shards are ``copies`` of one, terms are ``signs``, or orders the same."""
    problem = problem_of(cell | {"m": 1} if cell["shards"] == "copies" else cell)
    if cell["shards"] == "copies":
        problem = _with_terms(problem, np.repeat(problem.data.terms, cell["m"], axis=0))
    elif cell["shards"] == "signs":
        problem = _with_terms(problem, sign_terms(cell["m"], cell["n"], 1.0)[..., None])
    ordering = one_order() if cell["ordering"] == SAME else orderings.make(cell["ordering"])
    return floor(cell, problem, ordering)


def _with_terms(problem: Problem, terms: FloatArray) -> Problem:
    """Return a skewed problem with other linear terms, whose sum is zero."""
    m, n, d = terms.shape
    return replace(problem, m=m, n=n, data=problem.data._replace(terms=terms, mean=np.zeros(d)))


def _part(
    config: Mapping[str, Any], seeds: Sequence[int], names: Sequence[str], shards: str, **own: Any
) -> tuple[list[Cell], Sequence[int]]:
    sizes = config["workers"]
    m = own.pop("m", sizes["m"])
    alpha = sizes["alpha_n_L"] / (sizes["n"] * config["problem"]["kappa"])
    epochs = round(sizes["relaxations"] / (alpha * sizes["n"]))
    shared = {"problem": config["problem"], "n": sizes["n"], "replicates": sizes["replicates"]} | own
    shared |= {"shards": shards, "step_size": alpha, "epochs": epochs}
    return grid({"ordering": names, "seed": seeds, "m": m}, shared), m


def same_order_part(config: Mapping[str, Any], seeds: Sequence[int], shards: str) -> Part:
    """Fit the floor's exponent in m: -1 unless shards AND orders are the same, then 0 (R2b)."""
    names = ["rr", SAME]
    cells, m = _part(config, seeds, names, shards)
    predicted = {"rr": -1.0, SAME: 0.0 if shards == "copies" else -1.0}

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings(data={"workers m": np.array(m)})
        for name, table in by_ordering(values, "error", names, len(seeds)).items():
            quantity = f"{shards} shards: floor exponent in m"
            found.rows.append(slope_row(name, quantity, m, table, predicted[name], 0.2))
            found.data[f"workers {shards} {name}"] = table
        return found

    return Part(workers_floor, cells, read)


def heterogeneity_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Compare floors with worker means that differ and that do not: nothing changes (R2a, H4)."""
    names, level = ["rr", "d-grab-pair", "cd-grab"], config["workers"]["heterogeneity"]
    m = [max(config["workers"]["m"])]
    cells, _ = _part(config, seeds, names, "own", m=m)
    problem = config["problem"] | {"heterogeneity": level}
    differing = [cell | {"problem": problem} for cell in cells]

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings()
        equal = by_ordering(values[: len(cells)], "error", names, len(seeds))
        unequal = by_ordering(values[len(cells) :], "error", names, len(seeds))
        for name in names:
            ratio = (unequal[name] / equal[name])[:, 0]
            quantity = f"floor with worker means {level:g} σ apart / none (m = {m[0]})"
            found.rows.append(Row.judged(name, quantity, verdict(ratio, 1.0, 0.01, positive=True)))
        return found

    return Part(workers_floor, [*cells, *differing], read)


def signs_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Measure floors on +-1 terms, where the signs of an even number of workers can cancel exactly."""
    names, m = ["rr", "cd-grab"], [1, 2, 3, 4]
    problem = config["problem"] | {"d": 1}
    cells, _ = _part(config, seeds, names, "signs", m=m)
    cells = [cell | {"problem": problem} for cell in cells]

    def read(values: list[dict[str, Any]]) -> Findings:
        tables = by_ordering(values, "error", names, len(seeds))
        share = (tables["cd-grab"] / tables["rr"]).max(axis=0)
        found = Findings(data={"signs m": np.array(m), "signs share": tables["cd-grab"] / tables["rr"]})
        for k, workers in enumerate(m):
            quantity, measured = f"floor / rr's on ±1 terms at m = {workers}", float(share[k])
            if workers % 2:
                found.rows.append(Row("cd-grab", quantity, measured))
            else:
                holds = measured <= _NOTHING
                found.rows.append(Row.claimed("cd-grab", f"{quantity} (none)", measured, holds))
        found.notes.append("cd-grab: on ±1 terms and even m there is no floor, hence no exponent")
        return found

    return Part(workers_floor, cells, read)
