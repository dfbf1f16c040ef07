"""Exponents: one log-log slope per seed, and whether a straight line is the right thing to fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis._verdict import t_interval


@dataclass(frozen=True, eq=False)
class RateFit:
    """Log-log fits, one per seed.

    Attributes
    ----------
    x : array (K,)
        The range that was used.
    slopes, intercepts : array (R,)
        log y = intercept + slope log x.
    curvatures : array (R,)
        Change of the local slope per unit of log x; NaN for K = 2.
    """

    x: FloatArray
    slopes: FloatArray
    intercepts: FloatArray
    curvatures: FloatArray

    @property
    def slope(self) -> float:
        """Mean slope over seeds."""
        return float(self.slopes.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """95 % t-interval of the slope over seeds."""
        return t_interval(self.slopes)

    @property
    def bends(self) -> bool:
        """Whether the points bend away from a line: the 95 % interval of the curvature excludes 0."""
        if len(self.x) < 3:
            return False
        low, high = t_interval(self.curvatures)
        return low > 0.0 or high < 0.0

    def predict(self, x: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the mean line and its pointwise 95 % band over seeds at `x`, for plots."""
        log_x = np.log(np.asarray(x, dtype=np.float64))
        lines = self.intercepts[:, None] + self.slopes[:, None] * log_x
        bands = np.array([t_interval(column) for column in lines.T])
        return np.exp(lines.mean(axis=0)), np.exp(bands[:, 0]), np.exp(bands[:, 1])


def rate(x: ArrayLike, y: ArrayLike) -> RateFit:
    """Fit y ~ x^slope, once per seed.

    Slopes are fitted seed by seed and averaged afterwards, so that the interval speaks of independent values.

    Parameters
    ----------
    x : array (K,)
        At least two different positive values.
    y : array (R, K)
        Positive values, one row per seed.

    Returns
    -------
    RateFit

    Raises
    ------
    ValueError
        For values that are not positive and finite (with their index), or shapes that do not match.

    Examples
    --------
    >>> fit = rate([1, 2, 4, 8], [[1, 4, 16, 64], [2, 8, 32, 128]])
    >>> round(fit.slope, 12), fit.bends
    (2.0, False)
    """
    x, y = _checks.floats("x", x, 1), _checks.floats("y", y, 2)
    if y.shape[1] != len(x) or len(np.unique(x)) < 2:
        raise ValueError(
            f"x, y: expected at least 2 different x and y of shape (seeds, {len(x)}); "
            f"got {len(np.unique(x))} different x and y {y.shape}"
        )
    for name, a in (("x", x), ("y", y)):
        if (a <= 0.0).any():
            index = np.argwhere(a <= 0.0)[0]
            raise ValueError(
                f"{name}{index.tolist()}: expected numbers > 0 for a log-log fit; got {a[*index]}"
            )
    log_x, log_y = np.log(x), np.log(y)
    slopes, intercepts = np.polyfit(log_x, log_y.T, 1)
    curvatures = 2.0 * np.polyfit(log_x, log_y.T, 2)[0] if len(np.unique(x)) > 2 else np.full(len(y), np.nan)
    return RateFit(x, slopes, intercepts, curvatures)
