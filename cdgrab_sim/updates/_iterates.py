"""The first state of an update: built, and checked where somebody else built it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray


def iterates(
    x0: FloatArray,
    parameters: Sequence[float] = (),
    *,
    points: int = 0,
    vectors: int = 0,
    counters: Sequence[int] = (),
) -> Iterates:
    """Return a copy of x0, also at each of `points`, beside zeros for `vectors`, counters and parameters."""
    x = np.array(_checks.floats("x0", x0, 1))
    points, vectors = (
        _checks.integer(name, one, low=0) for name, one in (("points", points), ("vectors", vectors))
    )
    _checks.sizes(points=points or 1, vectors=vectors or 1, x0=len(x))
    c = np.array(
        [_checks.integer("counters", one, low=-(2**63), high=2**63 - 1) for one in _row("counters", counters)]
    )
    p = np.array([_checks.real("parameters", one) for one in _row("parameters", parameters)])
    return Iterates(
        x, np.tile(x, (points, 1)), np.zeros((vectors, len(x))), c.astype(np.int64), p.astype(np.float64)
    )


def _row(name: str, value: Any) -> list[Any]:
    return (
        value.tolist() if isinstance(value, np.ndarray) and value.ndim == 1 else _checks.listed(name, value)
    )


_AXES = {"x": 1, "X": 2, "S": 2, "c": 1, "p": 1}


def start(update: Update, x0: FloatArray, problem: Problem) -> Iterates:
    """Return the first iterates of an update, whose arrays kernels can read.

    Raises
    ------
    TypeError, ValueError
        For iterates of another form, points of the wrong shape, or an x that is `x0` itself.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> start(cg.updates.adam(), np.ones(3), cg.problems.quadratic(m=2, n=4, d=3)).S.shape
    (2, 3)
    """
    it, where = update.init(x0, problem), f"update {update.name!r}: init:"
    if not isinstance(it, Iterates):
        raise TypeError(
            f"{where} expected Iterates; got {_checks.brief(it)}; build them with cg.updates.iterates"
        )
    for (name, axes), a in zip(_AXES.items(), it, strict=True):
        kind = "int64" if name == "c" else "float64"
        if not (isinstance(a, np.ndarray) and a.ndim == axes and a.dtype == kind and a.flags.c_contiguous):
            got = f"{a.dtype} {a.shape}" if isinstance(a, np.ndarray) else repr(a)
            expected = f"a C-ordered array of {kind} with {axes} axes"
            raise TypeError(f"{where} {name}: expected {expected}; got {got}")
    d, points = problem.d, len(it.X)
    if it.x.shape != (d,) or it.X.shape[1] != d or points not in (0, problem.m):
        raise ValueError(
            f"{where} expected x (d,) = ({d},) and X (0, d) or (m, d) = ({problem.m}, {d}); "
            f"got {it.x.shape} and {it.X.shape}"
        )
    if np.may_share_memory(it.x, x0):
        raise ValueError(f"{where} expected x to be a copy of x0; got x0 itself; return x0.copy()")
    return it
