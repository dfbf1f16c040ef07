"""Exponents (S): the table of slopes, one per seed, over cells like those of the experiments.

What takes runs is measured at the ends of a range only. Of three sizes evenly spaced in logarithms the middle
one has no weight in a least-squares slope; two more at a third and at two thirds take two fifths of the time
and lower the variance by a tenth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.special import ndtr

from cdgrab_sim import problems
from cdgrab_sim._records import Record
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._measures import (
    floor,
    herding_error,
    problem_of,
    relaxed,
    run_of,
    time_to_accuracy,
    tuned_error,
)
from cdgrab_sim.experiments._parts import Task
from cdgrab_sim.experiments.statements._instances import seed_of
from cdgrab_sim.experiments.statements._statement import Measured, mean, slope
from cdgrab_sim.synchronous._simulate import simulate
from theory import quadratics, random_orders


def exponent(x: ArrayLike, y: ArrayLike) -> float:
    """Return the least-squares slope of log y in log x."""
    return float(np.polyfit(np.log(np.asarray(x)), np.log(np.asarray(y)), 1)[0])


def _measured(task: Task, cell: Mapping[str, Any], variable: str, values: Sequence[Any]) -> list[float]:
    """Return the error that a task finds for each value of a variable of its cell."""
    return [task({**cell, variable: value})["error"] for value in values]


def _floor(cell: Mapping[str, Any], relaxations: float) -> dict[str, float]:
    """Measure a floor in units of the variance of the gradients, which the draw of an instance decides."""
    problem = problem_of(cell)
    found = floor(relaxed(cell, relaxations), problem)
    return {"error": found["error"] / problem.constants["sigma"] ** 2}


def herding_in(variable: str, ordering: str, rng: Generator, number: int) -> Measured:
    cell = {"ordering": ordering, "seed": seed_of(rng), "d": 4, "rounds": 14, "n": 64}
    cell["m"] = 1 if ordering == "grab" else 3
    values = {"m": [1, 2, 4, 8, 16, 32], "n": [64, 128, 256, 512, 1024]}[variable]
    return exponent(values, _measured(herding_error, cell, variable, values))


for _ordering in ("rr", "d-grab", "d-grab-pair", "cd-grab"):
    slope("herding error", _ordering, "m", margin=0.1, seeds=30)(partial(herding_in, "m", _ordering))
for _ordering in ("rr", "grab", "d-grab-pair", "cd-grab"):
    slope("herding error", _ordering, "n", margin=0.2)(partial(herding_in, "n", _ordering))


def floor_in(variable: str, ordering: str, rng: Generator, number: int) -> Measured:
    L, n, first = 10.0, 32, 1.0 if ordering == "sgd" else 0.1  # alpha n L; of sgd alpha L must be small
    cell = {"ordering": ordering, "seed": seed_of(rng), "n": n, "replicates": {"others": 1}}
    cell |= {"problem": {"family": "skewed", "d": 3, "kappa": L}, "m": 1 if ordering == "grab" else 2}
    grid: dict[str, list[Any]] = {"m": [1, 16], "n": [16, 128]}
    grid["step_size"] = [first / (n * L), first / (8 * n * L)]
    cell["step_size"] = first / (grid["n"][-1] * L) if variable == "n" else first / (n * L)
    task = partial(_floor, relaxations=40 if ordering == "sgd" else 12)  # it wanders most
    values = grid[variable]
    return exponent(values, _measured(task, cell, variable, values))


for _ordering, _margin in (("sgd", 0.2), ("rr", 0.2), ("d-grab-pair", 0.3), ("cd-grab", 0.3)):
    _seeds = 16 if _ordering == "sgd" else 8  # it wanders most
    slope("floor", _ordering, "m", margin=_margin, seeds=_seeds)(partial(floor_in, "m", _ordering))
for _ordering in ("sgd", "rr", "grab", "cd-grab"):
    _seeds = 32 if _ordering == "grab" else 16  # a single worker: its orders differ most from seed to seed
    slope("floor", _ordering, "n", margin=0.35, seeds=_seeds, slow=True)(partial(floor_in, "n", _ordering))
    slope("floor", _ordering, "alpha", margin=0.35, seeds=16, slow=True)(
        partial(floor_in, "step_size", _ordering)
    )


def quadratic_floor_in(variable: str, ordering: str, rng: Generator, number: int) -> Measured:
    # Exactly -1 in m at every step. In n and alpha at alpha lambda n = 0.1 and 0.4, where the exact exponents
    # (Q5, Q6) are within 0.03 of their limits, in n within 0.09.
    n, h = 16, 0.5 if variable == "m" else 0.1
    cell = {"ordering": ordering, "seed": seed_of(rng), "m": 1, "n": n, "step_size": h / n}
    cell |= {"problem": {"family": "quadratic", "d": 1, "eigenvalues": [1.0]}, "every": 2}
    cell |= {"replicates": {"others": 12, "so": 100}}  # its errors stay; only its orders can be averaged
    grid: dict[str, list[Any]] = {"m": [1, 8], "n": [n, 4 * n], "step_size": [4 * h / n, h / n]}
    values = grid[variable]
    task = partial(_floor, relaxations=10 if ordering == "so" else 30)
    return exponent(values, _measured(task, cell, variable, values))


for _ordering in ("sgd", "so", "rr", "flipflop"):
    for _variable, _letter in (("m", "m"), ("n", "n"), ("alpha", "step_size")):
        slope("floor (quadratic)", _ordering, _variable, margin=0.3)(
            partial(quadratic_floor_in, _letter, _ordering)
        )


# Between the exponents 2 and 3 of so and rr: what it is depends on the mean prefixes of the orders, by Q13.
@mean("Q13", "exponent of the floor of cd-grab in alpha, less that of its filtered prefixes", cases=12,
      margin=0.05, center=0.0)  # fmt: skip
def filtered_exponent(rng: Generator, number: int) -> Measured:
    n, h, measured, predicted = 64, [0.2, 0.1, 0.05], [], []
    problem = problems.quadratic(m=1, n=n, d=1, eigenvalues=[1.0], seed=seed_of(rng))
    assert problem.x_star is not None
    seed, record = seed_of(rng), Record(loss=False, grad_norm=False, orders=True, trajectory=True)
    for alpha in [one / n for one in h]:
        epochs = round(20 / (alpha * n))
        run = simulate(
            problem, "cd-grab", epochs=epochs, step_size=alpha, x0=problem.x_star, seed=seed, record=record
        )
        assert run.orders is not None
        assert run.trajectory is not None
        centred = problem.data.b[0, :, 0] - problem.x_star[0]
        means = [[-np.cumsum(centred[pi[0]]).mean()] for pi in run.orders[0]]
        filtered = quadratics.filtered_errors(alpha, [1.0], n, means, np.zeros(1))
        late = slice(epochs // 2, None)
        measured.append(np.mean((run.trajectory[0, late] - problem.x_star) ** 2))
        predicted.append(np.mean(np.asarray(filtered)[late] ** 2))
    return exponent(h, measured) - exponent(h, predicted)


KAPPA = (
    2.0  # of T6: T >= 25 kappa log(m n T), 580 for all that is below; T3 asks for n T >= 2 kappa log(m n T)
)
EPOCHS = {"sgd": 100}  # its regime begins early, and its last iterate varies most


# One worker's pairs are neighbours in its order, and repel: its error is a constant larger (note S-slopes).
# Powers of m begin at two.
DEALT = [2, 16]


def _trained(ordering: str, rng: Generator, T: int) -> dict[str, Any]:
    """Return a cell of two workers far from the minimiser, with a range of alpha mu n T."""
    cell = {"ordering": ordering, "seed": seed_of(rng), "m": 2, "n": 16, "x0": 1.0}
    cell |= {"problem": {"family": "skewed", "d": 2, "kappa": KAPPA}, "steps": [1.0, 64.0]}
    return _lasting(cell | {"replicates": {"sgd": 10, "others": 3}}, T)


def _lasting(cell: Mapping[str, Any], T: int) -> dict[str, Any]:
    """Let a cell run for T epochs; the records that make its error are those of the last tenth."""
    return {**cell, "T": T, "every": max(1, T // 40)}


def tuned_error_in(variable: str, ordering: str, rng: Generator, number: int) -> Measured:
    # The tuned step is log(m n T) / (mu n T) up to a constant, and the error its square, of sgd its first
    # power: the logarithm is part of the prediction. The unit is the variance, as of floors.
    T, power, errors = EPOCHS.get(ordering, 800), 1 if ordering == "sgd" else 2, []
    values = {"m": DEALT, "n": [16, 128], "T": [T // 2, 2 * T]}[variable]
    cell = _trained(ordering, rng, T)
    for value in values:
        sized = _lasting(cell, value) if variable == "T" else cell | {variable: value}
        unit = (
            np.log(sized["m"] * sized["n"] * sized["T"]) ** power * problem_of(sized).constants["sigma"] ** 2
        )
        errors.append(tuned_error(sized)["error"] / unit)
    return exponent(values, errors)


for _ordering in ("sgd", "rr", "d-grab-pair", "cd-grab"):
    for _variable in ("m", "n", "T"):
        _seeds = 16 if (_ordering, _variable) == ("d-grab-pair", "n") else 8  # it varies twice as much
        slope("tuned error", _ordering, _variable, margin=0.4, seeds=_seeds, slow=True)(
            partial(tuned_error_in, _variable, _ordering)
        )


FIXED = 128  # examples N = m n of all workers


def _dealt(cell: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a cell for each number of workers that the same examples are dealt to."""
    return [{**cell, "dealt": True, "m": m, "n": FIXED // m} for m in DEALT]


def tuned_error_at_fixed_n(ordering: str, rng: Generator, number: int) -> Measured:
    return exponent(DEALT, [tuned_error(cell)["error"] for cell in _dealt(_trained(ordering, rng, 400))])


def _epochs(cells: Sequence[dict[str, Any]], T: int) -> list[float]:
    """Return the fewest epochs to the error that the first cell reaches in half of T."""
    accuracy = {"others": tuned_error(_lasting(cells[0], T // 2))["error"]}
    asked = {"accuracy": accuracy, "rates": [1.0 / T, 512.0 / T], "every": 1}
    return [time_to_accuracy(cell | asked)["epochs"] for cell in cells]


def time_in_m(ordering: str, rng: Generator, number: int) -> Measured:
    T = 2 * EPOCHS.get(ordering, 300)  # many, next to the window of five
    cell = _trained(ordering, rng, T)
    return exponent(DEALT, _epochs([cell | {"m": m} for m in DEALT], T))


def steps_at_fixed_n(ordering: str, rng: Generator, number: int) -> Measured:
    epochs = _epochs(_dealt(_trained(ordering, rng, 600)), 600)
    return exponent(DEALT, [FIXED // m * time for m, time in zip(DEALT, epochs, strict=True)])


for _ordering in ("sgd", "rr", "d-grab-pair", "cd-grab"):
    slope("time to accuracy", _ordering, "m", margin=0.24, slow=True)(partial(time_in_m, _ordering))
for _ordering in ("rr", "cd-grab"):
    for _quantity, _case in (
        ("tuned error (fixed N)", tuned_error_at_fixed_n),
        ("steps to accuracy (fixed N)", steps_at_fixed_n),
    ):
        slope(_quantity, _ordering, "m", margin=0.3, seeds=8, slow=True)(partial(_case, _ordering))


STEPS = np.geomspace(8e-3, 0.4, 10)  # alpha n L


def mean_squared_gradients(cell: Mapping[str, Any]) -> FloatArray:
    """Return the means over the first 1, ..., T epochs of ||grad f(x_t)||^2, for every step of a grid."""
    problem, T, means = problem_of(cell), cell["T"], []
    for step in STEPS / (problem.n * problem.constants["L"]):
        run = run_of(cell, problem, step, T, Record(loss=False))
        assert run.grad_norm is not None
        squares = (run.grad_norm[:, :-1] ** 2).mean(axis=0)
        means.append(np.cumsum(squares) / np.arange(1, T + 1))
    return np.array(means)


def mean_squared_gradient(cell: Mapping[str, Any]) -> dict[str, float]:
    """Measure the smallest mean over T epochs of ||grad f(x_t)||^2, over a grid of steps."""
    last = mean_squared_gradients(cell)[:, -1]
    best = int(np.argmin(last))
    if best in (0, len(last) - 1):
        raise RuntimeError(
            f"{cell['ordering']}: expected the best step inside the grid; got number {best}; widen the grid"
        )
    return {"error": float(last[best])}


def _near(ordering: str, rng: Generator, T: int) -> dict[str, Any]:
    """Return a cell so near the minimiser that the best alpha n L is small, and the leading term leads.

    Not so near that the start is forgotten within 1 / (alpha mu n) epochs, which counts less than its share:
    the higher floor of rr needs more. From 0.0005 its averaged path falls as T^-0.53, from 0.002 as T^-0.61.
    """
    replicates = {"rr": 1, "others": 4}  # herded orders remember which one they began with
    cell = {"problem": {"family": "skewed", "d": 2, "kappa": 4.0}}  # neither T1 nor T5 asks for a small kappa
    off = 2e-3 if ordering == "rr" else 5e-4
    return _trained(ordering, rng, T) | cell | {"x0": [off, -off], "replicates": replicates}


NEAR: dict[str, list[Any]] = {"m": [1, 8], "n": [16, 128], "T": [200, 800]}


def gradient_in(variable: str, ordering: str, rng: Generator, number: int) -> Measured:
    cell, values = _near(ordering, rng, 400), NEAR[variable]
    return exponent(values, _measured(mean_squared_gradient, cell, variable, values))


def averaged_gradient(cell: Mapping[str, Any]) -> dict[str, float]:
    """Predict `mean_squared_gradient` of rr: steps move x by -alpha E h(x - alpha P_k), P_k normal (R1)."""
    problem, T = problem_of(cell), cell["T"]
    n, L, mu = problem.n, problem.constants["L"], problem.constants["mu"]
    terms = problem.data.terms
    sigma = (terms - terms.mean(axis=1, keepdims=True)).std(axis=(0, 1))
    deviations = np.sqrt(random_orders.prefix_second_moment(n, 1, 1.0)[:-1] / problem.m)[:, None] * sigma
    alpha = (STEPS / (n * L))[:, None]
    x, squares = np.tile(cell["x0"], (len(alpha), 1)), np.zeros(len(alpha))
    for _ in range(T):
        squares += ((np.where(x <= 0.0, L, mu) * x) ** 2).sum(axis=1)
        spread = alpha[:, None] * deviations
        below = spread * _beyond(x[:, None] / spread)
        x = x - alpha * (n * mu * x - (L - mu) * (below.sum(axis=1) + np.maximum(-x, 0.0)))
    return {"error": float(squares.min() / T)}


def _beyond(r: FloatArray) -> FloatArray:
    """Return E max(Z - r, 0) of a standard normal Z."""
    return np.asarray(np.exp(-np.minimum(r * r, 1400.0) / 2.0) / math.sqrt(2.0 * math.pi) - r * ndtr(-r))


@mean("T1", "exponents of the mean squared gradient of rr in m, n and T, less those of its averaged path",
      cases=12, margin=0.1, center=0.0, slow=True)  # fmt: skip
def averaged_path(rng: Generator, number: int) -> Measured:
    cell, variable = _near("rr", rng, 400), ("m", "n", "T")[number % 3]
    found, predicted = (
        exponent(NEAR[variable], _measured(task, cell, variable, NEAR[variable]))
        for task in (mean_squared_gradient, averaged_gradient)
    )
    return found - predicted


def gradient_time_in_m(ordering: str, rng: Generator, number: int) -> Measured:
    """Fit the times until the mean squared gradient is that of one worker after half of T."""
    T, sizes = 800, [1, 4]
    cell = _near(ordering, rng, T)
    means = [mean_squared_gradients(cell | {"m": m}).min(axis=0) for m in sizes]
    accuracy = means[0][T // 2 - 1]
    return exponent(sizes, [1 + int(np.argmax(mean <= accuracy)) for mean in means])


for _ordering in ("rr", "cd-grab"):
    for _variable in ("m", "n", "T"):
        slope("non-convex bound", _ordering, _variable, margin=0.16, slow=True)(
            partial(gradient_in, _variable, _ordering)
        )
    slope("non-convex time to accuracy", _ordering, "m", margin=0.24, seeds=20, slow=True)(
        partial(gradient_time_in_m, _ordering)
    )
