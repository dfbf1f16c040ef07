"""Finite-sum problems: a file that registers a family, imported here, is known everywhere."""

from __future__ import annotations

from cdgrab_sim._records import Problem
from cdgrab_sim.problems._from_arrays import from_arrays
from cdgrab_sim.problems._from_hessians import from_hessians
from cdgrab_sim.problems._least_squares import least_squares as least_squares
from cdgrab_sim.problems._linear_system import linear_system as linear_system
from cdgrab_sim.problems._logistic import logistic as logistic
from cdgrab_sim.problems._mlp import mlp as mlp
from cdgrab_sim.problems._quadratic import quadratic as quadratic
from cdgrab_sim.problems._registry import PROBLEMS
from cdgrab_sim.problems._robust import robust as robust
from cdgrab_sim.problems._skewed import skewed as skewed

PROBLEMS.arrange()

__all__ = ["PROBLEMS", "from_arrays", "from_hessians", "make", *PROBLEMS.functions]


def __dir__() -> list[str]:
    return __all__


def make(problem: Problem | str, *, seed: int = 0) -> Problem:
    """Return a problem from a record or from a registered name, which means the defaults and `seed`.

    Examples
    --------
    >>> make("skewed", seed=1).m
    8
    """
    return PROBLEMS.make(problem, seed=seed)
