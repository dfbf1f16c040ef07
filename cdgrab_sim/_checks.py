"""Every check of input and every message: what was expected, what came, what to do."""

from __future__ import annotations

import difflib
import inspect
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGEST = int(np.iinfo(np.int64).max)
LARGEST = 1e100  # beyond it, sums of squares might leave the machine
_BLOCK = 1 << 20  # entries looked at together, so that a check of a memory map stays small


def size(name: str, value: Any) -> int:
    """Return a whole number of at least 1 that machine code can hold."""
    number = integer(name, value, low=1)
    if number > _LARGEST:
        raise ValueError(f"{name}: expected a whole number below 2^63; got {number}")
    return number


def integer(name: str, value: Any, *, low: int, high: int | None = None) -> int:
    """Return a whole number of Python of at least `low` and at most `high`."""
    expected = f"a whole number >= {low}" if high is None else f"a whole number {low}..{high}"
    try:
        if np.ma.isMaskedArray(value):
            raise TypeError  # though index takes what is behind the mask
        number = operator.index(value)
    except Exception:  # a class of somebody else may raise what it likes
        raise TypeError(f"{name}: expected {expected}; got {value!r}") from None
    if isinstance(value, bool | np.bool_) or number < low or (high is not None and number > high):
        raise ValueError(f"{name}: expected {expected}; got {value!r}")
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
        raise TypeError(f"{name}: expected a finite number{bound}; got {value!r}") from None
    wrong = (above is not None and number <= above) or (low is not None and number < low)
    if not np.isfinite(number) or wrong:
        raise ValueError(f"{name}: expected a finite number{bound}; got {value!r}")
    return number


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
        raise TypeError(f"{name}: expected True or False; got {value!r}")
    return bool(value)


def text(name: str, value: Any) -> str:
    """Return text of Python."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected text; got {value!r}")
    return str(value)


def plain(name: str, value: Any) -> Any:
    """Return a value as plain JSON, which a result can be saved with: numbers, text, lists and mappings."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {text(f"a key of {name}", key): plain(f"{name}[{key!r}]", one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [plain(f"{name}[{k}]", one) for k, one in enumerate(value)]
    if isinstance(value, np.generic | np.ndarray) and value.dtype.kind in "biufU" and not masked(value):
        return value.tolist() if value.dtype != np.longdouble else real(name, value)
    raise TypeError(f"{name}: expected numbers, text, lists or mappings, for results; got {value!r}")


def folded(name: str) -> str:
    """Return a name without capitals, spaces and hyphens: the papers' spellings of one thing are one name."""
    return "".join(letter for letter in name.lower() if letter not in " -_")


def brief(value: Any) -> str:
    """Return how a value is written, or its type where that takes more than a line."""
    written = repr(value)
    return (
        written if "\n" not in written and len(written) <= 100 else f"a value of type {type(value).__name__}"
    )


def choice(kind: str, name: Any, known: Iterable[str]) -> str:
    """Return `name` if it is known; otherwise list what is, with the nearest match."""
    names = list(known)
    if isinstance(name, str) and name in names:
        return str(name)
    if not isinstance(name, str | Callable):  # its text may have any length, and many lines
        raise TypeError(f"{kind}: expected one of {', '.join(names)}; got {brief(name)}")
    if callable(name):  # a factory that was not called, the likeliest slip
        near = [f"{getattr(name, '__name__', name)}()"]
    else:
        spelled = {folded(one): one for one in reversed(names)}
        near = difflib.get_close_matches(folded(str(name)), spelled, n=1, cutoff=0.4)
        near = [repr(spelled[one]) for one in near]
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


def masked(value: Any) -> bool:
    """Tell whether an array, or one in a list, hides entries behind a mask."""
    if isinstance(value, tuple | list):
        return any(masked(one) for one in value if isinstance(one, np.ma.MaskedArray | tuple | list))
    return bool(np.ma.is_masked(value))


def array(name: str, value: Any) -> NDArray[Any]:
    """Return `value` as an array of any type; refuse ragged lists, and masks, which NumPy would drop."""
    if masked(value):
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
    with np.errstate(over="ignore"):  # of long doubles: refused as infinite
        a = np.ascontiguousarray(a, dtype=np.float64)
    finite(name, a)
    return a


def data(name: str, value: Any) -> NDArray[Any]:
    """Return a read-only array for kernels that nobody else changes; a memory map stays one.

    A number has no row to look up and would be another type to compiled code than to NumPy.
    """
    if array(name, value).ndim == 0:
        raise TypeError(f"{name}: expected an array; got {value!r}; write np.array([...]), and use its [0]")
    return frozen(coerce(name, value))


def frozen(a: NDArray[Any]) -> NDArray[Any]:
    """Return `a` where nobody can write to it, or where it is a memory map; otherwise a copy. Read-only."""
    kept = a.view() if _settled(a) else a.copy()
    kept.flags.writeable = False
    return kept


def _settled(a: Any) -> bool:
    """Tell whether memory is a map of a file, or read-only all the way down to its owner."""
    while isinstance(a, np.ndarray) and not isinstance(a, np.memmap):
        if a.flags.writeable and not isinstance(a.base, np.memmap):
            return False
        a = a.base
    return a is None or isinstance(a, np.memmap | bytes)


def floats(name: str, value: Any, ndim: int | tuple[int, ...]) -> NDArray[np.float64]:
    """Return a finite float64 array with one of the given numbers of axes, none of them empty."""
    a = coerce(name, value).astype(np.float64, copy=False)
    allowed = (ndim,) if isinstance(ndim, int) else ndim
    if a.ndim not in allowed or 0 in a.shape:
        expected = " or ".join(str(k) for k in allowed)
        raise ValueError(f"{name}: expected a non-empty array with {expected} axes; got shape {a.shape}")
    return a


def vector(name: str, value: Any, d: int) -> NDArray[np.float64]:
    """Return a finite float64 vector of length d, perhaps `value` itself."""
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
