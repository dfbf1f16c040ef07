"""Random reshuffling catches up on quadratics: its floor falls as alpha^3, that of orders kept as alpha^2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cdgrab_sim._records import Record
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._cells import by_ordering, grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._exponents import slope_row
from cdgrab_sim.experiments._measures import floor, problem_of, relaxed, run_of
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from cdgrab_sim.experiments._readings import claim
from cdgrab_sim.problems._minimum import excess
from theory.quadratics import filtered_errors

PAIR = ("rr", "cd-grab")
# Exponents of rr's floor less cd-grab's: 2 - 2 (I6, T3), and 3 - 2 where the mean prefix of cd-grab's orders
# hardly changes (Q11, Q13). With more examples it does, and its floor lies between alpha^2 and alpha^3.
EXPONENTS = {"skewed": 0.0, "few examples": 1.0}
MARGIN, CLOSE = 0.2, 0.03
CASES = ("skewed", "few examples", "many examples")
_AT_ONCE = 1024  # epochs whose prefixes are in memory


def gain_part(config: Mapping[str, Any], seeds: Sequence[int], case: str) -> Part:
    """Compare floors of rr and cd-grab against the step size; on quadratics also with those of Q13."""
    sizes = config["gain"]
    problem, m, n, h = (sizes[case][key] for key in ("problem", "m", "n", "alpha_n_L"))
    quadratic = problem["family"] == "quadratic"
    L = max(problem["eigenvalues"]) if quadratic else problem["kappa"]  # mu = 1 in both
    shared = {"problem": problem, "m": m, "n": n, "replicates": sizes["replicates"]}
    axes = {"ordering": PAIR, "seed": seeds, "step_size": [one / (n * L) for one in h]}
    cells = [relaxed(cell, sizes["relaxations"]) for cell in grid(axes, shared)]
    where = f"{problem['family']}, m = {m}, n = {n}"

    def read(values: list[dict[str, Any]]) -> Findings:
        tables = by_ordering(values, "error", PAIR, len(seeds))
        gain = tables["rr"] / tables["cd-grab"]
        found = Findings(data={f"gain alpha n L {case}": np.array(h), f"gain {case}": gain})
        what = f"{where}: floor / cd-grab's, exponent in alpha"
        found.rows.append(slope_row("rr", what, h, gain, EXPONENTS.get(case), MARGIN))
        if case == "few examples":
            least = gain[:, 0].max()
            found.rows.append(
                claim("rr", f"{where}: floor / cd-grab's at alpha n L = {h[0]:g}", least, below=1)
            )
        if quadratic:
            filtered = by_ordering(values, "filtered", PAIR, len(seeds))
            for name in PAIR:
                shares = (tables[name] / filtered[name]).mean(axis=1)
                quantity = f"{where}: floor / that of its mean prefixes"
                found.rows.append(Row.judged(name, quantity, verdict(shares, 1.0, CLOSE, positive=True)))
        found.notes.append(
            f"rr: on {where} its floor is {gain[:, -1].mean():.3g} times cd-grab's at alpha n L = {h[-1]:g}, "
            f"{gain[:, 0].mean():.3g} times at {h[0]:g}"
        )
        return found

    return Part(filtered_floor if quadratic else floor, cells, read)


def filtered_floor(cell: Cell) -> dict[str, float]:
    """Measure a floor on a quadratic with one Hessian, and predict it from its mean prefixes (Q13)."""
    problem, T = problem_of(cell), cell["epochs"]
    run = run_of(cell, problem, cell["step_size"], T, Record(grad_norm=False, distance=False, orders=True))
    assert run.loss is not None
    assert run.orders is not None
    assert problem.x_star is not None
    z = problem.gradients(problem.x_star)  # in the eigenbasis: the Hessian of `quadratic` is diagonal
    eigenvalues = np.array(cell["problem"]["eigenvalues"])
    start = np.zeros(problem.d)
    predicted = []
    for pi in run.orders:
        means = _mean_prefixes(z, pi)
        errors = filtered_errors(cell["step_size"], eigenvalues, problem.n, means, start)
        predicted.append(0.5 * (errors[T // 2 :] ** 2 @ eigenvalues).mean())
    error = excess(problem, run.loss[:, T // 2 :]).mean()
    return {"error": float(error), "filtered": float(np.mean(predicted))}


def _mean_prefixes(z: FloatArray, pi: IntArray) -> FloatArray:
    """Return the mean over k of the prefix sums, over all workers and divided by m, per epoch (T, d)."""
    m, _, d = z.shape
    means = np.empty((len(pi), d))
    for t in range(0, len(pi), _AT_ONCE):
        steps = z[np.arange(m)[:, None], pi[t : t + _AT_ONCE]].sum(axis=1) / m
        means[t : t + _AT_ONCE] = np.cumsum(steps, axis=1).mean(axis=1)
    return means
