"""Step sizes: a number, an array, or a function of the epoch, as one array of updates per epoch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray

StepSize: TypeAlias = float | FloatArray | Callable[[int], float]


def _checked(name: str, value: Any) -> float:
    return _checks.real(name, value, above=0.0)


def schedule(step_size: StepSize, epochs: int, updates: int) -> Callable[[int], FloatArray]:
    """Return the function from the epoch to its step sizes, one per update.

    Parameters
    ----------
    step_size : float, array (T,) or (T, updates), or callable
        A callable maps the epoch t = 0, 1, ... to the step size of all its updates; it is called once for
        every epoch, here.
    epochs, updates : int
        T, and updates per epoch.

    Raises
    ------
    ValueError, TypeError
        For a step size that is not a finite number > 0, or an array of another shape.

    Examples
    --------
    >>> schedule(lambda t: 1.0 / (t + 1), epochs=3, updates=2)(1)
    array([0.5, 0.5])
    """
    if callable(step_size):  # asked for all epochs at once: a wrong answer is refused before any work
        step_size = np.array([_checked(f"step_size({t})", step_size(t)) for t in range(epochs)])
    table = _checks.array("step_size", step_size)
    if table.ndim == 0:
        constant = np.full(updates, _checked("step_size", step_size))
        return lambda t: constant
    if table.shape not in ((epochs,), (epochs, updates)):
        raise ValueError(
            f"step_size: expected a number, a function of the epoch, or shape (T,) = ({epochs},) "
            f"or (T, updates) = ({epochs}, {updates}); got shape {table.shape}"
        )
    if table.dtype.kind not in "iuf":
        raise TypeError(f"step_size: expected numbers; got dtype {table.dtype}; convert it to float64")
    wrong = ~(np.isfinite(table) & (table > 0.0))
    if wrong.any():
        index = np.argwhere(wrong)[0]
        _checked(f"step_size{index.tolist()}", table[*index].item())
    rows = np.array(table, dtype=np.float64, order="C").reshape(epochs, -1)  # one signature
    return lambda t: rows[t] if rows.shape[1] == updates else np.full(updates, rows[t, 0])


def describe(step_size: StepSize) -> Any:
    """Return a step size as plain JSON."""
    if callable(step_size):
        return f"function {getattr(step_size, '__name__', type(step_size).__name__)}"
    return np.asarray(step_size, dtype=np.float64).tolist()
