"""Finite-sum problems: `PROBLEMS` is the one place where a family is registered."""

from __future__ import annotations

from collections.abc import Callable

from cdgrab_sim import _checks
from cdgrab_sim._types import Problem
from cdgrab_sim.problems._quadratic import quadratic
from cdgrab_sim.problems._skewed import skewed

PROBLEMS: dict[str, Callable[..., Problem]] = {
    "quadratic": quadratic,
    "skewed": skewed,
}

__all__ = ["PROBLEMS", "make", "quadratic", "skewed"]


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
