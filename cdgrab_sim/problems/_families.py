"""Families of problems, each registered by its own file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from cdgrab_sim._records import Problem

Family = TypeVar("Family", bound=Callable[..., Problem])

FAMILIES: dict[str, Callable[..., Problem]] = {}


def family(build: Family) -> Family:
    """Register a family under the name of its function, with dashes."""
    FAMILIES[build.__name__.replace("_", "-")] = build
    return build
