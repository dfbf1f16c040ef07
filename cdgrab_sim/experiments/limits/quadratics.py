"""Where theory knows the answer for shuffled orders: quadratics, and counterexamples made of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from typing import Any

import numpy as np

from cdgrab_sim import problems
from cdgrab_sim._records import Problem, Record
from cdgrab_sim._rng import Role, stream, subseeds
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._cells import by_ordering, grid, run_cells
from cdgrab_sim.experiments._experiment import Options, Row
from cdgrab_sim.experiments._exponents import exponent_row
from cdgrab_sim.experiments._measures import floor
from cdgrab_sim.experiments._orders import given
from cdgrab_sim.experiments._readings import Reading, claim, same
from cdgrab_sim.problems._minimum import excess
from cdgrab_sim.synchronous._simulate import simulate
from theory import instances, quadratics

FLOORS = ("sgd", "ig", "so", "rr", "flipflop")
ONE_HESSIAN = {"family": "quadratic", "d": 1, "eigenvalues": [1.0]}
_ROUNDING = 1e-9  # what is exact must come out to this


def floors(config: dict[str, Any], options: Options) -> tuple[list[Row], dict[str, FloatArray]]:
    """Measure floors against alpha and n, and fit their exponents.

    Every other epoch is looked at: flipflop is at rest after complete pairs of them.
    """
    axes = {"alpha": config["alpha"], "n": config["n"]}
    cases = [(name, v) for v in axes for name in FLOORS if (name, v) != ("ig", "n")]  # ig: no claim in n
    seeds = subseeds(options.seed, config["seeds"])
    cells = []
    for name, variable in cases:
        sizes = config["so"] if name == "so" else config
        shared = {"ordering": name, "problem": ONE_HESSIAN, "m": config["m"], "n": config["n"][0]}
        shared |= {"step_size": config["alpha"][0], "epochs": sizes["epochs"], "every": 2}
        shared |= {"replicates": {"others": sizes["replicates"]}}
        letter = "step_size" if variable == "alpha" else variable
        cells += [shared | cell for cell in grid({"seed": seeds, letter: axes[variable]}, {})]
    found = iter(run_cells(floor, cells, options))
    rows, data = [], {}
    for name, variable in cases:
        values = np.array([[next(found)["error"] for _ in axes[variable]] for _ in seeds])
        rows.append(exponent_row(name, "floor (quadratic)", variable, axes[variable], values, 0.25))
        data[f"{variable} {name}"] = values
    return rows, data | {letter: np.array(values) for letter, values in axes.items()}


def safran_shamir(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: the loss after T epochs with the published step size, over chains of equal cost."""
    instance = instances.safran_shamir("shared", cell["n"], 1.0, 1.0, cell["kappa"])
    hessians = instance.hessians[None, :, :, None] * np.eye(2)
    problem = problems.from_hessians(hessians, -instance.linear[None])
    run = simulate(
        problem,
        cell["ordering"],
        epochs=cell["T"],
        step_size=instances.safran_shamir_step_size(cell["n"], cell["T"], 1.0),
        x0=instance.x0,
        seed=cell["seed"],
        replicates=max(1, cell["epochs"] // cell["T"]),
        record=Record(every=cell["T"], grad_norm=False),
        threads=1,
    )
    assert run.loss is not None
    return {"loss": float(excess(problem, run.loss[:, -1]).mean())}


def many_epochs(config: dict[str, Any], options: Options) -> tuple[list[Row], dict[str, FloatArray]]:
    """Compare rr and so with sgd before and after as many epochs as the condition number."""
    kappa, epochs, names = config["kappa"], config["T"], ("sgd", "so", "rr")
    axes = {"ordering": names, "seed": subseeds(options.seed, config["seeds"]), "T": epochs}
    shared = {"n": config["n"], "kappa": kappa, "epochs": config["epochs"]}
    found = run_cells(safran_shamir, grid(axes, shared), options)
    table = by_ordering(found, "loss", names, config["seeds"])
    rows = []
    for name in ("so", "rr"):
        shares = table[name].mean(axis=0) / table["sgd"].mean(axis=0)
        early = f"loss / sgd, κ = {kappa:g}, T = {epochs[0]}"
        rows += [
            claim(name, early, shares[0], above=0.6),
            claim(name, f"loss / sgd, κ = {kappa:g}, T = {epochs[-1]}", shares[-1], below=0.6),
        ]
    return rows, {"T": np.array(epochs)} | {f"T {name}": values for name, values in table.items()}


def step_regimes() -> list[Row]:
    """Try a step that is too small and one that is too large, on one noiseless coordinate (I3)."""
    loss = {}
    for kind, steps, alpha in (("small", 2, 0.5), ("small", 50, 0.02), ("large", 50, 2.02)):
        problem = problems.from_hessians(np.ones((1, 1, 1, 1)), np.zeros((1, 1, 1)))
        run = simulate(problem, "ig", epochs=steps, step_size=alpha, x0=[1.0], record=Record(grad_norm=False))
        assert run.loss is not None
        loss[kind, steps] = run.loss[0, -1] / run.loss[0, 0]
    bound = instances.small_step_loss(1.0, 1.0) / 0.5
    what = "loss over first loss, no noise"
    return [
        same("any", f"{what}, α = 1/(μN), N = 2", loss["small", 2], Reading(bound, _ROUNDING)),
        claim("any", f"{what}, α = 1/(μN), N = 50", loss["small", 50], above=bound),
        claim("any", f"{what}, α = 2.02/L, N = 50", loss["large", 50], above=1.0),
    ]


def de_sa() -> list[Row]:
    """Average the epochs of De Sa's matrices over all orders, with and without replacement (I7)."""
    instance = instances.de_sa(scale=0.5)
    problem = problems.from_hessians((np.eye(5) - instance.matrices)[None], np.zeros((1, 5, 5)))
    orders = {"rr": permutations(range(5)), "sgd": product(range(5), repeat=5)}
    maps = {name: np.array([_epoch(problem, order) for order in chosen]) for name, chosen in orders.items()}
    mean = {name: float(np.linalg.norm(P.mean(axis=0), 2)) for name, P in maps.items()}
    square = {name: float(np.linalg.norm((P.swapaxes(1, 2) @ P).mean(axis=0), 2)) for name, P in maps.items()}
    return [
        same("rr", "De Sa: norm of the mean epoch", mean["rr"], Reading(19 / 512, _ROUNDING)),
        same("sgd", "De Sa: norm of the mean epoch", mean["sgd"], Reading(1 / 32, _ROUNDING)),
        claim("rr", "De Sa: norm of the mean square / sgd", square["rr"] / square["sgd"], below=1.0),
    ]


def _epoch(problem: Problem, order: Sequence[int]) -> FloatArray:
    """Return the matrix of one epoch: what it makes of each unit vector."""
    record = Record(loss=False, grad_norm=False)
    d = problem.d
    run = simulate(
        problem, given([[order]]), epochs=1, step_size=1.0, x0=np.eye(d), replicates=d, record=record
    )
    return run.x.T


def bias(cell: dict[str, Any]) -> dict[str, float]:
    """Measure one cell: the mean of x where Hessians differ, along its exact prediction (I5, G1)."""
    n, d, alpha = cell["n"], cell["d"], cell["alpha"]
    rng = stream(cell["seed"], Role.DATA)
    noise = rng.standard_normal((n, d, d))
    hessians = np.eye(d) + 0.5 * (noise + noise.swapaxes(1, 2)) / 2.0
    linear = rng.standard_normal((n, d))
    problem = problems.from_hessians(hessians[None], linear[None])
    run = simulate(
        problem,
        "rr",
        epochs=cell["epochs"],
        step_size=alpha,
        x0=problem.x_star,
        seed=cell["seed"],
        record=Record(loss=False, grad_norm=False, trajectory=True),
        threads=1,
    )
    assert run.trajectory is not None
    assert problem.x_star is not None
    moved = run.trajectory[0, cell["epochs"] // 10 :].mean(axis=0) - problem.x_star
    exact = quadratics.stationary_mean("rr", alpha, hessians, linear) - problem.x_star
    return {"share": float(moved @ exact / (exact @ exact))}
