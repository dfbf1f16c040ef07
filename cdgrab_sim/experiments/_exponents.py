"""Rows about exponents: the slope of a quantity in a variable beside the one that theory predicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from cdgrab_sim import orderings
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import measurable, rate, verdict
from cdgrab_sim.experiments._experiment import AT_ROUNDING, CENSORED, Row
from theory import slopes


def slope_row(
    name: str,
    quantity: str,
    x: Sequence[float] | FloatArray,
    values: FloatArray,
    predicted: float | None = None,
    margin: float | None = None,
) -> Row:
    """Fit ``values ~ x^p``, one slope per seed, over the sizes that every seed measured; judge p.

    Parameters
    ----------
    name, quantity : str
        The quantity says so where sizes are left out.
    x : sequence (K,)
    values : array (seeds, K)
        0 where rounding hides it, infinite where a horizon cuts it off.
    predicted, margin : float, optional

    Examples
    --------
    >>> row = slope_row("rr", "error exponent in m", [1, 2, 4], np.array([[4.0, 2.0, 0.0]] * 3))
    >>> row.quantity, round(row.measured, 12)
    ('error exponent in m (2 of 3 sizes)', -1.0)
    >>> slope_row("rr", "error exponent in m", [1, 2], np.zeros((3, 2))).verdict
    'at rounding level'
    """
    known = measurable(values)
    if known.sum() < 2:
        return Row(name, quantity, None, verdict=AT_ROUNDING if np.isfinite(values).all() else CENSORED)
    fit = rate(np.asarray(x)[known], values[:, known])
    left = "" if known.all() else f" ({known.sum()} of {known.size} sizes)"
    return Row.judged(name, quantity + left, verdict(fit.slopes, predicted, margin))


def exponent_row(
    ordering: str,
    quantity: str,
    variable: str,
    x: Sequence[float] | FloatArray,
    values: FloatArray,
    margin: float,
    label: str | None = None,
) -> Row:
    """Fit ``quantity ~ variable^p``, one slope per seed, and judge p.

    Parameters
    ----------
    ordering : str
        Its record says by which row of `theory.slopes` it is predicted, or that it is not.
    quantity, variable : str
        As in `theory.slopes`.
    x : sequence (K,)
    values : array (seeds, K)
    margin : float
        Added to the half width of a predicted interval.
    label : str, optional
        What the row calls the quantity, where it is more than the name in `theory.slopes`.

    Examples
    --------
    >>> row = exponent_row("rr", "floor", "m", [1, 2, 4], np.array([[4.0, 2.0, 1.0]] * 3), 0.2)
    >>> row.quantity, row.predicted, row.verdict
    ('floor exponent in m', -1.0, 'agrees')
    """
    by = orderings.make(ordering).slopes
    promise = slopes.predicted(quantity, by, variable) if by else None
    name = f"{label or quantity} exponent in {variable}"
    if promise is None:
        return slope_row(ordering, name, x, values)
    return slope_row(ordering, name, x, values, promise.value, margin + promise.half_width)


def raw_exponent_row(
    ordering: str, label: str, variable: str, x: Sequence[float] | FloatArray, values: FloatArray
) -> Row:
    """Fit ``quantity ~ variable^p`` without judging p, for what theory promises up to logarithms only."""
    return slope_row(ordering, f"{label} exponent in {variable}", x, values)


def bend_notes(
    label: str, variable: str, x: Sequence[float] | FloatArray, tables: Mapping[str, FloatArray]
) -> list[str]:
    """Say where a log-log fit is no straight line, so that its slope is no exponent but an average."""
    notes = []
    for name, values in tables.items():
        known = measurable(values)
        if known.sum() < 3:  # two points lie on a line
            continue
        fit = rate(np.asarray(x)[known], values[:, known])
        if fit.bends:
            change = float(fit.curvatures.mean()) * math.log(2.0)
            notes.append(
                f"{name}: the exponent of the {label} changes by {change:+.2f} per factor 2 of {variable}"
            )
    return notes
