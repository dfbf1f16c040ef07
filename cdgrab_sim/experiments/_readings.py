"""Rows that put a measurement beside what a published figure shows."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import paired_test, t_interval
from cdgrab_sim.experiments._experiment import AT_ROUNDING, Row


class Reading(NamedTuple):
    """A number read from a figure, pixel by pixel against its axis."""

    value: float
    error: float  # half width, in the same unit


def same(name: str, quantity: str, values: ArrayLike, reading: Reading) -> Row:
    """Judge a figure made from the same random numbers: the mean must lie within the reading's error.

    Parameters
    ----------
    name, quantity : str
    values : array (seeds,)
        One for each seed of the figure; their spread is no uncertainty, so there is no interval.
    reading : Reading

    Examples
    --------
    >>> same("cd-grab", "herding error", [2.5, 2.7], Reading(2.6, 0.05)).verdict
    'agrees'
    """
    mean = float(np.mean(np.asarray(values)))
    word = "agrees" if abs(mean - reading.value) <= reading.error else "disagrees"
    return Row(name, quantity, mean, None, None, reading.value, reading.error, word)


def ratio(name: str, quantity: str, a: FloatArray, b: FloatArray, reading: Reading | None = None) -> Row:
    """Compare two orderings seed by seed: the ratio of the means, with the interval of the log ratios.

    A reading shows what a published figure of other data has; it is no prediction.

    Parameters
    ----------
    name, quantity : str
    a, b : array (seeds,)
        Positive values, one pair for each seed; where rounding hides one, and it is 0, nothing is compared.
    reading : Reading, optional

    Examples
    --------
    >>> row = ratio("cd-grab", "loss / rr", np.array([0.95, 0.97]), np.ones(2), Reading(0.92, 0.01))
    >>> round(row.measured, 3), row.verdict
    (0.96, 'other data')
    """
    if not _positive(a, b):
        return Row(name, quantity, None, verdict=AT_ROUNDING)
    low, high = (float(np.exp(end)) for end in t_interval(np.log(a / b)))
    row = Row(name, quantity, float(a.mean() / b.mean()), low, high)
    if reading is None:
        return row
    return replace(row, predicted=reading.value, margin=reading.error, verdict="other data")


def smaller(name: str, quantity: str, a: FloatArray, b: FloatArray) -> Row:
    """Judge the claim that an ordering ends below another, from pairs of seeds.

    It holds where the 95 % interval of the log ratios lies below zero, and fails where it lies above.

    Parameters
    ----------
    name, quantity : str
    a, b : array (seeds,)
        Positive values, one pair for each seed; a is claimed to be the smaller.

    Examples
    --------
    >>> smaller("cd-grab", "loss / rr", np.array([0.95, 0.97, 0.96]), np.ones(3)).verdict
    'holds'
    >>> smaller("cd-grab", "loss / rr", np.array([0.9, 1.02, 0.95]), np.ones(3)).verdict
    'inconclusive'
    """
    row = ratio(name, f"{quantity} (< 1)", a, b)
    if row.ci_low is None or row.ci_high is None:
        return row
    word = "holds" if row.ci_high < 1.0 else "fails" if row.ci_low > 1.0 else "inconclusive"
    return replace(row, verdict=word)


def paired(a: FloatArray, b: FloatArray) -> str:
    """Return what the exact paired test over seeds says, in words for a note.

    Examples
    --------
    >>> paired(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 7.0]))
    'exact paired test over seeds, p = 0.25'
    >>> paired(np.array([0.0, 2.0]), np.array([2.0, 4.0]))
    'not to be compared, as errors are at rounding level'
    """
    if not _positive(a, b):
        return "not to be compared, as errors are at rounding level"
    return f"exact paired test over seeds, p = {paired_test(a, b):.3g}"


def _positive(*tables: FloatArray) -> bool:
    return all(float(table.min()) > 0.0 for table in tables)


def claim(
    name: str, quantity: str, values: ArrayLike, *, below: float = np.inf, above: float = -np.inf
) -> Row:
    """Judge a claim about several means: all of them lie between two limits.

    Parameters
    ----------
    name, quantity : str
        The limits are added to the quantity.
    values : array
        The one closest to breaking the claim is shown.
    below, above : float
        One of them is given.

    Examples
    --------
    >>> row = claim("cd-grab", "loss / rr, worst epoch", [0.97, 0.99], below=1.0)
    >>> row.quantity, row.measured, row.verdict
    ('loss / rr, worst epoch (< 1)', 0.99, 'holds')
    """
    if np.isfinite(below):
        worst = float(np.max(values))
        text, holds = f"{quantity} (< {below:g})", worst < below
    else:
        worst = float(np.min(values))
        text, holds = f"{quantity} (> {above:g})", worst > above
    return Row.claimed(name, text, worst, holds)
