"""Configurations: plain JSON, one canonical text, one key."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from decimal import Decimal
from hashlib import blake2b
from numbers import Integral, Rational, Real
from typing import Any, TypeAlias

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._records import Ordering, Problem, Record, Update

Config: TypeAlias = dict[str, Any]


def plain(config: Mapping[str, Any]) -> Config:
    """Return a configuration in the types of JSON.

    Numbers of all kinds become int or float, arrays, tuples and ranges lists, a `Record` the table of what it
    changes.

    Raises
    ------
    TypeError
        For NaN, inf, complex numbers, masked arrays, functions, and what else JSON does not know, with its
        field.
    """
    if not isinstance(config, Mapping):
        raise TypeError(f"configuration: expected a mapping of field to value; got {type(config).__name__}")
    return {str(name): _plain(str(name), value) for name, value in config.items()}


def _plain(name: str, value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Real | Decimal) and not isinstance(value, np.timedelta64):  # NumPy calls it whole
        return _number(name, value)
    if isinstance(value, Record):
        return _plain(name, changes(value))
    if isinstance(value, Mapping):
        return {str(inner): _plain(f"{name}.{inner}", found) for inner, found in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [_plain(f"{name}[{k}]", found) for k, found in enumerate(value)]
    if hasattr(value, "__array__") and not isinstance(value, np.generic) and not np.ma.is_masked(value):
        try:
            array = np.asarray(value)
        except Exception:  # a class of somebody else may raise what it likes
            raise _not_plain(name, value) from None
        return _plain(name, list(array) if array.ndim else array[()])
    raise _not_plain(name, value)


def changes(record: Record) -> dict[str, Any]:
    """Return what a record changes: equal records are one configuration, whatever they spell out.

    Examples
    --------
    >>> changes(Record(every=1)), changes(Record(every=2, herding=("inf",)))
    ({}, {'every': 2, 'herding': ('inf',)})
    """
    chosen = {one.name: getattr(record, one.name) for one in fields(Record)}
    return {one.name: chosen[one.name] for one in fields(Record) if chosen[one.name] != one.default}


def _number(name: str, value: Any) -> int | float:
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Rational) and value.denominator == 1:
        return int(value.numerator)
    try:
        number = float(value)
    except (OverflowError, ValueError):
        raise _not_plain(name, value) from None
    if not math.isfinite(number):
        raise _not_plain(name, value)
    return number


_HINTS: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (lambda value: isinstance(value, Problem | Ordering | Update), "give it a name: {kind}s={{'mine': ...}}"),
    (callable, "give its values as a list; problems and the like go by name: problems={{'mine': ...}}"),
    (np.ma.is_masked, "fill or remove what is masked"),
)


def _not_plain(name: str, value: Any) -> TypeError:
    kind = type(value).__name__
    hint = next((f"; {hint.format(kind=kind.lower())}" for fits, hint in _HINTS if fits(value)), "")
    got = _checks.brief(value)
    return TypeError(
        f"{name}: expected plain JSON (finite real numbers, strings, lists, tables); got {kind} {got}{hint}"
    )


def as_json(config: Mapping[str, Any]) -> str:
    """Return a configuration as JSON, its fields in the given order; see `plain` for what is refused."""
    return json.dumps(plain(config), separators=(",", ":"), allow_nan=False)


def canonical(text: str) -> str:
    """Return the JSON text that all texts of the same meaning share: fields sorted, 20.0 written as 20.

    Examples
    --------
    >>> canonical('{"n": 64, "kappa": [20.0, 0.5]}')
    '{"kappa":[20,0.5],"n":64}'
    """
    return json.dumps(json.loads(text, parse_float=_shortest), sort_keys=True, separators=(",", ":"))


def _shortest(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number


def meaning(name: str, value: Any) -> str:
    """Return what equal values of a field, of whatever type, have in common.

    No record is the default one.

    Examples
    --------
    >>> meaning("record", None) == meaning("record", {"every": 1}) == meaning("record", Record())
    True
    """
    if name == "record":
        with suppress(TypeError, ValueError):  # another task's own
            value = value if isinstance(value, Record) else changes(Record(**plain(value or {})))
    return canonical(as_json({name: value}))


def key_of(task: str, text: str) -> str:
    """Return the key of a configuration under a task: 128 bits in hexadecimal, never a seed.

    Neither the order of its fields nor the type of its numbers matters.

    Examples
    --------
    >>> key_of("simulate", '{"m":8,"n":64}') == key_of("simulate", '{"n": 64.0, "m": 8}')
    True
    """
    return blake2b(f"{task}\n{canonical(text)}".encode(), digest_size=16).hexdigest()
