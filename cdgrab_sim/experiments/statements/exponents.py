"""Exponents (S): the table of slopes, one log-log fit per seed, measured with `simulate` and `herding`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import herding, problems
from cdgrab_sim._records import Record
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments.statements._instances import centred, random_orders
from cdgrab_sim.experiments.statements._statement import Measured, slope
from cdgrab_sim.synchronous._simulate import simulate

POWERS = np.array([1, 2, 4, 8, 16, 32])


def _seed(rng: Generator) -> int:
    return int(rng.integers(2**31))


def exponent(x: ArrayLike, y: ArrayLike) -> float:
    """Return the least-squares slope of log y in log x."""
    return float(np.polyfit(np.log(np.asarray(x)), np.log(np.asarray(y)), 1)[0])


def _herding(rng: Generator, z: FloatArray, ordering: str) -> float:
    """Return the root mean square herding error over several first orders."""
    m, n, _ = z.shape
    if ordering in ("rr", "so", "flipflop"):  # one epoch of each is a random order
        errors = [herding.error(z, random_orders(rng, m, n), "l2") for _ in range(64)]
    else:
        curves = [herding.curve(z, ordering, 14, random_orders(rng, m, n), norm="l2") for _ in range(6)]
        errors = np.ravel([curve[-5:] for curve in curves]).tolist()
    return float(np.sqrt(np.mean(np.square(errors))))


def herding_in_m(ordering: str, rng: Generator, number: int) -> Measured:
    z = centred(rng.standard_normal((POWERS[-1], 64, 4)), (1,))
    return exponent(POWERS, [_herding(rng, z[:m], ordering) for m in POWERS])


def herding_in_n(ordering: str, rng: Generator, number: int) -> Measured:
    m = 1 if ordering == "grab" else 3
    sizes = [16, 32, 64, 128, 256]
    tables = [centred(rng.standard_normal((m, n, 4)), (1,)) for n in sizes]
    return exponent(sizes, [_herding(rng, z, ordering) for z in tables])


for _ordering in ("rr", "d-grab", "d-grab-pair", "cd-grab"):
    slope("herding error", _ordering, "m", margin=0.1)(partial(herding_in_m, _ordering))
for _ordering in ("rr", "grab", "d-grab-pair", "cd-grab"):
    slope("herding error", _ordering, "n", margin=0.2)(partial(herding_in_n, _ordering))


def floor(ordering: str, seed: int, *, m: int, n: int, alpha: float, kappa: float) -> float:
    """Return (f - f_star) / sigma^2 on the skewed problem, averaged over time after a burn-in."""
    problem = problems.skewed(m=m, n=n, d=3, kappa=kappa, seed=seed)
    epochs = round((40 if ordering == "sgd" else 12) / (alpha * n))  # relaxation times; sgd wanders most
    start = np.full(3, alpha * np.sqrt(n / m) / 2.0)
    record = Record(grad_norm=False)
    run = simulate(problem, ordering, epochs=epochs, step_size=alpha, x0=start, seed=seed, record=record)
    assert run.loss is not None
    return float(run.loss[0, epochs // 3 :].mean()) / problem.constants["sigma"] ** 2


def floor_in_m(ordering: str, rng: Generator, number: int) -> Measured:
    seed, kappa, n = _seed(rng), 10.0, 32
    alpha = 0.05 / (n * kappa)
    sizes = POWERS[:5]
    return exponent(sizes, [floor(ordering, seed, m=m, n=n, alpha=alpha, kappa=kappa) for m in sizes])


def floor_in_n(ordering: str, rng: Generator, number: int) -> Measured:
    seeds, kappa, sizes = [_seed(rng) for _ in range(2)], 10.0, [16, 32, 64, 128]
    m, alpha = 1 if ordering == "grab" else 2, 0.1 / (sizes[-1] * kappa)
    return exponent(
        sizes,
        [np.mean([floor(ordering, s, m=m, n=n, alpha=alpha, kappa=kappa) for s in seeds]) for n in sizes],
    )


def floor_in_alpha(ordering: str, rng: Generator, number: int) -> Measured:
    seed, kappa, n = _seed(rng), 10.0, 32
    steps = np.array([0.1, 0.05, 0.025, 0.0125]) / (n * kappa)
    m = 1 if ordering == "grab" else 2
    return exponent(steps, [floor(ordering, seed, m=m, n=n, alpha=a, kappa=kappa) for a in steps])


for _ordering, _margin in (("sgd", 0.2), ("rr", 0.2), ("d-grab-pair", 0.3), ("cd-grab", 0.3)):
    slope("floor", _ordering, "m", margin=_margin, seeds=8)(partial(floor_in_m, _ordering))
for _ordering in ("sgd", "rr", "grab", "cd-grab"):
    slope("floor", _ordering, "n", margin=0.35, seeds=16, slow=True)(partial(floor_in_n, _ordering))
    slope("floor", _ordering, "alpha", margin=0.35, seeds=16, slow=True)(partial(floor_in_alpha, _ordering))


def quadratic_floor(ordering: str, seed: int, *, m: int, n: int, alpha: float) -> float:
    """Return (f - f_star) / sigma^2 on a quadratic, averaged over time, of so over the orders drawn."""
    problem = problems.quadratic(m=m, n=n, d=1, eigenvalues=[1.0], seed=seed)
    epochs, chains = round(30 / (alpha * n)), 120 if ordering == "so" else 12
    epochs = epochs // 3 if ordering == "so" else epochs
    record = Record(every=2, grad_norm=False)  # flipflop after complete pairs
    assert problem.x_star is not None
    run = simulate(
        problem,
        ordering,
        epochs=2 * (epochs // 2),
        step_size=alpha,
        x0=problem.x_star,
        replicates=chains,
        seed=seed,
        record=record,
        threads=1,
    )
    assert run.loss is not None
    floor = run.loss[:, run.loss.shape[1] // 3 :].mean() - problem.f_star
    return float(floor) / problem.constants["sigma"] ** 2


def quadratic_in(variable: str, ordering: str, rng: Generator, number: int) -> Measured:
    seed = _seed(rng)
    grid: dict[str, list[Any]] = {"m": [1, 2, 4, 8], "n": [8, 16, 32], "alpha": [0.2, 0.1, 0.05]}
    floors = []
    for value in grid[variable]:
        sizes = {"m": 1, "n": 64 if ordering == "cd-grab" else 16}
        sizes |= {variable: value} if variable != "alpha" else {}
        h = {"alpha": value, "n": value / 160}.get(variable, 0.1)  # n varies at a fixed step: h grows with n
        floors.append(quadratic_floor(ordering, seed, alpha=h / sizes["n"], **sizes))
    return exponent(grid[variable], floors)


for _ordering in ("sgd", "so", "rr", "flipflop"):
    for _variable in ("m", "n", "alpha"):
        slope("floor (quadratic)", _ordering, _variable, margin=0.3)(
            partial(quadratic_in, _variable, _ordering)
        )
slope("floor (quadratic)", "cd-grab", "alpha", margin=0.3)(partial(quadratic_in, "alpha", "cd-grab"))
