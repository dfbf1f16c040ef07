"""Functions, records, mappings and paths."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from cdgrab_sim._checks._words import brief, text

T = TypeVar("T")


def instance(name: str, value: Any, kind: type[T], expected: str) -> T:
    """Return `value` if it is of this class, else say what was expected."""
    if not isinstance(value, kind):
        raise TypeError(f"{name}: expected {expected}; got {brief(value)}")
    return value


def mapping(name: str, value: Any, *, some: bool = False) -> dict[str, Any]:
    """Return a mapping from text to anything, with something in it where `some` is to be there."""
    try:
        if not (isinstance(value, Mapping) or hasattr(value, "keys")):  # a table of pandas has keys
            raise TypeError
        given = {text(f"a key of {name}", key): value[key] for key in value.keys()}  # noqa: SIM118
    except Exception:
        if isinstance(value, Mapping):
            raise
        raise TypeError(f"{name}: expected a mapping, such as {{'a': ...}}; got {brief(value)}") from None
    if some and not given:
        raise ValueError(f"{name}: expected at least one name; got {brief(value)}")
    return given


def listed(name: str, value: Any) -> list[Any]:
    """Return a list or tuple as a list; text is no list of letters here."""
    if not isinstance(value, list | tuple):
        raise TypeError(f"{name}: expected a list; got {brief(value)}")
    return list(value)


def path(name: str, value: Any) -> Path:
    """Return a path that the system can be asked for."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise TypeError(f"{name}: expected a path; got {brief(value)}")
    found = Path(value)
    try:
        if b"\0" not in os.fsencode(found):
            return found
    except UnicodeError:
        pass
    raise ValueError(f"{name}: expected a path; got {brief(value)}, which no file can be called")


def function(name: str, value: Any) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        raise TypeError(f"{name}: expected a function; got {brief(value)}")


def takes(name: str, function: Callable[..., Any], *arguments: str, hint: str = "") -> None:
    """Refuse a function that cannot be called with these positional arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a compiled function that does not tell
        if isinstance(function, type):
            expected = f"a function of ({', '.join(arguments)})"
            raise TypeError(f"{name}: expected {expected}; got {function.__name__}") from None
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        expected = ", ".join(arguments)
        raise TypeError(
            f"{name}: expected arguments ({expected}); got {signature}{hint and '; '}{hint}"
        ) from None
