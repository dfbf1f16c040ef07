"""Does a measured number agree with a predicted one? Three answers, and when each is given."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray


@dataclass(frozen=True)
class Verdict:
    """A measurement beside its prediction.

    Attributes
    ----------
    measured, ci_low, ci_high : float
        Mean over seeds and its 95 % t-interval.
    predicted, margin : float or None
        The prediction "predicted +- margin"; None where there is none.
    verdict : {"agrees", "disagrees", "inconclusive", "no prediction"}
    """

    measured: float
    ci_low: float
    ci_high: float
    predicted: float | None
    margin: float | None
    verdict: str


def t_interval(values: ArrayLike, confidence: float = 0.95, *, positive: bool = False) -> tuple[float, float]:
    r"""Return Student's interval for the mean of independent values.

    .. math:: \bar v \pm t_{R-1} \, s / \sqrt R, \qquad \text{positive: }
              \bar v \, \exp\big( \pm t_{R-1} \, s / (\bar v \sqrt R) \big)

    Near its nominal coverage already for 6 seeds, where a bootstrap is not. The second form is the first one
    for the logarithm of the mean, whose standard error is s / (v sqrt R) to first order. It contains the
    mean, stays above 0, and covers the mean of skewed values more often (6 exponential values: 93 % instead
    of 89 %; 6 log-normal ones with sigma = 1: 89 % instead of 82 %).

    Parameters
    ----------
    values : array (R,)
        One value per seed, R >= 2.
    confidence : float
        Between 0 and 1.
    positive : bool
        Whether the quantity is positive by its meaning, such as an error or a time. Values that are all 0
        have the interval (0, 0).

    Raises
    ------
    ValueError
        For fewer than two values, or, with `positive`, values below 0, with their index.

    Examples
    --------
    >>> low, high = t_interval([1.0, 2.0, 3.0])
    >>> round(low, 3), round(high, 3)
    (-0.484, 4.484)
    >>> low, high = t_interval([1.0, 2.0, 3.0], positive=True)
    >>> round(low, 3), round(high, 3)
    (0.578, 6.926)
    """
    v, positive = _checks.floats("values", values, 1), _checks.flag("positive", positive)
    if len(v) < 2:
        raise ValueError(f"values: expected one per seed for at least 2 seeds; got {len(v)}")
    confidence = _checks.real("confidence", confidence)
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence: expected a number between 0 and 1; got {confidence:g}")
    mean, error, k = _scaled(v)
    half = float(stdtrit(len(v) - 1, 0.5 + confidence / 2)) * error
    if positive:
        _not_negative(v)
        factor = _exp(half / mean) if mean > 0.0 else 1.0
        return _ldexp(mean / factor, k), _ldexp(mean * factor, k)
    return _ldexp(mean - half, k), _ldexp(mean + half, k)


def _scaled(v: FloatArray) -> tuple[float, float, int]:
    """Return mean and standard error of v / 2^k, and k: squares of v itself may be no floats."""
    k = int(np.frexp(v)[1].max())
    scaled = np.ldexp(v, -k)
    return float(scaled.mean()), float(scaled.std(ddof=1)) / math.sqrt(len(v)), k


def _not_negative(v: FloatArray) -> None:
    if (v < 0.0).any():
        first = int(np.argmax(v < 0.0))
        raise ValueError(
            f"values[{first}]: expected numbers >= 0 of a positive quantity; got {v[first]}; errors below 0 "
            f"are rounding: the runs ended at the minimum"
        )


def _exp(x: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(x))


def _ldexp(x: float, k: int) -> float:
    """Return x 2^k, infinite where it is too large."""
    with np.errstate(over="ignore"):
        return float(np.ldexp(x, k))


def verdict(
    values: ArrayLike, predicted: float | None, margin: float | None, *, positive: bool = False
) -> Verdict:
    """Judge the statement "the mean of these values is predicted, up to the margin".

    * agrees: the 90 % interval of the mean lies inside predicted +- margin (two one-sided tests at 5 %), and
      the 95 % interval is no wider than that;
    * disagrees: the 95 % interval misses predicted +- margin altogether;
    * inconclusive: neither, so more seeds or longer runs are needed;
    * no prediction: there is nothing to judge.

    Parameters
    ----------
    values : array (R,)
        One value per seed.
    predicted : float or None
    margin : float or None
        How far from the prediction still counts as agreement; needed wherever there is a prediction.
    positive : bool
        Whether the quantity is positive by its meaning, see `t_interval`.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> slopes = [-1.02, -0.98, -1.01, -0.99, -1.03, -1.0]
    >>> verdict(slopes, -1.0, 0.2).verdict, verdict(slopes, -2.0, 0.25).verdict
    ('agrees', 'disagrees')
    """
    low, high = t_interval(values, 0.95, positive=positive)
    center, _, k = _scaled(_checks.floats("values", values, 1))
    mean = _ldexp(center, k)
    if predicted is None:
        return Verdict(mean, low, high, None, None, "no prediction")
    if margin is None:
        raise ValueError(f"margin: expected a number > 0 beside the prediction {predicted:g}; got None")
    predicted, margin = _checks.real("predicted", predicted), _checks.real("margin", margin, above=0.0)
    word = word_within(values, predicted - margin, predicted + margin, positive=positive)
    return Verdict(mean, low, high, predicted, margin, word)


def word_within(values: ArrayLike, low: float, high: float, *, positive: bool = False) -> str:
    """Judge the statement "the mean of these values lies in [low, high]", as `verdict` does.

    Parameters
    ----------
    values : array (R,)
        One value per seed.
    low, high : float
        One of them may be infinite: a one-sided claim.
    positive : bool
        As for `t_interval`.

    Examples
    --------
    >>> word_within([-2.07, -2.06, -2.08, -2.07], -math.inf, -1.7)
    'agrees'
    """
    low, high = _checks.ends(low, high)
    outer_low, outer_high = t_interval(values, 0.95, positive=positive)
    inner_low, inner_high = t_interval(values, 0.90, positive=positive)
    if low <= inner_low and inner_high <= high and outer_high - outer_low <= high - low:
        return "agrees"
    return "disagrees" if outer_high < low or outer_low > high else "inconclusive"


def verdict_in_errors(
    values: ArrayLike, predicted: float, resolution: float, *, positive: bool = False
) -> Verdict:
    """Judge an exact statement "the mean of these values is predicted" by their own standard error.

    * agrees: the mean is within 3 standard errors, and 3 standard errors are below the resolution;
    * disagrees: the mean is off by more than 5 standard errors;
    * inconclusive: neither.

    For 30 seeds or more a true statement fails to agree about once in 200, and disagrees once in 40,000.

    Parameters
    ----------
    values : array (R,)
        One value per seed.
    predicted : float
    resolution : float
        What three standard errors must resolve, else noise would agree with anything. Standard errors below
        a thousandth of it count as that, for values that hardly vary.
    positive : bool
        Whether the quantity is positive by its meaning, see `t_interval`.

    Returns
    -------
    Verdict
        Its margin is 3 standard errors.

    Examples
    --------
    >>> verdict_in_errors([0.19, 0.21, 0.2, 0.2], 0.201, resolution=0.05).verdict
    'agrees'
    """
    predicted = _checks.real("predicted", predicted)
    resolution = _checks.real("resolution", resolution, above=0.0)
    low, high = t_interval(values, 0.95, positive=positive)
    center, spread, k = _scaled(_checks.floats("values", values, 1))
    mean, error = _ldexp(center, k), max(_ldexp(spread, k), resolution / 1000)
    off = abs(mean - predicted)
    word = "disagrees" if off > 5 * error else "inconclusive"
    if off <= 3 * error <= resolution:
        word = "agrees"
    return Verdict(mean, low, high, predicted, 3 * error, word)
