"""Rows about exponents: the slope of a quantity in a variable beside the one that theory predicts."""

from __future__ import annotations

from collections.abc import Sequence

from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import rate, verdict
from cdgrab_sim.experiments._experiment import Row
from theory import slopes


def exponent_row(
    ordering: str, quantity: str, variable: str, x: Sequence[float], values: FloatArray, margin: float
) -> Row:
    """Fit ``quantity ~ variable^p``, one slope per seed, and judge p.

    Parameters
    ----------
    ordering : str
        An ordering that theory does not know has no prediction.
    quantity, variable : str
        As in `theory.slopes`.
    x : sequence (K,)
    values : array (seeds, K)
    margin : float
        Added to the half width of a predicted interval.

    Examples
    --------
    >>> import numpy as np
    >>> row = exponent_row("rr", "floor", "m", [1, 2, 4], np.array([[4.0, 2.0, 1.0]] * 3), 0.2)
    >>> row.quantity, row.predicted, row.verdict
    ('floor exponent in m', -1.0, 'agrees')
    """
    known = ordering in slopes.ORDERINGS
    promise = slopes.predicted(quantity, ordering, variable) if known else None
    measured = rate(x, values).slopes
    name = f"{quantity} exponent in {variable}"
    if promise is None:
        return Row.judged(ordering, name, verdict(measured, None, None))
    return Row.judged(ordering, name, verdict(measured, promise.value, margin + promise.half_width))
