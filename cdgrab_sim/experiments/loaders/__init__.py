"""What the orders of data loaders do to sorted data, which is the worst there is to herd."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cdgrab_sim import herding, orderings, problems
from cdgrab_sim._records import Ordering, Problem, Record, Seen
from cdgrab_sim._rng import Role, stream, subseeds
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._cells import grid, run_cells, table
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._readings import claim
from cdgrab_sim.orderings._states import states
from cdgrab_sim.synchronous._simulate import simulate
from theory import quadratics
from theory import random_orders as theory

Law = Callable[[FloatArray], FloatArray]

# name of the order -> how it is made, and the exact mean squares of its prefixes, where they are known
ORDERS: dict[str, tuple[Ordering, Law | None]] = {
    "sorted": (orderings.ig(), lambda z: theory.buffer_second_moment(z, 1)),
    "buffer 16": (orderings.buffer(size=16), lambda z: theory.buffer_second_moment(z, 16)),
    "buffer 64": (orderings.buffer(size=64), lambda z: theory.buffer_second_moment(z, 64)),
    "blocks 16": (orderings.blocks(size=16), lambda z: theory.block_second_moment(z, 16)),
    "corgipile 4 x 16": (
        orderings.corgipile(size=16, merged=4),
        lambda z: theory.block_second_moment(z, 16, 4),
    ),
    "stratified 16": (orderings.stratified(strata=16), lambda z: theory.strata_second_moment(z, 16)),
    "rr": (orderings.rr(), lambda z: theory.prefix_second_moment(len(z), 1, float((z**2).sum() / len(z)))),
    "cd-grab": (orderings.cd_grab(), None),
}
FLOORS = ("sorted", "buffer 16", "blocks 16", "stratified 16", "rr", "cd-grab")
PAIRS = ("rr", "pairwise")  # whose floors are equal, on data in any order (R11)
KNOWN = {"sorted": 142.0, "buffer 16": 137.0, "buffer 64": 82.0}  # times rr's, n = 256 normal values
BUFFERS = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # of the figure
SIZES: dict[str, Any] = {
    "prefixes": {"n": 256, "epochs": 1600},
    "floors": {"n": 61, "d": 8, "h": 1.0, "T": 6000, "first": 40},
    "worst": 7,
    "seeds": 12,
}
QUICK = SIZES | {
    "prefixes": SIZES["prefixes"] | {"epochs": 800},
    "floors": SIZES["floors"] | {"T": 3000},
    "seeds": 6,
}


def sorted_values(n: int, seed: int) -> FloatArray:
    """Return sorted normal values (n, 1) less their mean."""
    z = np.sort(stream(seed, Role.DATA).standard_normal((n, 1)), axis=0)
    return np.asarray(z - z.mean())


def prefixes(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure one cell: mean squares of prefixes of an order, over those of random ones, and its law's."""
    n, epochs = cell["n"], cell["epochs"]
    ordering, law = ORDERS[cell["order"]]
    z = sorted_values(n, cell["seed"])
    squares = np.zeros(n)
    rounds = states(ordering, problems.quadratic(m=1, n=n, d=1), cell["seed"])
    for state, _ in zip(rounds, range(epochs), strict=False):
        shown = z[state.pi[0]]
        squares += np.cumsum(shown[:, 0]) ** 2 / epochs
        if ordering.observe is not None:
            ordering.observe(state, Seen.along(state.pi, 0, shown[:, None].copy()))
    unit = theory.mean_square_prefix(n, 1, float((z**2).mean()))
    found = {"ratio": float(squares.mean() / unit), "profile": squares / unit}
    return found if law is None else found | {"exact": float(squares.mean() / law(z).mean())}


def sorted_problem(n: int, d: int, seed: int) -> Problem:
    """Return quadratics whose centres are sorted in every coordinate."""
    problem = problems.quadratic(m=1, n=n, d=d, eigenvalues=[1.0] * d, seed=seed)
    return replace(problem, data=problem.data._replace(b=np.sort(problem.data.b, axis=1)))


def floor(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: the mean square error at the ends of late epochs, over what rr has exactly."""
    n, d, alpha = cell["n"], cell["d"], cell["h"] / cell["n"]
    problem = sorted_problem(n, d, cell["seed"])
    if cell["shuffled"]:  # coordinates that do not move together are as many measurements
        problem = problems.quadratic(m=1, n=n, d=d, eigenvalues=[1.0] * d, seed=cell["seed"])
    name = cell["order"]
    ordering = ORDERS[name][0] if name in ORDERS else orderings.make(name)
    record = Record(loss=False, grad_norm=False, distance=True)
    run = simulate(
        problem,
        ordering,
        epochs=cell["T"],
        step_size=alpha,
        seed=cell["seed"],
        x0=problem.x_star,
        record=record,
    )
    assert run.distance is not None
    apart = problem.data.b[0] - problem.x_star
    exact = quadratics.stationary_covariance("rr", alpha, np.ones(d), n, 1, apart.T @ apart / n)
    return {"floor": float((run.distance[0, cell["first"] :] ** 2).mean() / np.trace(exact))}


def worst(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: the largest herding error of all orders of a few values, over that of sorted ones."""
    z = sorted_values(cell["n"], cell["seed"])
    orders: IntArray = np.array(list(itertools.permutations(range(cell["n"]))))
    largest = np.abs(np.cumsum(z[orders][..., 0], axis=1)).max()
    return {"ratio": float(largest / herding.error(z, np.arange(cell["n"])))}


def run(options: Options) -> Result:
    """Measure prefixes and floors of the orders of data loaders on sorted data.

    Returns
    -------
    Result
        Rows: the largest herding error of all orders of a few values over that of sorted ones; mean squares
        of prefixes over those of random reshuffling, and over their closed forms (R8 to R10); floors on a
        quadratic over the exact one of random reshuffling. Data ``k`` (n,), ``profile <order>`` (n,),
        ``buffers`` (B,), ``law`` (B,) and ``ratio <order>`` (seeds,).
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed}
    seeds = subseeds(options.seed, config["seeds"])
    found = run_cells(worst, grid({"seed": seeds}, {"n": config["worst"]}), options)
    what = "largest herding error of all orders / that of the sorted one"
    rows = [claim("sorted", what, [one["ratio"] for one in found], below=1.0 + 1e-12)]
    data: dict[str, FloatArray] = {}
    _prefix_rows(config, seeds, options, rows, data)
    for names, shuffled, known in ((FLOORS, False, (None, None)), (PAIRS, True, (1.0, 0.02))):
        T = config["floors"]["T"] // (1 if shuffled else 3)  # what is not predicted needs fewer digits
        shared = config["floors"] | {"shuffled": shuffled, "T": T}
        cells = grid({"order": names, "seed": seeds}, shared)
        floors = table(run_cells(floor, cells, options), "floor", len(names), len(seeds))
        what = f"floor on {'shuffled' if shuffled else 'sorted'} data / rr's exact one"
        rows += [
            Row.judged(name, what, verdict(values, *known))
            for name, values in zip(names, floors, strict=True)
        ]
    return Result("loaders", config, rows, data)


def _prefix_rows(
    config: dict[str, Any],
    seeds: Sequence[int],
    options: Options,
    rows: list[Row],
    data: dict[str, FloatArray],
) -> None:
    n = config["prefixes"]["n"]
    found = run_cells(prefixes, grid({"order": list(ORDERS), "seed": seeds}, config["prefixes"]), options)
    for k, name in enumerate(ORDERS):
        own = found[k * len(seeds) : (k + 1) * len(seeds)]
        values = np.array([one["ratio"] for one in own])
        data[f"ratio {name}"] = values
        data[f"profile {name}"] = np.mean([one["profile"] for one in own], axis=0)
        known = (KNOWN[name], 0.05 * KNOWN[name]) if name in KNOWN else (None, None)
        rows.append(Row.judged(name, "mean-square prefix / rr's", verdict(values, *known)))
        if "exact" in own[0]:
            exact = verdict([one["exact"] for one in own], 1.0, 0.05)
            rows.append(Row.judged(name, "mean-square prefix / its closed form", exact))
    z = sorted_values(n, seeds[0])
    unit = theory.mean_square_prefix(n, 1, float((z**2).mean()))
    data["k"], data["buffers"] = np.arange(1.0, n + 1.0), np.array(BUFFERS, dtype=float)
    data["law"] = np.array([theory.buffer_second_moment(z, B).mean() / unit for B in BUFFERS])
