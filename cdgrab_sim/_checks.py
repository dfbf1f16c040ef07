"""Every check of input and every message: what was expected, what came, what to do."""

from __future__ import annotations

import difflib
import inspect
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 20  # entries looked at together, so that a check of a memory map stays small


def size(name: str, value: Any) -> int:
    """Return a whole number of at least 1."""
    return integer(name, value, low=1)


def integer(name: str, value: Any, *, low: int, high: int | None = None) -> int:
    """Return a whole number of at least `low` and at most `high`."""
    expected = f"a whole number >= {low}" if high is None else f"a whole number {low}..{high}"
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected {expected}; got {value!r}") from None
    if isinstance(value, bool | np.bool_) or number < low or (high is not None and number > high):
        raise ValueError(f"{name}: expected {expected}; got {value!r}")
    return number


def real(name: str, value: Any, *, above: float | None = None, low: float | None = None) -> float:
    """Return a finite number, larger than `above`, at least `low`."""
    bound = f" > {above:g}" if above is not None else f" >= {low:g}" if low is not None else ""
    try:
        if isinstance(value, str | bytes | bool | np.bool_) or np.ndim(value) > 0:
            raise TypeError  # though float takes them
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: expected a finite number{bound}; got {value!r}") from None
    wrong = (above is not None and number <= above) or (low is not None and number < low)
    if not np.isfinite(number) or wrong:
        raise ValueError(f"{name}: expected a finite number{bound}; got {value!r}")
    return number


def choice(kind: str, name: Any, known: Iterable[str]) -> str:
    """Return `name` if it is known; otherwise list what is, with the nearest match."""
    names = list(known)
    if name in names:
        return str(name)
    if callable(name):  # a factory that was not called, the likeliest slip
        near = [f"{getattr(name, '__name__', name)}()"]
    else:
        near = [repr(one) for one in difflib.get_close_matches(str(name), names, n=1, cutoff=0.4)]
    hint = f"; did you mean {near[0]}?" if near else ""
    raise ValueError(f"unknown {kind} {name!r}{hint} (known: {', '.join(names)})")


def function(name: str, value: Any) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        raise TypeError(f"{name}: expected a function; got {value!r}")


def takes(name: str, function: Callable[..., Any], *arguments: str, hint: str) -> None:
    """Refuse a function that cannot be called with these positional arguments."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        got, expected = inspect.signature(function), ", ".join(arguments)
        raise TypeError(f"{name}: expected arguments ({expected}); got {got}; {hint}") from None
    except ValueError:  # a compiled function that does not tell
        return


def finite(name: str, a: NDArray[Any]) -> None:
    """Refuse NaN and inf, and say where they are."""
    flat = a.reshape(-1)
    for start in range(0, flat.size, _BLOCK):
        good = np.isfinite(flat[start : start + _BLOCK])
        if not good.all():
            first = start + int(np.argmin(good))
            index = tuple(int(k) for k in np.unravel_index(first, a.shape))
            where = f"{name}[{', '.join(map(str, index))}]"
            raise ValueError(f"{where}: expected finite numbers; got {flat[first]}; remove or impute it")


def array(name: str, value: Any) -> NDArray[Any]:
    """Return `value` as an array of any type; refuse ragged lists, and masks, which NumPy would drop."""
    if np.ma.is_masked(value):
        raise ValueError(f"{name}: expected an array without masked entries; fill or remove them")
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name}: expected rows of one length; got a ragged list ({error})") from None


def coerce(name: str, value: Any) -> NDArray[Any]:
    """Return `value` as a finite C-ordered array of float64, or of int64 where it holds whole numbers."""
    a = array(name, value)
    if a.dtype.kind in "biu":
        if a.dtype.kind == "u" and a.size and a.max() > np.iinfo(np.int64).max:
            raise ValueError(f"{name}: expected whole numbers below 2^63; got {a.max()}; convert to float64")
        return np.ascontiguousarray(a, dtype=np.int64)
    if a.dtype.kind != "f":
        raise TypeError(f"{name}: expected numbers; got dtype {a.dtype}; convert it to float64")
    a = np.ascontiguousarray(a, dtype=np.float64)
    finite(name, a)
    return a


def data(name: str, value: Any) -> NDArray[Any]:
    """Return a read-only view for kernels, without touching the flags of the caller's array."""
    view = coerce(name, value).view()
    view.flags.writeable = False
    return view


def floats(name: str, value: Any, ndim: int | tuple[int, ...]) -> NDArray[np.float64]:
    """Return a finite float64 array with one of the given numbers of axes, none of them empty."""
    a = coerce(name, value).astype(np.float64, copy=False)
    allowed = (ndim,) if isinstance(ndim, int) else ndim
    if a.ndim not in allowed or 0 in a.shape:
        expected = " or ".join(str(k) for k in allowed)
        raise ValueError(f"{name}: expected a non-empty array with {expected} axes; got shape {a.shape}")
    return a


def vector(name: str, value: Any, d: int) -> NDArray[np.float64]:
    """Return a finite float64 vector of length d."""
    a = coerce(name, value).astype(np.float64, copy=False)
    if a.shape != (d,):
        raise ValueError(f"{name}: expected shape (d,) = ({d},); got {a.shape}")
    return a


def orders(name: str, value: Any, m: int, n: int) -> NDArray[np.int64]:
    """Return orders of shape (m, n), each row a permutation of 0..n-1; one row serves every worker."""
    a = array(name, value)
    if a.dtype.kind not in "iu":
        raise TypeError(f"{name}: expected whole numbers; got dtype {a.dtype}; convert it to int64")
    if a.shape not in ((n,), (m, n)):
        raise ValueError(f"{name}: expected shape (n,) = ({n},) or (m, n) = ({m}, {n}); got {a.shape}")
    table = np.array(np.broadcast_to(a, (m, n)), dtype=np.int64, order="C")
    permutations(name, table, (m, n))
    return table


def rows(name: str, value: Any, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return row numbers of a table, one for each example, read-only."""
    a = array(name, value)
    if a.dtype.kind not in "iu" or a.shape != shape:
        raise ValueError(
            f"{name}: expected whole numbers of shape (m, n) = {shape}; got {a.dtype} {a.shape}; "
            "give the row of the table that is example j of worker i"
        )
    if a.min() < 0:
        raise ValueError(f"{name}: expected row numbers >= 0; got {a.min()}")
    return data(name, a)


def signs(name: str, value: Any) -> NDArray[np.int64]:
    """Return signs +1 and -1 of shape (n,) or (m, n)."""
    a = array(name, value)
    if a.ndim not in (1, 2) or 0 in a.shape:
        raise ValueError(f"{name}: expected signs of shape (n,) or (m, n); got shape {a.shape}")
    if a.dtype.kind not in "if":
        raise TypeError(f"{name}: expected signs +1 and -1; got dtype {a.dtype}")
    bad = np.abs(a) != 1
    if bad.any():
        index = tuple(int(k) for k in np.argwhere(bad)[0])
        raise ValueError(f"{name}[{', '.join(map(str, index))}]: expected a sign +1 or -1; got {a[index]}")
    return np.ascontiguousarray(a, dtype=np.int64)


def in_range(name: str, pi: NDArray[np.int64], shape: tuple[int, int]) -> None:
    """Refuse orders of the wrong shape, or with entries that are no example."""
    if not isinstance(pi, np.ndarray) or pi.shape != shape or pi.dtype != np.int64:
        got = f"{pi.dtype} {pi.shape}" if isinstance(pi, np.ndarray) else type(pi).__name__
        raise ValueError(f"{name}: expected an int64 array of shape (m, n) = {shape}; got {got}")
    bad = (pi < 0) | (pi >= shape[1])
    if bad.any():
        i, k = np.argwhere(bad)[0]
        raise ValueError(f"{name}[{i}, {k}]: expected an example 0..{shape[1] - 1}; got {pi[i, k]}")


def permutations(name: str, pi: NDArray[np.int64], shape: tuple[int, int]) -> None:
    """Refuse orders that are not permutations, naming a worker and an example, in O(m n)."""
    in_range(name, pi, shape)
    seen = np.zeros(shape, dtype=bool)
    np.put_along_axis(seen, pi, True, axis=1)
    if not seen.all():
        i, j = np.argwhere(~seen)[0]
        raise ValueError(f"{name}[{i}]: expected a permutation of 0..{shape[1] - 1}; example {j} is missing")
