"""Checks of arguments that only the asynchronous predictions need."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory._checks import nonnegative_array, positive_array


def law(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return ``value`` as a probability vector of shape (n,); it must sum to 1 within 1e-9.

    Examples
    --------
    >>> law("p", [0.5, 0.4])
    Traceback (most recent call last):
    ...
    ValueError: expected p to sum to 1; got the sum 0.9; divide by it
    """
    p = nonnegative_array(name, value)
    if abs(p.sum() - 1.0) > 1e-9:
        raise ValueError(f"expected {name} to sum to 1; got the sum {float(p.sum()):.6g}; divide by it")
    return p


def law_and_times(p: ArrayLike, times: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the law ``p`` (n,) of the examples and their positive job times (n,)."""
    p_, times_ = law("p", p), positive_array("times", times)
    if p_.shape != times_.shape:
        raise ValueError(
            f"expected one time for each example, shape {p_.shape}; got shape {times_.shape}; match them"
        )
    return p_, times_


def law_and_ticks(p: ArrayLike, ticks: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the law ``p`` (n,) of the examples and their job times (n,) in whole ticks."""
    p_, times = law_and_times(p, ticks)
    if (times != np.round(times)).any():
        raise ValueError(f"expected whole ticks; got {times.tolist()}; choose a finer tick")
    return p_, times.astype(np.int64)
