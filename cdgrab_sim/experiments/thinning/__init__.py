"""How close thinned points come to all points, and what sketches of gradients cost an order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from cdgrab_sim import herding, orderings, problems, thinning
from cdgrab_sim._records import Record
from cdgrab_sim._rng import Role, stream, subseeds
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.analysis import rate, t_interval, tune, verdict
from cdgrab_sim.experiments._cells import grid, run_cells, table
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._readings import claim, ratio
from cdgrab_sim.synchronous._simulate import simulate
from cdgrab_sim.thinning._mmd import Distances
from theory import balancing as theory

SHAPE = ("m", "n", "d", "rank")
RIDGE, LAST = 1e-3, 4  # of least squares; the last epochs, whose mean is the error
DRAWS = 100  # random coresets, with replacement, of the same points
METHODS = ("random", "halving", "thinning", "compress", "herding")
FAST = -0.8  # thinned points: the published rate is -1 up to logarithms, and finite sizes are short of it
SIZES: dict[str, Any] = {
    "sizes": [4, 8, 16, 32, 64],
    "d": 2,
    "scale": 2.0,
    "sketches": {"m": 4, "n": 512, "d": 4096, "rank": 64, "decay": 2.0, "rounds": 8},
    "k": [4, 16, 64],
    "trained": {"m": 4, "n": 128, "d": 512, "rank": 32, "decay": 1.0, "T": 40},
    "seeds": 12,
}
QUICK = SIZES | {
    "sizes": [4, 8, 16, 32],
    "sketches": SIZES["sketches"] | {"n": 128, "d": 1024},
    "trained": SIZES["trained"] | {"n": 32, "d": 128},
    "seeds": 8,
}


def gap(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: the MMD of a coreset of `size` out of size^2 points, of many where it is random."""
    points, kernel = _points(cell), thinning.gaussian(cell["scale"])
    distances = Distances(points, kernel)
    draws = DRAWS if cell["method"] == "random" else 1
    rng = stream(cell["seed"], Role.THINNING)
    squares = [
        distances.mmd(_chosen(cell["method"], points, cell["size"], kernel, cell["seed"], rng)) ** 2
        for _ in range(draws)
    ]
    return {"mmd": float(np.sqrt(np.mean(squares)))}


def _points(cell: dict[str, Any]) -> FloatArray:
    return stream(cell["seed"], Role.DATA).standard_normal((cell["size"] ** 2, cell["d"]))


def _chosen(
    method: str, points: FloatArray, size: int, kernel: thinning.Kernel, seed: int, rng: Generator
) -> IntArray:
    halvings = size.bit_length() - 1
    if method == "random":
        return rng.integers(len(points), size=size)
    if method == "halving":
        return thinning.thin(points, halvings, kernel, passes=0, seed=seed).indices
    if method == "thinning":
        return thinning.thin(points, halvings, kernel, seed=seed).indices
    if method == "compress":
        return thinning.compress(points, kernel, oversampling=2, seed=seed).indices
    return thinning.herd(points, size, kernel)


def half(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: n^2 MMD^2 of halves of size^2 points, and V10's bound on its mean."""
    points = _points(cell)
    kernel, n = thinning.gaussian(cell["scale"]), cell["size"] ** 2
    halves = thinning.halve(points, kernel, seed=cell["seed"])
    pairs = points.reshape(-1, 2, cell["d"])
    K = [[_matrix(pairs[:, a], pairs[:, b], cell["scale"]) for b in (0, 1)] for a in (0, 1)]
    eigenvalues = np.linalg.eigvalsh(K[0][0] - K[0][1] - K[1][0] + K[1][1])
    bound = theory.halving_discrepancy(np.maximum(eigenvalues, 0.0), halves.variance, n)
    return {"square": (thinning.mmd(points, halves.first, kernel)) ** 2, "bound": bound}


def _matrix(X: FloatArray, Y: FloatArray, scale: float) -> FloatArray:
    square = ((X[:, None] - Y[None]) ** 2).sum(axis=2)
    return np.asarray(np.exp(-square / (2.0 * scale**2)))


def sketch(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: the herding error of an order from sketches, over that from whole gradients."""
    m, n, d, rank = (cell[letter] for letter in SHAPE)
    rng = stream(cell["seed"], Role.DATA)
    features = _features(rng, m * n, d, rank, cell["decay"])
    slopes = np.where(rng.random(m * n) < 0.5, -0.5, 0.5)  # of logistic regression at the origin
    z = (slopes[:, None] * features).reshape(m, n, d)
    z -= np.cumsum(z, axis=1)[:, -1:] / n
    whole = orderings.make("cd-grab")
    few = orderings.sketched(whole, cell["k"], cell["by"])
    errors = [herding.curve(z, one, cell["rounds"], seed=cell["seed"])[-1] for one in (few, whole)]
    return {"ratio": float(errors[0] / errors[1])}


def _features(rng: Generator, rows: int, d: int, rank: int, decay: float) -> FloatArray:
    """Draw rows in a few random directions, which count less and less."""
    scales = np.arange(1.0, rank + 1.0) ** -decay
    directions = np.linalg.qr(rng.standard_normal((d, rank)))[0].T
    return np.asarray((rng.standard_normal((rows, rank)) * scales) @ directions)


def trained(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: the error of least squares after T epochs, with the best step size of its order."""
    m, n, d, rank = (cell[letter] for letter in SHAPE)
    rng = stream(cell["seed"], Role.DATA)
    X = _features(rng, m * n, d, rank, cell["decay"])
    y = X.sum(axis=1) + rng.standard_normal(m * n)
    problem = problems.from_arrays(X, y, loss="least-squares", m=m, ridge=RIDGE, seed=cell["seed"])
    ordering = orderings.make("rr" if cell["order"] == "rr" else "cd-grab")
    if cell["order"] not in ("rr", "whole"):
        ordering = orderings.sketched(ordering, int(cell["order"]))

    def left(step_size: float) -> float:
        bare = Record(grad_norm=False)
        run = simulate(
            problem, ordering, epochs=cell["T"], step_size=step_size, seed=cell["seed"], record=bare
        )
        assert run.loss is not None
        error = float(run.loss[0, -LAST:].mean() - (problem.f_star or 0.0))
        return error if np.isfinite(error) else np.inf

    unit = 1.0 / problem.constants["L"]
    return {"error": tune(left, unit / 64.0, 64.0 * unit).error}


def run(options: Options, *, names: Sequence[str] = METHODS) -> Result:
    """Measure MMDs against the size of coresets, halves against their bound, and orders from sketches.

    Points are normal; a coreset of s points is taken from s^2 points, so that a random one is at a distance
    of order s^(-1/2) and the best known of order 1/s. Sketches: gradients of logistic regression at the
    origin, whose features lie in a few dimensions of many, in random directions.

    Parameters
    ----------
    options : Options
    names : sequence of str
        From `METHODS`.

    Returns
    -------
    Result
        Rows: exponents of the MMD, halves over V10's bound, and herding errors of orders from sketches over
        those from whole gradients. Data ``sizes`` (K,), ``mmd <method>`` (seeds, K), ``k`` (k,) and ``ratio
        <sketch>`` (seeds, k).
    """
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed, "methods": list(names)}
    seeds, sizes = subseeds(options.seed, config["seeds"]), config["sizes"]
    shared = {letter: config[letter] for letter in ("d", "scale")}
    axes = {"method": names, "seed": seeds, "size": sizes}
    errors = table(run_cells(gap, grid(axes, shared), options), "mmd", len(names), len(seeds), -1)
    data: dict[str, FloatArray] = {"sizes": np.array(sizes), "k": np.array(config["k"])}
    rows: list[Row] = []
    for name, values in zip(names, errors, strict=True):
        data[f"mmd {name}"] = values
        rows.append(_exponent(name, sizes, values))
    rows.append(_halves(config, shared, options))
    axes = {"by": orderings.SKETCHES, "seed": seeds, "k": config["k"]}
    found = run_cells(sketch, grid(axes, config["sketches"]), options)
    for by, values in zip(
        orderings.SKETCHES, table(found, "ratio", len(orderings.SKETCHES), len(seeds), -1), strict=True
    ):
        data[f"ratio {by}"] = values
        rows += [
            Row.judged(by, f"herding error from sketches / whole, k = {k}", verdict(column, None, None))
            for k, column in zip(config["k"], values.T, strict=True)
        ]
    rows += _trained(config, seeds, options)
    return Result("thinning", config, rows, data)


def _exponent(name: str, sizes: Sequence[int], values: FloatArray) -> Row:
    slopes = rate(sizes, values).slopes
    if name == "random":
        return Row.judged(name, "MMD exponent in the size", verdict(slopes, -0.5, 0.05))
    if name == "thinning":
        return claim(
            name, "MMD exponent in the size, upper end of its interval", t_interval(slopes)[1], below=FAST
        )
    return Row.judged(name, "MMD exponent in the size", verdict(slopes, None, None))


def _trained(config: dict[str, Any], seeds: Sequence[int], options: Options) -> list[Row]:
    orders = ["whole", "rr", *map(str, config["k"])]
    found = run_cells(trained, grid({"order": orders, "seed": seeds}, config["trained"]), options)
    whole, *others = table(found, "error", len(orders), len(seeds))
    return [
        ratio(
            "rr" if order == "rr" else f"columns, k = {order}",
            "tuned error / that of whole gradients",
            values,
            whole,
        )
        for order, values in zip(orders[1:], others, strict=True)
    ]


def _halves(config: dict[str, Any], shared: dict[str, Any], options: Options) -> Row:
    seeds = subseeds(options.seed, 8 * config["seeds"])
    found = run_cells(half, grid({"seed": seeds, "size": [16]}, shared), options)
    shares = np.array([one["square"] for one in found]) / np.mean([one["bound"] for one in found])
    return claim(
        "halving", "mean square MMD / V10, upper end of its interval", t_interval(shares)[1], below=1.0
    )
