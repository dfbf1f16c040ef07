"""The shape of a checked statement: its label, what it claims, how one case is measured, what is accepted.

A statement is a function ``case(rng, number)`` that draws one instance from `rng`, measures it with
cdgrab_sim, predicts it with theory and returns one number or an array of them:

    identity    relative differences, see `difference`     accepted: the largest is at most `high`
    upper       measured over predicted, see `ratio`       accepted: the largest lies in [low, 1]
    lower       measured over predicted                    accepted: the smallest lies in [1, high]
    refuted     measured over a false claim in print       accepted: the smallest exceeds 1
    mean        measured over predicted, with noise        judged by `cdgrab_sim.analysis.verdict`
    slope       one exponent per seed                      judged by `cdgrab_sim.analysis.verdict`
    reference   a published line over the proved one       never judged

Every row can fail. `low` and `high` of a bound are its tightness: a bound that nothing comes near would
survive a wrong constant. The noise of a mean or a slope lies inside its margin, see docs/statistics.md, and
the margin of a slope leaves out what other orderings have.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray
from theory import slopes

Measured: TypeAlias = Any  # a number, or a list or array of numbers
Case: TypeAlias = Callable[[Generator, int], Measured]

ROUNDING = 1e-9  # a bound may be exceeded by this share
_NOISE = 1e-12  # what is left of a sum of order one that should vanish
_IMPRECISE = float(np.finfo(np.float64).tiny)  # below, numbers have fewer digits
NOISY = ("mean", "slope")  # kinds that are judged by an interval over independent cases


@dataclass(frozen=True)
class Statement:
    """One claim that can fail.

    Attributes
    ----------
    label, title : str
        The label of the statement in ``theory/notes``, and which of its claims; unique together.
    kind : {"identity", "upper", "lower", "refuted", "mean", "slope", "reference"}
    case : callable
    cases : int
        How many a full check draws.
    low, high : float
        What is accepted, see the module; for a mean or a slope the prediction minus and plus the margin, and
        open below for the exponent of an upper bound that no other ordering undercuts.
    slow : bool
        Left out of a quick check.
    center : float
        What is predicted for a mean or a slope.
    rival : float or None
        The nearest exponent of another ordering, which a slope has to exclude.
    """

    label: str
    title: str
    kind: str
    case: Case
    cases: int
    low: float
    high: float
    slow: bool = False
    center: float = math.nan
    rival: float | None = None

    def values(self, seed: int, cases: int) -> FloatArray:
        """Measure the first cases; a case depends on the seed, the statement and its number only."""
        address = zlib.crc32(f"{self.label} {self.title}".encode())
        return np.concatenate(
            [
                np.ravel(self.case(stream(seed, Role.CASE, address, epoch=number), number))
                for number in range(cases)
            ]
        )


STATEMENTS: dict[tuple[str, str], Statement] = {}

_Decorator: TypeAlias = Callable[[Case], Case]


def _register(
    kind: str,
    label: str,
    title: str,
    cases: int,
    low: float = -math.inf,
    high: float = math.inf,
    slow: bool = False,
    center: float = math.nan,
    rival: float | None = None,
) -> _Decorator:
    def register(case: Case) -> Case:
        if (label, title) in STATEMENTS:
            raise ValueError(f"statement {label} {title!r}: expected a new one; it is registered already")
        STATEMENTS[label, title] = Statement(
            label, title, kind, case, cases, low, high, slow, center=center, rival=rival
        )
        return case

    return register


def identity(label: str, title: str, *, cases: int, tol: float = 1e-10) -> _Decorator:
    """Register an equality, up to rounding or to the accuracy that the statement itself has."""
    return _register("identity", label, title, cases, high=tol)


def upper(label: str, title: str, *, cases: int, tight: float) -> _Decorator:
    """Register an upper bound that some case comes near: to a share `tight` of it."""
    return _register("upper", label, title, cases, low=tight, high=1.0 + ROUNDING)


def lower(label: str, title: str, *, cases: int, loose: float) -> _Decorator:
    """Register a lower bound that some case comes near: to `loose` times the bound."""
    return _register("lower", label, title, cases, low=1.0 - ROUNDING, high=loose)


def refuted(label: str, title: str, *, cases: int) -> _Decorator:
    """Register a claim that is false as it is printed: every case must exceed it."""
    return _register("refuted", label, title, cases, low=1.0 + ROUNDING)


def mean(
    label: str, title: str, *, cases: int, margin: float, center: float = 1.0, slow: bool = False
) -> _Decorator:
    """Register an expectation, one noisy value per case: on average `center`, up to the margin."""
    return _register("mean", label, title, cases, center - margin, center + margin, slow, center)


def slope(
    quantity: str, ordering: str, variable: str, *, margin: float, seeds: int = 12, slow: bool = False
) -> _Decorator:
    """Register an exponent of the table of slopes, one case per seed.

    The exponent of an upper bound may be undercut, as far as half the way to the next smaller exponent of
    another ordering: beyond, the row would measure that one.
    """
    found = slopes.predicted(quantity, ordering, variable)
    if found is None:
        raise ValueError(f"slope of {quantity} in {variable} under {ordering}: expected one in theory.slopes")
    others = rivals(found)
    low, high = found.value - found.half_width - margin, found.value + found.half_width + margin
    title = f"{quantity} of {ordering} in {variable}"
    if found.kind == "upper bound":
        low = max(((found.value + other) / 2 for other in others if other < found.value), default=-math.inf)
    if any(abs(other - found.value) <= 2 * (margin + found.half_width) for other in others):
        raise ValueError(f"slope {title}: expected a margin below half the way to {others}; got {margin}")
    nearest = min(others, key=lambda other: abs(other - found.value), default=None)
    return _register("slope", found.statement, title, seeds, low, high, slow, found.value, nearest)


def rivals(found: slopes.Slope) -> list[float]:
    """Return the other exponents that the table knows of the same quantity in the same variable."""
    return sorted(
        {
            other.value
            for other in slopes.table()
            if (other.quantity, other.variable) == (found.quantity, found.variable)
            and other.value != found.value
            and other.half_width == 0.0
        }
    )


def reference(label: str, title: str) -> _Decorator:
    """Register a published line over what is proved here."""
    return _register("reference", label, title, cases=1)


def difference(measured: ArrayLike, predicted: ArrayLike, scale: float = 0.0) -> float:
    """Return the largest difference of two arrays, relative to their largest entry or to `scale`."""
    a, b = np.asarray(measured, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    scale = max(float(np.abs(a).max()), float(np.abs(b).max()), scale)
    return float(np.abs(a - b).max()) / scale if scale != 0.0 else 0.0


def ratio(measured: ArrayLike, predicted: ArrayLike, scale: float = 0.0) -> FloatArray:
    """Return measured over predicted, entry by entry.

    Where both are zero, or rounding of numbers of the size of `scale`, or so small that numbers have no full
    precision there, a bound says nothing: left out.
    """
    a, b = np.broadcast_arrays(
        np.asarray(measured, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    )
    least = max(_NOISE * scale, _IMPRECISE)
    says = ~((np.abs(a) <= least) & (np.abs(b) <= least))
    with np.errstate(over="ignore"):
        quotients: FloatArray = np.divide(a, b, out=np.full(a.shape, np.inf), where=b != 0.0)
    kept: FloatArray = quotients[says]
    return kept
