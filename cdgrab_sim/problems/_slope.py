"""One look at whether the gradients of somebody else's problem are the slope of its value."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray

_WIDTHS = (1e-3, 1e-4, 1e-5)  # relative to the size of x
_SETTLED = 0.02  # relative: how near to each other quotients are where f is smooth and rounding is small
_WRONG = 0.1  # relative: what no rounding of a settled quotient explains
_PIECE = 1 << 16  # entries of gradients at a time
_MOST = 1 << 24  # entries of gradients, beyond which the look would cost too much


def warn_of_slope(problem: Problem, x: FloatArray, stacklevel: int) -> None:
    r"""Warn where the gradients differ from the difference quotients of f along a random direction u.

    .. math:: \frac{f(x + h u) - f(x)}{h} \quad \text{and} \quad \frac{f(x) - f(x - h u)}{h}

    for three h must agree with each other before they say anything: kinks, noise, rounding, and a value that
    is a constant to fill the place, give no alarm.

    Parameters
    ----------
    problem : Problem
    x : array (d,)
    stacklevel : int
        As in `warnings.warn`, of the caller.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> warn_of_slope(cg.problems.logistic(m=2, n=4), np.zeros(3), 1)
    """
    if problem.m * problem.n * problem.d > _MOST:
        return
    u = stream(0, Role.DATA).standard_normal(problem.d)
    u /= np.linalg.norm(u)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of functions that are looked at where nobody asked for them
            quotient, expected = _settled_quotient(problem, x, u), _slope(problem, x, u)
    except Exception:  # off the domain of the user's value; the run itself will tell what matters
        return
    if quotient is None or not np.isfinite(expected):
        return
    if abs(quotient - expected) > _WRONG * max(abs(quotient), abs(expected)):
        warnings.warn(
            f"problem {problem.name!r}: expected grads to be the slope of value, {quotient:.4g} along a "
            f"random direction at x0; got {expected:.4g}; cg.testing.check_problem finds the coordinate",
            stacklevel=stacklevel + 1,
        )


def _settled_quotient(problem: Problem, x: FloatArray, u: FloatArray) -> float | None:
    """Return the difference quotient where all of them agree, and are no rounding."""
    size = float(np.linalg.norm(x)) or 1.0
    here, quotients, noise = _value(problem, x), [], 0.0
    for width in _WIDTHS:
        h = width * size
        right, left = _value(problem, x + h * u), _value(problem, x - h * u)
        quotients += [(right - here) / h, (here - left) / h]
        noise = max(noise, 4.0 * float(np.spacing(max(map(abs, (right, here, left))))) / h)
    a = np.array(quotients)
    middle, least = float(np.median(a)), float(np.abs(a).min())
    smooth = np.isfinite(a).all() and float(np.ptp(a)) <= _SETTLED * least and noise <= _SETTLED * least
    return middle if smooth and least > 0.0 else None


def _value(problem: Problem, x: FloatArray) -> float:
    return float(problem.value(x.copy(), problem.arrays))


def _slope(problem: Problem, x: FloatArray, u: FloatArray) -> float:
    """Return <grad f(x), u>, a piece of the examples at a time."""
    m, n, d = problem.m, problem.n, problem.d
    length, total = max(1, _PIECE // d), np.zeros(d)
    for start in range(0, m * n, length):
        places: Any = np.arange(start, min(start + length, m * n))
        out = np.empty((len(places), d))
        problem.grads(out, x.copy(), places // n, places % n, problem.arrays)
        total += out.sum(axis=0)
    return float(total @ u) / (m * n)
