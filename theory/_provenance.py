"""Where every public function comes from: proved here, or published and read, or published and recalled.

The docstring says it after ``Provenance:``. What was read names its source and the place in it, in brackets.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import theory

KINDS = ("proved here", "published, read", "published, recalled")
LOOK_UPS = ("theory.citations.", "theory.slopes.", "theory.convergence.published_order")
"""Addresses of what looks up and states nothing."""


def statements() -> dict[str, Callable[..., Any]]:
    """Return the public functions that state something, by address."""
    modules = (module.name for module in pkgutil.walk_packages(theory.__path__, "theory."))
    found = {}
    for name in (name for name in modules if "._" not in name):
        for key, value in vars(importlib.import_module(name)).items():
            if inspect.isfunction(value) and key[0] != "_" and value.__module__.startswith(name):
                found[f"{name}.{key}"] = value
    return {name: value for name, value in found.items() if not name.startswith(LOOK_UPS)}


def text(function: Callable[..., Any]) -> str:
    """Return what the docstring of a function says of its provenance, on one line."""
    doc = inspect.getdoc(function) or ""
    said = re.search(r"^Provenance: (.*?)(?:\n\n|\Z)", doc, re.MULTILINE | re.DOTALL)
    return " ".join(said[1].split()) if said else ""


def kind(function: Callable[..., Any]) -> str:
    """Return the kind of provenance of a public function.

    Examples
    --------
    >>> from theory.herding import reorder_bound
    >>> kind(reorder_bound)
    'proved here'
    """
    said = text(function)
    for word in KINDS:
        if said.startswith(word):
            return word
    raise ValueError(f"{function.__name__}: expected a provenance of {', '.join(KINDS)}; got {said!r}")


def counts() -> dict[str, int]:
    """Return how many public functions there are of each kind.

    Examples
    --------
    >>> list(counts())
    ['proved here', 'published, read', 'published, recalled']
    """
    found = Counter(kind(one) for one in statements().values() if one.__doc__)  # none under python -OO
    return {word: found[word] for word in KINDS}
