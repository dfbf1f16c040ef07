"""Terms (H, T): how far the constant of each one can be lowered while the others stay, over worst instances.

A bound as a whole may be attained by one of its terms and say nothing of the others. The share of a term is
what an instance asks of it, over what it has: measured less the bound without the term, over the term. Of a
term that subtracts, it is the term over the most that could be subtracted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from cdgrab_sim import balancing, herding
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments.statements._paths import Path
from cdgrab_sim.experiments.tightness.bounds import between, bound, geometric, whole
from cdgrab_sim.experiments.tightness.orders import _centred
from cdgrab_sim.experiments.tightness.runs import (
    _large,
    _run,
    follow,
    line,
    reshuffled_distance,
    stale_epochs,
)
from cdgrab_sim.experiments.tightness.signs import directions
from theory import convergence as theory
from theory import herding as lemmas

Case: TypeAlias = tuple[float, Callable[..., Any], Mapping[str, Any]]  # measured, the bound, what it is of
Family: TypeAlias = Callable[[FloatArray], Iterator[Case]]

_ABSENT = {"mu": 1e-12, "L": 1e-9}  # what must be positive; everything else is set to zero
_CANCELS = 1e-7  # of the bound: a smaller term is rounding


def share(case: Case, name: str) -> float:
    """Return the share of the term in `name` that an instance needs; down to -1 where it needs none.

    Examples
    --------
    Measured 5 where the bound is 2 x + y = 7 at x = 2, y = 3: x needs 2 of its 4, y 1 of its 3.

    >>> case = 5.0, lambda x, y: 2 * x + y, {"x": 2.0, "y": 3.0}
    >>> share(case, "x"), round(share(case, "y"), 3)
    (0.5, 0.333)
    """
    measured, predict, given = case
    all_terms = float(predict(**given))
    others = float(predict(**{**given, name: _ABSENT.get(name, 0.0)}))
    term, needed = all_terms - others, measured - others
    if abs(term) <= _CANCELS * (abs(others) + abs(all_terms)):
        return -1.0
    found = needed / term if term > 0.0 else term / min(needed, term)
    return found if found >= 0.0 else found / (1.0 - found)


def terms(label: str, claim: str, numbers: int, names: Mapping[str, str]) -> Callable[[Family], Family]:
    """Register a bound for every term: the argument that makes it, and why it is loose where it is."""

    def register(family: Family) -> Family:
        for name, reason in names.items():
            measure = partial(_largest, family, name)
            bound(label, f"{claim}: term in {name}", numbers, reason)(measure)
        return family

    return register


def _largest(family: Family, name: str, p: FloatArray) -> float:
    return max((share(case, name) for case in family(p)), default=-1.0)


def _last(bounds: Callable[..., FloatArray], **given: Any) -> float:
    return float(bounds(**given)[-1])


PARTS = "the drift adds up three parts as if they were parallel, and prefixes as if all were the largest"
TRAVEL = "the bound on the way counts every step at the worst gradient; one reorder feels half of them"
MEETS = "the recursion of the herding error is squared, and its worst cases never meet those of the descent"

# Terms that no instance is known to need: what they pay for is paid by another one at the same time.
UNNEEDED = {
    "T5 H0": "drifts of the first epochs stay below what their balance terms allow",
    "T6 H0": "drifts of the first epochs stay below what their balance terms allow",
    "T7 moved": "the distance to the first point is one of those that moved_sum adds up",
}


@terms("T1", "value after an epoch", 10, {"grad_norm": "", "V": ""})
def descent(p: FloatArray) -> Iterator[Case]:
    run = _run(p, 1, 4, -1.0, 0.5, 1)
    if run is not None:
        given = {"value": run.gap[0], "grad_norm": run.slope[0], "V": run.V[0]}
        yield run.gap[1], theory.epoch_descent_bound, given | {"alpha": run.alpha, "n": 4, "L": run.L}


@terms("T1", "mean squared gradient", 11, {"F0": "", "V": PARTS})
def mean_gradient(p: FloatArray) -> Iterator[Case]:
    T = whole(p[10], 1, 12)
    run = _run(p, 1, 4, -1.0, 0.5, T)
    if run is not None:
        given = {"F0": run.gap[0], "L": run.L, "V": run.V, "alpha": run.alpha, "n": 4, "T": T}
        yield float(np.mean(run.slope**2)), theory.nonconvex_bound, given


@terms("T2", "gap after every epoch", 11, {"mu": "", "V": PARTS})
def gap(p: FloatArray) -> Iterator[Case]:
    run = _run(p, 1, 4, -1.0, 0.5, 1)
    if run is not None:
        given = {"F0": run.gap[0], "L": run.L, "V": run.V, "mu": run.problem.constants["mu"]}
        yield run.gap[1], partial(_last, theory.pl_bound), given | {"alpha": run.alpha, "n": 4, "T": 1}


@terms("T3", "squared distance after every epoch", 11, {"mu": "", "prefix_squares": ""})
def distance(p: FloatArray) -> Iterator[Case]:
    run, squares, prefixes, mu = _large(p, 1)
    given = {"r0": squares[0], "alpha": run.alpha, "L": run.L, "mu": mu}

    def predict(prefix_squares: Any, **rest: Any) -> float:
        return float(theory.strongly_convex_path(prefix_squares=prefix_squares * prefixes, **rest)[-1])

    yield squares[1], predict, given | {"prefix_squares": 1.0}


@terms("T3", "squared distance, by the largest prefix", 11, {"r0": "", "H": ""})
def last_distance(p: FloatArray) -> Iterator[Case]:
    T = whole(p[10], 1, 8)
    run, squares, prefixes, mu = _large(p, T)
    given = {"r0": squares[0], "L": run.L, "H": float(np.sqrt(prefixes.max())), "mu": mu}
    yield squares[-1], theory.strongly_convex_bound, given | {"alpha": run.alpha, "n": 4, "T": T}


@terms("T3", "mean squared distance of random reshuffling", 8, {"r0": "", "sigma": ""})
def reshuffled(p: FloatArray) -> Iterator[Case]:
    measured, (r0, L, sigma, mu, alpha) = reshuffled_distance(p)
    given = {"r0": r0, "L": L, "sigma": sigma, "mu": mu, "alpha": alpha, "m": 1, "n": 3, "T": 2}
    yield measured, theory.rr_strongly_convex_bound, given


@terms("T4", "herding error of the next order of cd-grab", 18, {"H": "", "balance": "", "grad_norm": TRAVEL})
def next_herding(p: FloatArray) -> Iterator[Case]:
    run = _run(p, 2, 4, -1.0, 0.5, 4, "cd-grab")
    if run is not None:
        for H, A, g, after in zip(run.H, run.A, run.slope, run.H[1:], strict=False):
            given = {"H": H, "balance": A, "grad_norm": g, "alpha": run.alpha, "L": run.L, "m": 2, "n": 4}
            yield after, theory.cd_grab_herding_bound, given


def _coordinated(run: Path, m: int, n: int, T: int) -> dict[str, Any]:
    given = {"F0": run.gap[0], "L": run.L, "H0": run.H[0], "alpha": run.alpha}
    return given | {"m": m, "n": n, "T": T}


@terms("T5", "mean squared gradient of cd-grab", 19, {"F0": ""})
def coordinated_gradient(p: FloatArray) -> Iterator[Case]:
    T = whole(p[18], 1, 12)
    run = _run(p, 2, 4, -1.0, 1 / 12, T, "cd-grab")
    if run is not None:
        given = _coordinated(run, 2, 4, T) | {"balance": run.A}
        yield float(np.mean(run.slope**2)), theory.cd_grab_nonconvex_bound, given


@terms("T6", "gap of cd-grab", 19, {"F0": ""})
def coordinated_gap(p: FloatArray) -> Iterator[Case]:
    T = whole(p[18], 1, 12)
    run = _run(p, 2, 4, -1.0, 1 / 12, T, "cd-grab")
    if run is not None:
        given = _coordinated(run, 2, 4, T) | {"balance": run.A.max(), "mu": run.problem.constants["mu"]}
        yield run.gap[-1], theory.cd_grab_pl_bound, given


def _one_pair(p: FloatArray) -> tuple[Path, dict[str, Any]]:
    """Return 600 epochs of two examples from their minimiser: greedy signs keep their order."""
    problem = line(np.array([1.0, 1.0, 1.0, 0.0]), 1, 2, 0.0)
    assert problem is not None
    run = follow(problem, "cd-grab", geometric(p[0], 0.1, 1.0) / 24, 0.0, 600)
    return run, _coordinated(run, 1, 2, 600)


@terms("T5", "mean squared gradient of cd-grab", 1, {"balance": MEETS})
def standing_gradient(p: FloatArray) -> Iterator[Case]:
    run, given = _one_pair(p)
    yield float(np.mean(run.slope**2)), theory.cd_grab_nonconvex_bound, given | {"balance": run.A}


@terms("T6", "gap of cd-grab", 1, {"balance": MEETS})
def standing_gap(p: FloatArray) -> Iterator[Case]:
    run, given = _one_pair(p)
    yield run.gap[-1], theory.cd_grab_pl_bound, given | {"balance": run.A.max(), "mu": 1.0}


@terms(
    "T7",
    "herding error of the next order of grab",
    10,
    {"H": "", "balance": "", "moved_sum": "", "mean_error": ""},
)
def stale_herding(p: FloatArray) -> Iterator[Case]:
    for measured, given in stale_epochs(p):
        yield measured, theory.grab_herding_bound, given


@terms("H1", "herding error after a reorder, sum not zero", 12, {"old": "", "signed": "", "total": ""})
def reorder(p: FloatArray) -> Iterator[Case]:
    z, eps, pi = directions(p[:6], 1), np.where(p[6:] < 0.5, -1, 1), np.arange(6)
    given = {"old": herding.error(z, pi, "l2"), "signed": balancing.prefix_discrepancy(z, eps, "l2")}
    after = herding.error(z, pi[herding.reorder(eps)], "l2")
    yield after, lemmas.reorder_bound, given | {"total": float(abs(z.sum()))}


@terms(
    "H2", "herding error after balancing around a stale mean", 13, {"old": "", "signed": "", "mean_error": ""}
)
def stale_mean(p: FloatArray) -> Iterator[Case]:
    z, eps, shift = _centred(p[:6], 1)[0], np.where(p[6:12] < 0.5, -1, 1), between(p[12], -1.0, 1.0)
    pi = np.arange(6)
    given = {"old": herding.error(z, pi, "l2"), "sign_sum": float(np.abs(np.cumsum(eps)).max())}
    given |= {"signed": balancing.prefix_discrepancy(z + shift, eps, "l2"), "mean_error": abs(shift)}
    yield herding.error(z, pi[herding.reorder(eps)], "l2"), lemmas.stale_mean_bound, given
