"""What a bound is here: a family of instances, made of numbers in [0, 1], and the share that they reach."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray

Measure: TypeAlias = Callable[[FloatArray], float]

EVALUATIONS = 400  # of one search
_DRAWN = 160  # of them at random, the rest around the best
_DIGITS = 5  # of the numbers of an instance


@dataclass(frozen=True)
class Bound:
    """A bound whose worst instance is looked for.

    Attributes
    ----------
    label, claim : str
    numbers : int
        Which an instance is made of.
    measure : callable
        Numbers (numbers,) in [0, 1] -> measured over the bound; of a lower bound the bound over what was
        measured. Zero where the numbers make no instance.
    reason : str
        Why it is loose, where it is by more than 10.
    """

    label: str
    claim: str
    numbers: int
    measure: Measure
    reason: str = ""

    @property
    def key(self) -> str:
        """Return the name under which its worst instance is stored."""
        return f"{self.label} {self.claim}"


BOUNDS: dict[str, Bound] = {}


def bound(label: str, claim: str, numbers: int, reason: str = "") -> Callable[[Measure], Measure]:
    """Register the family of a bound."""

    def register(measure: Measure) -> Measure:
        made = Bound(label, claim, numbers, measure, reason)
        if made.key in BOUNDS:
            raise ValueError(f"bound {made.key!r}: expected a new one; it is registered already")
        BOUNDS[made.key] = made
        return measure

    return register


def search(one: Bound, seed: int, evaluations: int = EVALUATIONS) -> tuple[FloatArray, float]:
    """Look for the instance that comes nearest to a bound: at random, then around the best one found.

    Deterministic. Steps around the best grow with every success and shrink with every failure; each moves a
    random half of the numbers, and now and then one of them to an end of its range.

    Returns
    -------
    numbers : array
    share : float
        Measured over the bound.
    """
    rng = stream(seed, Role.CASE, zlib.crc32(one.key.encode()))
    best, share, width = np.full(one.numbers, 0.5), -1.0, 0.25
    for k in range(evaluations):
        if k < _DRAWN:
            tried = rng.random(one.numbers)
        else:
            moved = rng.random(one.numbers) < 0.5
            tried = best + width * rng.standard_normal(one.numbers) * moved
            if k % 5 == 0:
                tried[rng.integers(one.numbers)] = float(rng.integers(2))
        tried = np.round(np.clip(tried, 0.0, 1.0), _DIGITS).astype(np.float64)
        found = one.measure(tried)
        if found > share:
            best, share, width = tried, found, min(1.4 * width, 0.5)
        elif k >= _DRAWN:
            width = max(0.93 * width, 1e-4)
    return best, share


def between(p: float, low: float, high: float) -> float:
    """Return the number at the place p of a range."""
    return low + p * (high - low)


def whole(p: float, low: int, high: int) -> int:
    """Return the integer of low .. high at the place p."""
    return min(high, low + int(p * (high - low + 1)))


def geometric(p: float, low: float, high: float) -> float:
    """Return the number at the place p of a range whose logarithm is even."""
    return float(low * (high / low) ** p)
