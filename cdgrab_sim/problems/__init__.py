"""Finite-sum problems: `PROBLEMS` is the one place where a family is registered."""

from __future__ import annotations

from collections.abc import Callable

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim.problems._from_arrays import from_arrays
from cdgrab_sim.problems._from_hessians import from_hessians
from cdgrab_sim.problems._least_squares import least_squares
from cdgrab_sim.problems._logistic import logistic
from cdgrab_sim.problems._mlp import mlp
from cdgrab_sim.problems._quadratic import quadratic
from cdgrab_sim.problems._robust import robust
from cdgrab_sim.problems._skewed import skewed

PROBLEMS: dict[str, Callable[..., Problem]] = {
    "least-squares": least_squares,
    "logistic": logistic,
    "mlp": mlp,
    "quadratic": quadratic,
    "robust": robust,
    "skewed": skewed,
}

__all__ = [
    "PROBLEMS",
    "from_arrays",
    "from_hessians",
    "least_squares",
    "logistic",
    "make",
    "mlp",
    "quadratic",
    "robust",
    "skewed",
]


def __dir__() -> list[str]:
    return __all__


def make(problem: Problem | str, *, seed: int = 0) -> Problem:
    """Return a problem from a record or from a registered name, which means the defaults and `seed`.

    Examples
    --------
    >>> make("skewed", seed=1).m
    8
    """
    if isinstance(problem, Problem):
        return problem
    return PROBLEMS[_checks.choice("problem", problem, PROBLEMS)](seed=seed)
