"""What each row of a check is able to see: the change of a claim that would turn it red."""

from __future__ import annotations

import numpy as np

from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import chance_to_agree, t_interval
from cdgrab_sim.experiments.statements import Statement
from cdgrab_sim.experiments.statements._statement import NOISY


def sight(statement: Statement, values: FloatArray) -> str:
    """Say what makes a row able to fail, from the values that it measured.

    identity     the smallest difference that it does not accept
    bound        the factor on the bound beyond which the nearest case would break it
    mean, slope  half the 95 % interval and the half width of what is accepted; of a slope also how often the
                 exponent of another ordering would fail to agree
    """
    if statement.kind == "reference" or not values.size or not np.isfinite(values).all():
        return ""
    if statement.kind == "identity":
        return f"off by {statement.high:.1g}" if statement.high else "any bit"
    if statement.kind == "upper":
        return f"bound x {values.max():.3g}"
    if statement.kind in ("lower", "refuted"):
        return f"bound x {values.min():.3g}"
    low, high = t_interval(values)
    text = f"±{(high - low) / 2:.2g} of {statement.high - statement.center:.2g}"
    return text if statement.rival is None else f"{text}; {statement.rival:g}: {power(statement, values):.3f}"


def power(statement: Statement, values: FloatArray) -> float:
    """Return how often a slope would not agree if it were that of another ordering."""
    assert statement.kind in NOISY
    assert statement.rival is not None
    spread = float(values.std(ddof=1))
    return 1.0 - chance_to_agree(statement.rival, spread, len(values), statement.low, statement.high)
