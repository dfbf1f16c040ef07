"""Finite-sum problems: a file with a `family`, imported here, is known everywhere."""

from __future__ import annotations

from collections.abc import Callable

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim.problems._families import FAMILIES
from cdgrab_sim.problems._from_arrays import from_arrays
from cdgrab_sim.problems._from_hessians import from_hessians
from cdgrab_sim.problems._least_squares import least_squares as least_squares
from cdgrab_sim.problems._logistic import logistic as logistic
from cdgrab_sim.problems._mlp import mlp as mlp
from cdgrab_sim.problems._quadratic import quadratic as quadratic
from cdgrab_sim.problems._robust import robust as robust
from cdgrab_sim.problems._skewed import skewed as skewed

PROBLEMS: dict[str, Callable[..., Problem]] = dict(sorted(FAMILIES.items()))

__all__ = ["PROBLEMS", "from_arrays", "from_hessians", "make", *(f.__name__ for f in FAMILIES.values())]


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
