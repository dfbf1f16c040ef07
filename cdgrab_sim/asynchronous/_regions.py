"""Sets to project onto: balls and boxes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray

BOX, BALL = 1, 2  # 0: no region


@dataclass(frozen=True, eq=False)
class Region:
    """A closed convex set, made by `ball` or `box`.

    Attributes
    ----------
    name : str
    kind : int
    first, second : number or array (d,)
        Lower and upper bounds of a box; centre and radius of a ball.
    """

    name: str
    kind: int
    first: Any
    second: Any

    def bounds(self, d: int) -> FloatArray:
        """Return both as rows of an array (2, d)."""
        rows = []
        for value in (self.first, self.second):
            if np.ndim(value) and np.shape(value) != (d,):
                raise ValueError(
                    f"{self.name}: expected numbers or shape (d,) = ({d},) for center, low and high; "
                    f"got {np.shape(value)}"
                )
            rows.append(np.broadcast_to(np.asarray(value, dtype=np.float64), (d,)))
        return np.array(rows)


def ball(radius: float, center: ArrayLike = 0.0) -> Region:
    r"""Return the ball of all x within a radius of the centre, in the 2-norm.

    .. math:: \Pi(x) = c + (x - c) \min(1, r / \|x - c\|_2)

    Parameters
    ----------
    radius : float
        > 0.
    center : number or array (d,)

    Examples
    --------
    >>> x = np.array([3.0, 4.0])
    >>> project(x, BALL, ball(1.0).bounds(2))
    >>> x.round(12).tolist()
    [0.6, 0.8]
    """
    middle = _checks.numbers("center", center)
    _checks.finite("center", middle)
    return Region("ball", BALL, middle, _checks.real("radius", radius, above=0.0))


def box(low: ArrayLike, high: ArrayLike) -> Region:
    r"""Return the box of all x between two bounds.

    .. math:: \Pi(x)_r = \min(\max(x_r, \text{low}_r), \text{high}_r)

    Parameters
    ----------
    low, high : number or array (d,)
        May be infinite.

    Examples
    --------
    >>> x = np.array([-3.0, 0.5])
    >>> project(x, BOX, box(-1.0, 1.0).bounds(2))
    >>> x.tolist()
    [-1.0, 0.5]
    """
    below, above = _checks.numbers("low", low), _checks.numbers("high", high)
    if below.ndim and above.ndim and below.shape != above.shape:
        raise ValueError(
            f"low, high: expected numbers or one shape (d,); got {below.shape} and {above.shape}"
        )
    if not (below <= above).all():
        raise ValueError(
            f"low, high: expected low <= high; got {_checks.brief(low)} and {_checks.brief(high)}; swap them"
        )
    return Region("box", BOX, below, above)


@kernel(small=True, allocates=False)
def project(x: FloatArray, kind: int, bounds: FloatArray) -> None:
    """Replace x by the nearest point of a region."""
    if kind == BOX:
        for r in range(x.shape[0]):
            if x[r] < bounds[0, r]:
                x[r] = bounds[0, r]
            elif x[r] > bounds[1, r]:
                x[r] = bounds[1, r]
    elif kind == BALL:
        total = 0.0
        for r in range(x.shape[0]):
            total += (x[r] - bounds[0, r]) * (x[r] - bounds[0, r])
        distance = math.sqrt(total)
        if distance > bounds[1, 0]:
            shrink = bounds[1, 0] / distance
            for r in range(x.shape[0]):
                x[r] = bounds[0, r] + (x[r] - bounds[0, r]) * shrink
