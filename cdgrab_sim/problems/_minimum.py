"""What is measured against a minimum: that there is one, and where rounding hides the distance to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray

_NEIGHBOURS = 8  # points next to x_star, of which the value is computed


def required(problem: Problem) -> tuple[FloatArray, float]:
    """Return x_star and f_star, or say before any work that there are none.

    Raises
    ------
    ValueError
        For a problem without a known minimiser.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> required(cg.problems.skewed(m=2, n=4, d=1))
    (array([0.]), 0.0)
    """
    if problem.x_star is None or problem.f_star is None:
        raise ValueError(
            f"problem {problem.name!r}: expected a minimiser to measure errors against; none is known "
            "(classes that a plane separates have none, nor has a loss that is not convex); use a ridge > 0 "
            "with loss 'least-squares' or 'logistic', or give x_star and f_star"
        )
    return problem.x_star, problem.f_star


def rounding(problem: Problem) -> float:
    """Return how far values near x_star are from f_star by rounding alone: less than this is no error.

    Measured, at points that differ from x_star in last bits.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> 0.0 < rounding(cg.problems.least_squares()) < 1e-14
    True
    """
    x, f = required(problem)
    eps, rng = float(np.finfo(float).eps), stream(0, Role.DATA)
    width = 4.0 * eps * max(float(np.abs(x).max()), np.finfo(float).tiny)
    near = [x + width * rng.uniform(-1.0, 1.0, len(x)) for _ in range(_NEIGHBOURS)]
    values = [float(problem.value(point, problem.arrays)) for point in near]
    return 8.0 * max(eps * abs(f), *(abs(value - f) for value in values))


def excess(problem: Problem, loss: ArrayLike) -> FloatArray:
    """Return f - f_star, and exactly 0 where it cannot be told from rounding, of whatever sign.

    A logarithm may be taken of what is above 0; the rest is "at rounding level".

    Parameters
    ----------
    problem : Problem
        With a minimiser.
    loss : array
        Values of f.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.least_squares()
    >>> excess(problem, [problem.f_star + 1e-17, problem.f_star + 0.5]).tolist()
    [0.0, 0.5]
    """
    _, f = required(problem)
    errors: FloatArray = np.asarray(loss, dtype=np.float64) - f
    errors[np.abs(errors) <= rounding(problem)] = 0.0
    return errors
