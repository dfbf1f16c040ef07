"""Participation: who takes part in a round."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim._registry import Registry
from cdgrab_sim._types import FloatArray, IntArray

Cohorts: TypeAlias = Generator[IntArray, FloatArray | None, None]


@dataclass(frozen=True, eq=False)
class Participation:
    """Which workers take part in a round; the others are absent, and none of their examples is seen.

    Parameters
    ----------
    name : str
    cohorts : callable
        ``cohorts(problem, seed, replicate)`` is a generator that yields the workers of one round after the
        other, for ever: int64, ascending, at least one and at most m of them. A worker that stands there
        twice counts twice.
    looks : bool
        At its end the generator is sent what the workers showed in the round, in the same order: their mean
        gradients (workers, d). Otherwise it is sent None.
    settings : mapping
        The arguments that made it: plain JSON.
    provenance : str
        Where it comes from, "read" or "recalled"; for `cdgrab list`.

    Raises
    ------
    TypeError
        For `cohorts` that cannot be called.

    Examples
    --------
    The even workers, the odd ones, and so on:

    >>> import numpy as np
    >>> import cdgrab_sim as cg
    >>> def cohorts(problem, seed, replicate):
    ...     while True:
    ...         yield np.arange(0, problem.m, 2)
    ...         yield np.arange(1, problem.m, 2)
    >>> problem = cg.problems.from_hessians([[[[1.0]]], [[[1.0]]]], [[[0.0]], [[4.0]]])
    >>> how = {"epochs": 2, "step_size": 0.5, "participation": Participation("halves", cohorts)}
    >>> cg.simulate(problem, "ig", **how).x.tolist()
    [[2.0]]
    """

    name: str
    cohorts: Callable[[Problem, int, int], Cohorts] = field(repr=False)
    looks: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    provenance: str = field(default="user", repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _checks.text("name", self.name))
        object.__setattr__(self, "provenance", _checks.text("provenance", self.provenance))
        object.__setattr__(self, "looks", _checks.flag("looks", self.looks))
        where = f"participation {self.name!r}:"
        _checks.function(f"{where} cohorts", self.cohorts)
        _checks.takes(f"{where} cohorts", self.cohorts, "problem", "seed", "replicate")
        _checks.mapping(f"{where} settings", self.settings)
        object.__setattr__(self, "settings", _checks.plain(f"{where} settings", self.settings))

    def describe(self) -> dict[str, Any]:
        """Return name and settings as plain JSON."""
        return {"name": self.name, **self.settings}


PARTICIPATION = Registry(Participation)
