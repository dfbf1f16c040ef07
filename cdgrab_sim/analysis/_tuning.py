"""Tuning a step size: nested grids, so that the answer has a known resolution and an edge is seen."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray

_NESTED = (2.0, 2.0 ** (1 / 3), 2.0 ** (1 / 9))  # ratios of neighbours: 2, 1.26, 1.08


@dataclass(frozen=True, eq=False)
class Tuned:
    """The best step size found.

    Attributes
    ----------
    step_size, error : float
    step_sizes, errors : array (K,)
        Everything that was tried, sorted by step size.
    """

    step_size: float
    error: float
    step_sizes: FloatArray
    errors: FloatArray


def tune(error: Callable[[float], float], low: float, high: float) -> Tuned:
    """Minimise an error over the step size.

    The error is evaluated on a grid of ratio 2 from `low` to `high`, then between the neighbours of the best
    point on grids of ratio 1.26 and 1.08. No step size outside the range is tried.

    Parameters
    ----------
    error : callable
        Error at a step size; anything that is not finite counts as infinite, so divergence ends the search.
    low, high : float
        0 < low < high.

    Returns
    -------
    Tuned

    Raises
    ------
    ValueError
        If the best point lies at the edge of the range, where it is no minimum, or if the error is finite
        nowhere.

    Examples
    --------
    >>> found = tune(lambda alpha: alpha + 1.0 / alpha, 0.01, 100.0)
    >>> 1 / 1.05 < found.step_size < 1.05
    True
    """
    _checks.function("error", error)
    _checks.takes("error", error, "step size")
    low = _checks.real("low", low, above=0.0)
    high = _checks.real("high", high, above=low)
    last = math.floor(9.0 * (math.log2(high) - math.log2(low)) + 1e-9)
    seen: dict[int, float] = {}  # by position on the finest grid, which has 9 points per factor 2
    best = 0
    for level, ratio in enumerate(_NESTED):
        stride = round(math.log(ratio) / math.log(_NESTED[-1]))
        around = range(0, last, stride) if level == 0 else range(best - 2 * stride, best + 3 * stride, stride)
        for position in [*around, last]:
            if position not in seen and 0 <= position <= last:
                seen[position] = _finite(error(_at(low, high, position)))
        best = min(seen, key=lambda position: seen[position])
        if seen[best] == math.inf:
            raise ValueError(
                f"step size: expected a finite error somewhere in [{low:.3g}, {high:.3g}]; got none; "
                f"smaller step sizes diverge less"
            )
        if best in (0, last):
            end, bound = ("smallest", "lower low") if best == 0 else ("largest", "raise high")
            raise ValueError(
                f"step size: expected a minimum inside [{low:.3g}, {high:.3g}]; got the {end} step size "
                f"as the best; widen the range on that side: {bound}"
            )
    positions = sorted(seen)
    alphas = np.array([_at(low, high, position) for position in positions])
    errors = np.array([seen[position] for position in positions])
    return Tuned(_at(low, high, best), seen[best], alphas, errors)


def _finite(error: Any) -> float:
    """Return an error that was measured, infinite where it is not finite."""
    value = _checks.numbers("what error returns", error)
    if value.ndim:
        raise TypeError(f"what error returns: expected a number; got {_checks.brief(error)}")
    return float(value) if np.isfinite(value) else math.inf


def _at(low: float, high: float, position: int) -> float:
    """Return the step size at a position of the finest grid; rounding leads no further than `high`."""
    whole = position // 9000 * 1000  # 2^1024 is no float
    return min(math.ldexp(low, whole) * float(2.0 ** (position / 9 - whole)), high)
