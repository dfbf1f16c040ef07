"""Rows about exponents: the slope of a quantity in a variable beside the one that theory predicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from cdgrab_sim import orderings
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import rate, verdict
from cdgrab_sim.experiments._experiment import Row
from theory import slopes


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
    >>> import numpy as np
    >>> row = exponent_row("rr", "floor", "m", [1, 2, 4], np.array([[4.0, 2.0, 1.0]] * 3), 0.2)
    >>> row.quantity, row.predicted, row.verdict
    ('floor exponent in m', -1.0, 'agrees')
    """
    by = orderings.make(ordering).slopes
    promise = slopes.predicted(quantity, by, variable) if by else None
    measured = rate(x, values).slopes
    name = f"{label or quantity} exponent in {variable}"
    if promise is None:
        return Row.judged(ordering, name, verdict(measured, None, None))
    return Row.judged(ordering, name, verdict(measured, promise.value, margin + promise.half_width))


def raw_exponent_row(
    ordering: str, label: str, variable: str, x: Sequence[float] | FloatArray, values: FloatArray
) -> Row:
    """Fit ``quantity ~ variable^p`` without judging p, for what theory promises up to logarithms only."""
    return Row.judged(
        ordering, f"{label} exponent in {variable}", verdict(rate(x, values).slopes, None, None)
    )


def bend_notes(
    label: str, variable: str, x: Sequence[float] | FloatArray, tables: Mapping[str, FloatArray]
) -> list[str]:
    """Say where a log-log fit is no straight line, so that its slope is no exponent but an average."""
    notes = []
    for name, values in tables.items():
        fit = rate(x, values)
        if fit.bends:
            change = float(fit.curvatures.mean()) * math.log(2.0)
            notes.append(
                f"{name}: the exponent of the {label} changes by {change:+.2f} per factor 2 of {variable}"
            )
    return notes
