"""Checks of arguments shared by every formula: bad input is refused in one line, before any work.

Each check returns its argument in the canonical type (float, int, float64 array), so that a formula reads
``delta = probability("delta", delta)`` and computes with what it checked. Messages say what was expected,
what came, and what to do.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

NORMS = ("l2", "inf")
"""Norms in which the stochastic bounds are stated."""


def real(name: str, value: float) -> float:
    """Return ``value`` as a finite float; anything else is refused by name."""
    try:
        if isinstance(value, (bool, np.bool_, str, bytes)) or np.ndim(value) != 0:
            raise TypeError  # though float takes some of them
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"expected {name} as one real number; got {value!r}; pass a float") from None
    if not math.isfinite(number):
        raise ValueError(f"expected a finite {name}; got {number}; pass a finite number")
    return number


def positive(name: str, value: float) -> float:
    """Return ``value`` as a float > 0.

    Examples
    --------
    >>> positive("alpha", 0.1)
    0.1
    >>> positive("alpha", -0.1)
    Traceback (most recent call last):
    ...
    ValueError: expected alpha > 0; got -0.1; pass a positive number
    """
    number = real(name, value)
    if number <= 0.0:
        raise ValueError(f"expected {name} > 0; got {number}; pass a positive number")
    return number


def nonnegative(name: str, value: float) -> float:
    """Return ``value`` as a float >= 0."""
    number = real(name, value)
    if number < 0.0:
        raise ValueError(f"expected {name} >= 0; got {number}; pass zero or a positive number")
    return number


def probability(name: str, value: float) -> float:
    """Return ``value`` as a float strictly between 0 and 1.

    Examples
    --------
    >>> probability("delta", 0.05)
    0.05
    """
    number = real(name, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"expected 0 < {name} < 1; got {number}; pass a probability inside (0, 1)")
    return number


def integer_at_least(name: str, value: int, low: int) -> int:
    """Return ``value`` as an int >= ``low``; floats are refused, NumPy integers accepted.

    Examples
    --------
    >>> integer_at_least("n", 8, 2)
    8
    """
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"expected {name} as an integer; got {value!r}; pass an int") from None
    if number < low:
        raise ValueError(f"expected {name} >= {low}; got {number}; pass an integer of at least {low}")
    return number


def one_of(name: str, value: str, allowed: Iterable[str]) -> str:
    """Return ``value`` when it is one of the ``allowed`` words.

    Examples
    --------
    >>> one_of("norm", "l2", ("l2", "inf"))
    'l2'
    """
    names = tuple(allowed)
    if value not in names:
        raise ValueError(f"expected {name} among {', '.join(names)}; got {value!r}; pass one of these words")
    return value


def finite_array(name: str, value: ArrayLike, ndim: int, shape: str) -> NDArray[np.float64]:
    """Return ``value`` as a non-empty finite float64 array of ``ndim`` axes."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(
            f"expected {name} as an array of real numbers; got {type(value).__name__}; pass shape {shape}"
        ) from None
    if array.ndim != ndim or array.size == 0:
        raise ValueError(
            f"expected {name} with shape {shape}, not empty; got shape {array.shape}; reshape it"
        )
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"expected finite {name}; got {array[where]} at index {where}; clean the data")
    return array


def vector(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return ``value`` as a finite float64 array of shape (k,), k >= 1."""
    return finite_array(name, value, 1, "(k,)")


def matrix(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return ``value`` as a finite float64 array of shape (rows, columns)."""
    return finite_array(name, value, 2, "(rows, columns)")


def nonnegative_array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return ``value`` as a vector whose entries are all >= 0."""
    array = vector(name, value)
    if array.min() < 0.0:
        raise ValueError(f"expected {name} >= 0; got {array.min()}; pass entries that are zero or positive")
    return array


def positive_array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return ``value`` as a vector whose entries are all > 0."""
    array = vector(name, value)
    if array.min() <= 0.0:
        raise ValueError(f"expected {name} > 0; got {array.min()}; pass positive entries")
    return array


def symmetric_psd(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return ``value`` as a symmetric positive semi-definite (d, d) array.

    Rounding is forgiven: asymmetry and negative eigenvalues up to 1e-10 of the largest entry pass.

    Examples
    --------
    >>> symmetric_psd("covariance", [[1.0, 0.0], [0.0, -1.0]])
    Traceback (most recent call last):
    ...
    ValueError: expected covariance positive semi-definite; got smallest eigenvalue -1.0; pass a covariance
    """
    array = finite_array(name, value, 2, "(d, d)")
    if array.shape[0] != array.shape[1]:
        raise ValueError(f"expected {name} square (d, d); got shape {array.shape}; pass a covariance")
    slack = 1e-10 * float(np.abs(array).max())
    asymmetry = float(np.abs(array - array.T).max())
    if asymmetry > slack:
        raise ValueError(f"expected {name} symmetric; got asymmetry {asymmetry:.3g}; pass (C + C.T) / 2")
    smallest = float(np.linalg.eigvalsh(array)[0])
    if smallest < -slack * array.shape[0]:
        raise ValueError(
            f"expected {name} positive semi-definite; got smallest eigenvalue {smallest}; pass a covariance"
        )
    return array
