"""Everything that an ordering remembers, as plain arrays under names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim import _checks
from cdgrab_sim._records import Seen

Arrays = dict[str, NDArray[Any]]


def saved(name: str, value: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield copies of the arrays and numbers of a state, each with its path as a name."""
    if isinstance(value, np.ndarray):
        yield name, value.copy()
    elif isinstance(value, bool | int | float):
        yield name, np.array(value)
    elif isinstance(value, tuple | list):
        keys = getattr(value, "_fields", range(len(value)))
        if isinstance(value, list):
            yield f"{name}.length", np.array(len(value))
        for key, one in zip(keys, value, strict=True):
            yield from saved(f"{name}.{key}", one)
    elif value is not None:
        raise TypeError(
            f"{name}: expected arrays, numbers, and tuples of them, to save; got {_checks.brief(value)}; "
            "keep what the ordering remembers in these"
        )


def restored(name: str, value: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """Return a state like `value` with the saved numbers, in the arrays it has: some are there twice."""
    if isinstance(value, np.ndarray):
        if value.flags.writeable:  # else it came with the arguments and stays
            value[...] = arrays[name]
        return value
    if isinstance(value, bool | int | float):
        return type(value)(arrays[name])
    if isinstance(value, list):  # pieces of the stream, as many as were saved
        pieces = range(int(arrays[f"{name}.length"]))
        return [Seen(int(arrays[f"{name}.{k}.k0"]), *_rest(f"{name}.{k}", arrays)) for k in pieces]
    if isinstance(value, tuple):
        keys = getattr(value, "_fields", range(len(value)))
        found = [restored(f"{name}.{key}", one, arrays) for key, one in zip(keys, value, strict=True)]
        return type(value)(*found) if hasattr(value, "_fields") else tuple(found)
    return value


def _rest(name: str, arrays: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
    return [np.array(arrays[f"{name}.{field}"]) for field in Seen._fields[1:]]


def refuse_others(expected: Arrays, found: Mapping[str, NDArray[Any]]) -> None:
    """Refuse arrays that are not those of this object, before anything is changed."""
    for name, a in expected.items():
        if name.endswith(".length"):
            continue
        b = found.get(name)
        if b is None or np.shape(b) != a.shape or np.asarray(b).dtype != a.dtype:
            got = "none" if b is None else f"{np.asarray(b).dtype} {np.shape(b)}"
            raise ValueError(
                f"state_dict: expected {name!r} of {a.dtype} {a.shape}; got {got}; "
                "load it into an object that was made with the same arguments"
            )
