"""Configurations: plain JSON, one canonical text, one key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np

Config: TypeAlias = dict[str, Any]


def as_json(config: Mapping[str, Any]) -> str:
    """Return a configuration as JSON, its fields in the given order.

    Raises
    ------
    TypeError
        For NaN, inf, and what JSON does not know. NumPy numbers and arrays become numbers and lists.
    """
    try:
        return json.dumps(dict(config), separators=(",", ":"), allow_nan=False, default=_from_numpy)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"configuration: expected plain JSON (finite numbers, strings, lists, dicts); got {config!r} "
            f"({error})"
        ) from None


def _from_numpy(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not JSON")


def key_of(task: str, text: str) -> str:
    """Return the key of a configuration under a task: 128 bits in hexadecimal, never a seed.

    The order of its fields does not matter.

    Examples
    --------
    >>> key_of("simulate", '{"m":8,"n":64}') == key_of("simulate", '{"n": 64, "m": 8}')
    True
    """
    canonical = json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))
    return blake2b(f"{task}\n{canonical}".encode(), digest_size=16).hexdigest()
