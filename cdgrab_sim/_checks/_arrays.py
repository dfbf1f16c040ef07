"""Arrays: finite numbers in C order, of the shape that was asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim._checks._things import mapping
from cdgrab_sim._checks._words import brief

_MOST = float(np.finfo(np.float64).max)
LARGEST = 1e100  # beyond it, sums of squares might leave the machine
_BLOCK = 1 << 20  # entries looked at together, so that a check of a memory map stays small


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
    except Exception:  # a class of somebody else may raise what it likes
        raise TypeError(f"{name}: expected an array; got {brief(value)}") from None


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
        raise TypeError(
            f"{name}: expected an array; got {brief(value)}; write np.array([...]), and use its [0]"
        )
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


def below(name: str, a: NDArray[np.float64]) -> None:
    """Refuse numbers whose squares, summed, might be no numbers of the machine."""
    largest = max(float(a.max()), -float(a.min()))
    if largest >= LARGEST:
        raise ValueError(f"{name}: expected entries below {LARGEST:g}; got {largest:g}; scale them")


def summable(name: str, a: NDArray[np.float64]) -> None:
    """Refuse numbers whose products, summed over as many of them as there are, leave the machine."""
    largest, limit = max(float(a.max()), -float(a.min())), float(np.sqrt(_MOST / a.size))
    if largest >= limit:
        raise ValueError(f"{name}: expected entries below {limit:.3g}; got {largest:g}; scale them")


def some(name: str, value: Any) -> NDArray[np.float64]:
    """Return finite numbers in a row, perhaps none."""
    return np.zeros(0) if array(name, value).shape == (0,) else floats(name, value, 1)


def numbers(name: str, value: Any) -> NDArray[np.float64]:
    """Return float64 numbers of any shape, which may be infinite or NaN."""
    a = array(name, value)
    if a.dtype.kind not in "iuf":
        raise TypeError(f"{name}: expected numbers; got {brief(value)} of dtype {a.dtype}")
    with np.errstate(over="ignore"):  # of long doubles: infinite
        return a.astype(np.float64)


def by_name(name: str, value: Any, ndim: int, *, ends: bool = True) -> dict[str, NDArray[np.float64]]:
    """Return float64 arrays with so many axes, each under its name; finite ones, or without `ends` any."""
    found = {}
    for key, one in mapping(name, value, some=ends).items():
        where = f"{name}[{key!r}]"
        a = found[key] = floats(where, one, ndim) if ends else numbers(where, one)
        if a.ndim != ndim or 0 in a.shape:
            raise ValueError(f"{where}: expected a non-empty array with {ndim} axes; got shape {a.shape}")
    return found


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
