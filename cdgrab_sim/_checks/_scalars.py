"""Numbers, truth values and text: what comes in becomes one of Python, or is refused."""

from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from cdgrab_sim._checks._arrays import LARGEST, masked
from cdgrab_sim._checks._words import brief, text

_LEAST_CHANCE = 1e-100  # below it, what is divided by it might leave the machine
_LARGEST = int(np.iinfo(np.int64).max)
_MOST_ENTRIES = 1 << 40  # 8 TiB


def size(name: str, value: Any) -> int:
    """Return a whole number of at least 1 that machine code can hold."""
    number = integer(name, value, low=1)
    if number > _LARGEST:
        raise ValueError(f"{name}: expected a whole number below 2^63; got {number}")
    return number


def sizes(**given: Any) -> tuple[int, ...]:
    """Return whole numbers of at least 1, the sizes of an array that some machine could hold.

    Examples
    --------
    >>> sizes(m=2, n=8, d=3)
    (2, 8, 3)
    """
    numbers = tuple(size(name, value) for name, value in given.items())
    if math.prod(numbers) > _MOST_ENTRIES:
        got = ", ".join(f"{name} = {number}" for name, number in zip(given, numbers, strict=True))
        raise ValueError(
            f"{', '.join(given)}: expected sizes of an array that fits into memory; got {got}; lower one"
        )
    return numbers


def integer(name: str, value: Any, *, low: int, high: int | None = None) -> int:
    """Return a whole number of Python of at least `low` and at most `high`."""
    expected = f"a whole number >= {low}" if high is None else f"a whole number {low}..{high}"
    try:
        if np.ma.isMaskedArray(value):
            raise TypeError  # though index takes what is behind the mask
        number = operator.index(value)
    except Exception:  # a class of somebody else may raise what it likes
        raise TypeError(f"{name}: expected {expected}; got {brief(value)}") from None
    if isinstance(value, bool | np.bool_) or number < low or (high is not None and number > high):
        raise ValueError(f"{name}: expected {expected}; got {brief(value)}")
    return number


def spread(name: str, value: Any) -> float:
    """Return a number >= 0 with a square, and sums of squares, that are numbers of the machine."""
    number = real(name, value, low=0.0)
    if number >= LARGEST:
        raise ValueError(f"{name}: expected a number below {LARGEST:g}; got {number:g}; scale the problem")
    return number


def real(name: str, value: Any, *, above: float | None = None, low: float | None = None) -> float:
    """Return a finite number of Python, larger than `above`, at least `low`."""
    bound = f" > {above:g}" if above is not None else f" >= {low:g}" if low is not None else ""
    try:
        if not _is_number(value):
            raise TypeError  # though float takes it
        number = float(value)
    except Exception:  # a class of somebody else may raise what it likes
        raise TypeError(f"{name}: expected a finite number{bound}; got {brief(value)}") from None
    wrong = (above is not None and number <= above) or (low is not None and number < low)
    if not np.isfinite(number) or wrong:
        raise ValueError(f"{name}: expected a finite number{bound}; got {brief(value)}")
    return number


def share(name: str, value: Any, interval: str = "[0, 1]") -> float:
    """Return a number between 0 and 1, whose ends belong to it as the interval is written: (0, 1], [0, 1) ...

    Examples
    --------
    >>> share("momentum", 0.9, "[0, 1)")
    0.9
    """
    number = real(name, value)
    above = number >= 0.0 if interval[0] == "[" else number > 0.0
    below = number <= 1.0 if interval[-1] == "]" else number < 1.0
    if not (above and below):
        way = "lower" if above else "raise"
        raise ValueError(f"{name}: expected a number in {interval}; got {brief(value)}; {way} it")
    return number


def chance(name: str, value: Any) -> float:
    """Return a probability strictly between 0 and 1."""
    number = real(name, value)
    if not _LEAST_CHANCE <= number < 1.0:
        least = f"{_LEAST_CHANCE:g}"
        raise ValueError(f"{name}: expected a probability between 0 and 1, at least {least}; got {number:g}")
    return number


def ends(low: Any, high: Any) -> tuple[float, float]:
    """Return the ends of an interval, which may be infinite."""
    found = [_end(name, value) for name, value in (("low", low), ("high", high))]
    if not found[0] <= found[1]:
        raise ValueError(f"low, high: expected low <= high; got {brief(low)} and {brief(high)}")
    return found[0], found[1]


def _end(name: str, value: Any) -> float:
    with contextlib.suppress(Exception):  # a class of somebody else may raise what it likes
        if _is_number(value) and np.isinf(float(value)):
            return float(value)
    return real(name, value)


def _is_number(value: Any) -> bool:
    """Tell a real number from text, truth values, dates, complex numbers and arrays."""
    if isinstance(value, str | bytes | bool | complex) or np.ma.isMaskedArray(value):
        return False
    if isinstance(value, np.generic | np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iuf"
    return np.ndim(value) == 0


def flag(name: str, value: Any) -> bool:
    """Return a truth value of Python."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}: expected True or False; got {brief(value)}")
    return bool(value)


def plain(name: str, value: Any) -> Any:
    """Return a value as plain JSON, which a result can be saved with: numbers, text, lists and mappings."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {
            text(f"a key of {name}", key): plain(f"{name}[{brief(key)}]", one) for key, one in value.items()
        }
    if isinstance(value, tuple | list):
        return [plain(f"{name}[{k}]", one) for k, one in enumerate(value)]
    if isinstance(value, np.generic | np.ndarray) and value.dtype.kind in "biufU" and not masked(value):
        return value.tolist() if value.dtype != np.longdouble else real(name, value)
    raise TypeError(f"{name}: expected numbers, text, lists or mappings, for results; got {brief(value)}")
