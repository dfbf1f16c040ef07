"""Names and how values are said: one line each, whatever they are."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import Any


def brief(value: Any) -> str:
    """Return how a value is written, or its type where that takes more than a line, or fails."""
    try:
        written = repr(value)
    except Exception:  # a class of somebody else may raise what it likes
        written = "\n"
    short = len(written) <= 100 and written.isprintable()
    return written if short else f"a value of type {type(value).__name__}"


def text(name: str, value: Any) -> str:
    """Return text of Python."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected text; got {brief(value)}")
    return str(value)


def folded(name: str) -> str:
    """Return a name without capitals, spaces and hyphens: the papers' spellings of one thing are one name."""
    return "".join(letter for letter in name.lower() if letter not in " -_")


def choice(kind: str, name: Any, known: Iterable[str]) -> str:
    """Return `name` if it is known; otherwise list what is, with the nearest match."""
    names = list(known)
    if isinstance(name, str) and name in names:
        return str(name)
    if not isinstance(name, str | Callable):  # its text may have any length, and many lines
        raise TypeError(f"{kind}: expected one of {', '.join(names)}; got {brief(name)}")
    if callable(name):  # a factory that was not called, the likeliest slip
        near = [f"{name.__name__}()"] if hasattr(name, "__name__") else []
    else:
        spelled = {folded(one): one for one in reversed(names)}
        near = difflib.get_close_matches(folded(str(name)), spelled, n=1, cutoff=0.4)
        near = [repr(spelled[one]) for one in near]
    hint = f"; did you mean {near[0]}?" if near else ""
    raise ValueError(f"unknown {kind} {brief(name)}{hint} (known: {', '.join(names)})")
