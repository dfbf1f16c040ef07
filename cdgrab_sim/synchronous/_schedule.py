"""Step sizes and batches: a number, an array, or a function of the epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray, IntArray

StepSize: TypeAlias = float | FloatArray | Callable[[int], float]
Batch: TypeAlias = int | Sequence[int] | IntArray | Callable[[int], int]


def batches(batch: Batch, epochs: int, n: int) -> list[int]:
    """Return the batch of every epoch.

    Parameters
    ----------
    batch : int, int array (T,), or callable
        A callable maps the epoch t = 0, 1, ... to its batch; it is called once for every epoch, here.
    epochs, n : int

    Raises
    ------
    ValueError, TypeError
        For a batch that is not a whole number 1..n, or another number of epochs.

    Examples
    --------
    >>> batches(lambda t: 2**t, epochs=4, n=4)
    Traceback (most recent call last):
    ...
    ValueError: batch(3): expected a whole number 1..4; got 8
    """
    if callable(batch):
        _checks.takes("batch", batch, "t")
        return [_checks.integer(f"batch({t})", batch(t), low=1, high=n) for t in range(epochs)]
    table = _checks.array("batch", batch)
    if table.ndim == 0:
        return [_checks.integer("batch", batch, low=1, high=n)] * epochs
    if table.shape != (epochs,):
        raise ValueError(
            f"batch: expected a whole number, a function of the epoch, or shape (T,) = ({epochs},); "
            f"got shape {table.shape}"
        )
    return [_checks.integer(f"batch[{t}]", b, low=1, high=n) for t, b in enumerate(table.tolist())]


def _checked(name: str, value: Any) -> float:
    return _checks.real(name, value, above=0.0)


def schedule(step_size: StepSize, updates: Sequence[int]) -> Callable[[int], FloatArray]:
    """Return the function from the epoch to its step sizes, one per update.

    Parameters
    ----------
    step_size : float, array (T,) or (T, updates), or callable
        A callable maps the epoch t = 0, 1, ... to the step size of all its updates; it is called once for
        every epoch, here.
    updates : sequence of T ints
        Updates of each epoch.

    Raises
    ------
    ValueError, TypeError
        For a step size that is not a finite number > 0, or an array of another shape.

    Examples
    --------
    >>> schedule(lambda t: 1.0 / (t + 1), updates=[2, 2, 2])(1)
    array([0.5, 0.5])
    """
    epochs, most = len(updates), max(updates)
    if callable(step_size):  # asked for all epochs at once: a wrong answer is refused before any work
        _checks.takes("step_size", step_size, "t")
        step_size = np.array([_checked(f"step_size({t})", step_size(t)) for t in range(epochs)])
    table = _checks.array("step_size", step_size)
    if table.ndim == 0:
        constant = np.full(most, _checked("step_size", step_size))
        return lambda t: constant
    if table.shape not in ((epochs,), (epochs, most)):
        raise ValueError(
            f"step_size: expected a number, a function of the epoch, or shape (T,) = ({epochs},) "
            f"or (T, updates) = ({epochs}, {most}); got shape {table.shape}"
        )
    if table.dtype.kind not in "iuf":
        raise TypeError(f"step_size: expected numbers; got dtype {table.dtype}; convert it to float64")
    wrong = ~(np.isfinite(table) & (table > 0.0))
    if wrong.any():
        index = np.argwhere(wrong)[0]
        _checked(f"step_size{index.tolist()}", table[*index].item())
    rows = np.array(table, dtype=np.float64, order="C").reshape(epochs, -1)  # one signature
    return lambda t: rows[t] if rows.shape[1] == most else np.full(most, rows[t, 0])


def describe(step_size: StepSize) -> Any:
    """Return a step size as plain JSON."""
    if callable(step_size):
        return f"function {getattr(step_size, '__name__', type(step_size).__name__)}"
    return np.asarray(step_size, dtype=np.float64).tolist()
