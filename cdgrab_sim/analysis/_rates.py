"""Exponents: one log-log slope per seed, and whether a straight line is the right thing to fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
        Change of the local slope per unit of log x; 0 where rounding explains it, NaN for two different x.
    """

    x: FloatArray
    slopes: FloatArray
    intercepts: FloatArray
    curvatures: FloatArray

    def __repr__(self) -> str:
        low, high = self.interval if len(self.slopes) > 1 else (np.nan, np.nan)
        where = f"{len(self.slopes)} seeds, x from {self.x.min():g} to {self.x.max():g}"
        return f"<RateFit: slope {self.slope:.3f}, 95 % interval [{low:.3f}, {high:.3f}], {where}>"

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
        if np.isnan(self.curvatures).any():
            return False
        low, high = t_interval(self.curvatures)
        return low > 0.0 or high < 0.0

    def predict(self, x: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the mean line and its pointwise 95 % band over seeds at `x`, for plots."""
        log_x = np.log(_positive("x", np.atleast_1d(_checks.floats("x", x, (0, 1)))))
        lines = self.intercepts[:, None] + self.slopes[:, None] * log_x
        bands = np.array([t_interval(column) for column in lines.T])
        with np.errstate(
            over="ignore", under="ignore"
        ):  # infinite, or 0, where no float is so large or small
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
    if y.shape[1] != len(x) or not _determines(np.log(_positive("x", x)), 1):
        raise ValueError(
            f"x, y: expected at least 2 different x and y of shape (seeds, {len(x)}); "
            f"got {len(np.unique(x))} different x and y {y.shape}"
        )
    log_x, log_y = np.log(x), np.log(_positive("y", y))
    slopes, intercepts = np.polyfit(log_x, log_y.T, 1)
    return RateFit(x, slopes, intercepts, _curvatures(log_x, log_y, slopes))


def measurable(y: ArrayLike) -> NDArray[np.bool_]:
    """Tell which sizes may enter a fit: those that every seed measured.

    What is lost in rounding is 0, what a horizon cuts off infinite: neither has a logarithm. A size is left
    out as a whole, as in `uncensored`.

    Parameters
    ----------
    y : array (R, K)
        One row per seed.

    Returns
    -------
    bool array (K,)

    Examples
    --------
    >>> measurable([[4.0, 1.0, 0.0, 2.0], [3.0, 1.0, 1.0, np.inf]]).tolist()
    [True, True, False, False]
    """
    table = _checks.numbers("y", y)
    if table.ndim != 2:
        raise ValueError(f"y: expected shape (seeds, sizes); got {table.shape}")
    return np.asarray((np.isfinite(table) & (table > 0.0)).all(axis=0))


def _positive(name: str, a: FloatArray) -> FloatArray:
    if (a <= 0.0).any():
        index = np.argwhere(a <= 0.0)[0]
        raise ValueError(f"{name}{index.tolist()}: expected numbers > 0 for a log-log fit; got {a[*index]}")
    return a


def _determines(log_x: FloatArray, degree: int) -> bool:
    """Tell whether enough of the points differ by more than rounding, as `np.polyfit` sees them."""
    columns = np.vander(log_x, degree + 1)
    columns = columns / np.maximum(np.linalg.norm(columns, axis=0), np.finfo(float).tiny)
    return bool(np.linalg.matrix_rank(columns, rtol=len(log_x) * np.finfo(float).eps) > degree)


def _curvatures(log_x: FloatArray, log_y: FloatArray, slopes: FloatArray) -> FloatArray:
    """Return twice the coefficient of log^2 x, and 0 where rounding of the logarithms can make it."""
    if not _determines(log_x, 2):
        return np.full(len(log_y), np.nan)
    found = 2.0 * np.polyfit(log_x, log_y.T, 2)[0]
    weights = 2.0 * np.linalg.pinv(np.vander(log_x, 3))[0]  # curvature = weights @ log y
    uncertain = 1.0 + np.abs(log_y) + np.abs(slopes[:, None] * log_x)
    rounding = 8.0 * np.finfo(float).eps * (uncertain @ np.abs(weights))
    return np.where(np.abs(found) <= rounding, 0.0, found)
