"""Configurations: plain JSON, one canonical text, one key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np

Config: TypeAlias = dict[str, Any]


def canonical(config: Mapping[str, Any]) -> str:
    """Return the one JSON text of a configuration: sorted keys, shortest numbers, no blanks.

    Examples
    --------
    >>> canonical({"n": 64, "m": 8, "step_size": np.float64(0.1)})
    '{"m":8,"n":64,"step_size":0.1}'
    """
    try:
        return json.dumps(
            dict(config), sort_keys=True, separators=(",", ":"), allow_nan=False, default=_from_numpy
        )
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
    """Return the key of a canonical configuration under a task: 128 bits in hexadecimal, never a seed.

    Examples
    --------
    >>> len(key_of("simulate", canonical({"m": 8})))
    32
    """
    return blake2b(f"{task}\n{text}".encode(), digest_size=16).hexdigest()
