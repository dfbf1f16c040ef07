"""Floors from the spectrum of an order, beside measured ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cdgrab_sim import graphs, herding, orderings, problems, updates
from cdgrab_sim._records import Ordering, Problem, Record, Seen, Update
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.analysis import spectrum, verdict, verdict_in_errors
from cdgrab_sim.experiments._cells import grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._orders import given
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.synchronous._simulate import simulate
from theory import spectra as theory

EIGENVALUES = [1.0, 4.0, 16.0]
ALPHA = 0.02
BETA = 0.5
STANDING = ("ig", "so", "there and back", "d-grab-pair", "cd-grab")
CHANGING = ("sgd", "rr", "cd-grab")
UPDATES = ("sgd", "heavy-ball", "gossip")
ROUNDS = 20  # until a balanced order stands
FORGOTTEN = 1e-13  # what is left of the start when floors of standing orders are read
GRID = 1 << 14  # frequencies over which a density is integrated


def update_of(name: str, m: int) -> tuple[Update, dict[str, Any], FloatArray]:
    """Return an update, what theory calls it, and the eigenvalues of its mixing matrix."""
    if name == "gossip":
        return updates.gossip(graph="ring"), {}, np.asarray(np.linalg.eigvalsh(graphs.ring(m=m).W))
    if name == "sgd":
        return updates.sgd(), {}, np.ones(m)
    return updates.UPDATES[name](momentum=BETA), {"momentum": BETA, "kind": name}, np.ones(m)


def errors(
    problem: Problem,
    ordering: Ordering,
    update: Update,
    epochs: int,
    last: int,
    seed: int,
    alpha: float = ALPHA,
) -> tuple[FloatArray, IntArray]:
    """Return x - x_star of every worker at every step of the last epochs (steps, m, d), and all orders."""
    rows: list[FloatArray] = []

    def observe(state: Any, seen: Seen) -> None:
        if ordering.observe is not None:
            ordering.observe(state, seen)
        centres = problem.data.b[seen.who, seen.at]
        rows.append(seen.G / problem.data.eigenvalues + centres - problem.x_star)

    run = simulate(
        problem, replace(ordering, observe=observe), epochs=epochs, step_size=alpha, x0=problem.x_star,
        update=update, seed=seed, record=Record(loss=False, grad_norm=False, distance=False, orders=True),
    )  # fmt: skip
    assert run.orders is not None
    return np.concatenate(rows)[-last * problem.n :], run.orders[0]


def at_minimum(problem: Problem) -> FloatArray:
    """Return the gradients (m, n, d) at the minimiser."""
    assert problem.x_star is not None
    return problem.gradients(problem.x_star)


def _orders(problem: Problem, name: str, seed: int) -> list[IntArray]:
    """Return the orders of one period."""
    z = at_minimum(problem)
    rounds = ROUNDS if name.endswith(("pair", "grab")) else 0
    pi = herding.order(z, "so" if name == "there and back" else name, rounds, seed=seed)
    return [pi, pi[:, ::-1]] if name == "there and back" else [pi]


def standing_floor(cell: Cell) -> dict[str, FloatArray]:
    """Measure one cell: floors over a period by coordinate, and those that the order's spectrum predicts."""
    m, seed = cell["m"], cell["seed"]
    problem = problems.quadratic(
        m=m, n=cell["n"], d=cell["d"], eigenvalues=EIGENVALUES, heterogeneity=1.0, seed=seed
    )
    orders = _orders(problem, cell["ordering"], seed)
    update, known, mixing = update_of(cell["update"], m)
    slowest = 1.0 - ALPHA * min(EIGENVALUES)
    epochs = len(orders) * math.ceil(math.log(FORGOTTEN) / math.log(slowest) / cell["n"] + 1.0)
    e, _ = errors(problem, given(orders), update, epochs, len(orders), seed)
    z, window = at_minimum(problem), np.array(orders)
    if cell["update"] == "gossip":
        modes = np.linalg.eigh(graphs.ring(m=m).W)[1]
        streams = np.concatenate([np.take_along_axis(z, pi[..., None], axis=1) for pi in orders], axis=1)
        predicted = (
            sum(
                theory.standing_floor(ALPHA, EIGENVALUES, np.tensordot(mode, streams, axes=1), mixing=w)
                for mode, w in zip(modes.T, mixing, strict=True)
            )
            / m
        )
    else:
        order = spectrum(z, window, window=len(orders))
        predicted = order.floor(theory.transfer(2.0 * np.pi * order.frequency, ALPHA, EIGENVALUES, **known))
    return {"measured": (e**2).mean(axis=(0, 1)), "predicted": np.asarray(predicted)}


def standing(sizes: Mapping[str, Any], seed: int) -> Part:
    """Return the part about orders that stand, or come back: floors to rounding."""

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings()
        table = {key: np.array([v[key] for v in values]) for key in ("measured", "predicted")}
        apart = np.abs(table["measured"] / table["predicted"] - 1.0).max(axis=1)
        names = [(order, update) for order in STANDING for update in UPDATES]
        for (order, update), gap in zip(names, apart, strict=True):
            quantity = f"floor of {update}, standing order: largest relative difference"
            found.rows.append(Row.claimed(order, quantity, float(gap), bool(gap <= 1e-9)))
        found.data |= {key: a.sum(axis=1) for key, a in table.items()}
        return found

    axes = {"ordering": STANDING, "update": UPDATES}
    return Part(standing_floor, grid(axes, dict(sizes) | {"seed": seed}), read)


def changing_floor(cell: Cell) -> dict[str, float]:
    """Measure one cell: the floor over the one predicted, for orders that change, as losses."""
    m, n, d, first, T = (cell[key] for key in ("m", "n", "d", "first", "epochs"))
    problem = problems.quadratic(m=m, n=n, d=d, eigenvalues=EIGENVALUES, heterogeneity=1.0, seed=0)
    ordering, (update, known, _) = orderings.make(cell["ordering"]), update_of(cell["update"], m)
    e, orders = errors(problem, ordering, update, T, T - first, cell["seed"])
    z = at_minimum(problem)
    if ordering.name in theory.DRAWN:
        omega = 2.0 * np.pi * np.arange(GRID) / GRID
        noise = ((z - z.mean(axis=1, keepdims=True)) ** 2).mean(axis=(0, 1)) / m
        gain = np.abs(theory.transfer(omega, ALPHA, EIGENVALUES, **known)) ** 2
        predicted = noise * (gain * theory.drawn_density(ordering.name, omega, n)[:, None]).mean(axis=0)
    else:
        order = spectrum(z, orders[first:], window=T - first)
        predicted = order.floor(theory.transfer(2.0 * np.pi * order.frequency, ALPHA, EIGENVALUES, **known))
    measured = (e**2).mean(axis=(0, 1))
    return {"ratio": float(np.dot(EIGENVALUES, measured) / np.dot(EIGENVALUES, predicted))}


def changing(sizes: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Return the part about orders that change: floors in the mean, and from the run's own spectrum."""
    axes = {"ordering": CHANGING, "update": UPDATES[:2], "seed": seeds}

    def read(values: list[dict[str, Any]]) -> Findings:
        found = Findings()
        ratios = np.array([v["ratio"] for v in values]).reshape(-1, len(seeds))
        names = [(order, update) for order in CHANGING for update in UPDATES[:2]]
        for (order, update), ratio in zip(names, ratios, strict=True):
            quantity = f"floor of {update} / predicted"
            drawn = order in theory.DRAWN
            judged = verdict_in_errors(ratio, 1.0, 0.1) if drawn else verdict(ratio, 1.0, 0.03)
            found.rows.append(Row.judged(order, quantity, judged))
        return found

    return Part(changing_floor, grid(axes, sizes), read)
