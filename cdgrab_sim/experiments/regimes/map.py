"""A map over m, n and T: which term of the bound is largest, and whether m workers gain what it says."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.analysis import tune, verdict
from cdgrab_sim.experiments._cells import grid
from cdgrab_sim.experiments._experiment import Row
from cdgrab_sim.experiments._measures import LAST, errors, problem_of
from cdgrab_sim.experiments._parts import Cell, Findings, Part
from theory.balancing import greedy_stationary_norm
from theory.random_orders import mean_square_prefix

REGIMES = ("speedup", "first orders", "step-size cap")
MARGIN = 0.25
FINEST = 2.0 ** (1 / 18)  # ratio of the step sizes over which the bound is minimised


@dataclass(frozen=True)
class Bound:
    """The bound on the squared distance at its best step size, and the regime that it names."""

    value: float
    regime: str


def bound(m: int, n: int, T: int, d: int, kappa: float) -> Bound:
    r"""Minimise T3 for cd-grab over the step size, with herding errors from H5, V3 and R2.

    .. math::

        b_{t+1} = \rho^n b_t + \frac{\alpha^2 L}{\mu} (1 - \rho^n) H_t^2, \qquad
        H_t = 2^{-t} H_0 + \frac{A}{m}, \qquad \rho = 1 - \alpha\mu, \quad \alpha \le \frac1L

    on `skewed` with sigma = 1 and mu = 1, from x_0 = (1, ..., 1): A is the stationary norm of greedy signed
    sums of pair differences, H_0 the root mean square prefix of random orders. Derived here: T3 unrolled
    over an epoch in which every prefix is at most H_t.

    The regime is "step-size cap" where the best step is 1 / L, "first orders" where more than half of what
    the orders add comes from H_0, and "speedup" elsewhere: there the bound falls as 1 / m^2 up to logarithms.

    Examples
    --------
    >>> [bound(4, 8, T, d=3, kappa=10.0).regime for T in (5, 400)]
    ['step-size cap', 'speedup']
    """
    A = math.sqrt(2.0) * greedy_stationary_norm(d, "gaussian") / m
    H0 = math.sqrt(mean_square_prefix(n, m, float(d))) / m
    alpha: FloatArray = FINEST ** -np.arange(18.0 * 14.0) / kappa
    halves: FloatArray = 0.5 ** np.arange(float(T))
    kept: FloatArray = (1.0 - alpha) ** n
    both = _added(alpha, kept, halves * H0 + A, kappa)
    later = _added(alpha, kept, np.full(T, A), kappa)
    total = kept**T * d + both
    best = int(np.argmin(total))
    if best == 0:
        regime = "step-size cap"
    else:
        regime = "speedup" if later[best] >= 0.5 * both[best] else "first orders"
    return Bound(float(total[best]), regime)


def _added(alpha: FloatArray, kept: FloatArray, H: FloatArray, kappa: float) -> FloatArray:
    """Return what the orders of all epochs add to the bound, per step size."""
    added = np.zeros_like(alpha)
    for error in H:
        added = kept * added + alpha**2 * kappa * (1.0 - kept) * error**2
    return added


def map_part(config: Mapping[str, Any], seeds: Sequence[int]) -> Part:
    """Measure tuned errors of cd-grab over the map; compare their local exponents in m with the bound's."""
    sizes = config["map"]
    axes = {"n": sizes["n"], "T": sizes["T"], "m": sizes["m"], "seed": seeds}
    problem = config["problem"] | {"kappa": sizes["kappa"]}
    shared = {"ordering": "cd-grab", "problem": problem, "x0": 1.0}
    cells = grid(axes, shared | {"replicates": sizes["replicates"]})

    def read(values: list[dict[str, Any]]) -> Findings:
        shape = [len(axis) for axis in axes.values()]
        error = np.reshape([cell["error"] for cell in values], shape)
        return _findings(config, error)

    return Part(capped_error, cells, read)


def capped_error(cell: Cell) -> dict[str, float]:
    """Measure the error after T epochs, tuned under the bound's cap: larger steps count as 1 / L."""
    problem, T = problem_of(cell), cell["T"]
    L, mu = problem.constants["L"], problem.constants["mu"]
    last = min(LAST, T // 2)

    def error(alpha: float) -> float:
        return float(errors(cell, problem, min(alpha, 1.0 / L), T)[:, -last:].mean())

    best = tune(error, min(1.0 / (mu * problem.n * T), 0.25 / L), 4.0 / L)
    return {"error": best.error, "capped": float(best.step_size >= 1.0 / L)}


def _findings(config: Mapping[str, Any], error: FloatArray) -> Findings:
    """Judge local exponents regime by regime: measured minus predicted, averaged over its places."""
    sizes, d = config["map"], config["problem"]["d"]
    n, T, m = (sizes[letter] for letter in "nTm")
    bounds = [[[bound(w, k, t, d, sizes["kappa"]) for w in m] for t in T] for k in n]
    value = np.array([[[b.value for b in row] for row in plane] for plane in bounds])
    regime = np.array([[[REGIMES.index(b.regime) for b in row] for row in plane] for plane in bounds])
    steps = np.diff(np.log(m))
    logs = np.log(error, out=np.full(error.shape, np.nan), where=error > 0.0)  # none where error underflows
    measured = np.diff(logs, axis=2) / steps[:, None]  # (n, T, m - 1, seeds)
    predicted = np.diff(np.log(value), axis=2) / steps
    alike = (regime[..., 1:] == regime[..., :-1]) & np.isfinite(measured).all(axis=-1)
    inside = np.where(alike, regime[..., 1:], -1)
    data = {"map n": np.array(n), "map T": np.array(T), "map m": np.array(m)}
    data |= {"map error": error, "map measured": measured, "map predicted": predicted, "map regime": regime}
    rows = []
    for k, name in enumerate(REGIMES):
        if (inside == k).any():
            gap = (measured - predicted[..., None])[inside == k].mean(axis=0)
            quantity = f"{name}: exponent in m, measured − bound's ({(inside == k).sum()} places)"
            rows.append(Row.judged("cd-grab", quantity, verdict(gap, 0.0, MARGIN)))
            plain = measured[inside == k].mean(axis=0)
            rows.append(Row.judged("cd-grab", f"{name}: exponent in m", verdict(plain, None, None)))
    return Findings(rows, data, [_onset(k, T, m, plane) for k, plane in zip(n, regime, strict=True)])


def _onset(n: int, T: Sequence[int], m: Sequence[int], regime: IntArray) -> str:
    """Say from which epoch on the bound promises speedup for every m of the map."""
    all_of_them = (regime == REGIMES.index("speedup")).all(axis=1)
    if not all_of_them[-1]:
        return f"n = {n}: no speedup is promised up to m = {m[-1]} within T = {T[-1]} epochs"
    first = len(T) - int(np.argmin(all_of_them[::-1])) if not all_of_them.all() else 0
    return f"n = {n}: the bound promises speedup for all m <= {m[-1]} from T = {T[first]} epochs on"
