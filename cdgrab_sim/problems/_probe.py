"""A look at somebody else's problem before it runs."""

from __future__ import annotations

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray


def probe(problem: Problem, x: FloatArray) -> None:
    """Call `grads`, `value` and `loss` once at x, and refuse what would run and mean nothing.

    A function that returns its gradients, or binds ``out`` to a new array, leaves in `out` whatever the
    memory held, and the run is noise that looks like a run. So `out` is shown with two contents: what is
    written there must not depend on them. Compiled code does not look at the bounds of arrays, so a compiled
    function is called as the Python that it was, and for the last example.

    Raises
    ------
    ValueError, TypeError
        For functions that cannot be called, entries of `out` that are not written, or a value that is not a
        number.
    Exception
        What `grads` raises, with a note of how it was called: IndexError where data hold fewer examples.

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
    given = ("grads", "value") if problem.loss is None else ("grads", "value", "loss")
    for name in given:
        _checks.function(f"{where} {name}", getattr(problem, name))
    with np.errstate(all="ignore"):  # at x the gradients may not be numbers
        zeros, ones = _gradients(problem, x, 0.0), _gradients(problem, x, 1.0)
        numbers = {"value: expected one number f(x)": problem.value(x.copy(), problem.data)}
        if problem.loss is not None:
            loss = getattr(problem.loss, "py_func", problem.loss)
            last = loss(x.copy(), problem.m - 1, problem.n - 1, problem.data)
            numbers["loss: expected one number f_ij(x)"] = last
    differs = ~((zeros == ones) | (np.isnan(zeros) & np.isnan(ones)))
    if differs.any():
        r, p = np.argwhere(differs)[0]
        untouched = (zeros[r, p], ones[r, p]) == (0.0, 1.0)
        how = "left as it was" if untouched else "with what it held before in it"
        raise ValueError(
            f"{where} grads: expected every entry of `out` to be written; got out[{r}, {p}] {how}; "
            "assign out[:] = ..., not out = ..., and return nothing"
        )
    for expected, number in numbers.items():
        if np.ndim(number) > 0 or not isinstance(number, int | float | np.number):
            raise TypeError(f"{where} {expected}; got {_checks.brief(number)}")


def _gradients(problem: Problem, x: FloatArray, filled: float) -> FloatArray:
    """Return what `grads` makes of an `out` full of one number, for the last examples of two workers."""
    who = np.unique([0, problem.m - 1])
    last = np.full_like(who, problem.n - 1)
    out = np.full((len(who), problem.d), filled)
    try:
        getattr(problem.grads, "py_func", problem.grads)(out, x.copy(), who, last, problem.data)
    except Exception as error:
        error.add_note(
            f"problem {problem.name!r}: grads was called with out {out.shape}, x {x.shape}, "
            f"who = {who}, idx = {last}"
        )
        raise
    return out
