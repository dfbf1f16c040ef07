"""A look at somebody else's problem before it runs."""

from __future__ import annotations

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray, Problem


def probe(problem: Problem, x: FloatArray) -> None:
    """Call `grads` and `value` once at x, and refuse what would run and mean nothing.

    A function that returns its gradients, or binds ``out`` to a new array, leaves in `out` whatever the
    memory held, and the run is noise that looks like a run. So `out` is shown with two contents: what is
    written there must not depend on them.

    Raises
    ------
    ValueError, TypeError
        For functions that cannot be called, entries of `out` that are not written, a value that is no number.

    Examples
    --------
    >>> def grads(out, x, who, idx, data):
    ...     out = x - data[0][who, idx]
    >>> def value(x, data):
    ...     return 0.5 * np.mean((x - data[0]) ** 2)
    >>> problem = Problem("mine", m=1, n=2, d=1, data=(np.ones((1, 2, 1)),), grads=grads, value=value)
    >>> probe(problem, np.zeros(1))
    Traceback (most recent call last):
    ...
    ValueError: problem 'mine': grads: expected every entry of `out` to be written;
    got out[0, 0] left as it was; assign out[:] = ..., not out = ..., and return nothing
    """
    where = f"problem {problem.name!r}:"
    for name in ("grads", "value"):
        _checks.function(f"{where} {name}", getattr(problem, name))
    who, first, x = np.arange(problem.m), np.zeros(problem.m, dtype=np.int64), x.copy()
    with np.errstate(all="ignore"):  # x may be where the gradients are no numbers
        zeros, ones = np.zeros((problem.m, problem.d)), np.ones((problem.m, problem.d))
        for out in (zeros, ones):
            problem.grads(out, x, who, first, problem.data)
        value = problem.value(x, problem.data)
    differs = ~((zeros == ones) | (np.isnan(zeros) & np.isnan(ones)))
    if differs.any():
        r, p = np.argwhere(differs)[0]
        untouched = (zeros[r, p], ones[r, p]) == (0.0, 1.0)
        how = "left as it was" if untouched else "with what it held before in it"
        raise ValueError(
            f"{where} grads: expected every entry of `out` to be written; got out[{r}, {p}] {how}; "
            "assign out[:] = ..., not out = ..., and return nothing"
        )
    if np.ndim(value) > 0 or not isinstance(value, int | float | np.number):
        raise TypeError(f"{where} value: expected one number f(x); got {value!r}")
