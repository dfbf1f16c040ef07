"""A claim that one error is below another: no more is said than the interval shows."""

from __future__ import annotations

from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._experiment import Row

LEAST = 1e-28  # of errors, where rounding ends them


def below(name: str, quantity: str, logarithms: FloatArray) -> Row:
    """Judge the claim that ratios are below 1, from their logarithms, one per seed, by a 95 % interval."""
    found = verdict(logarithms, None, None)
    said = "holds" if found.ci_high < 0.0 else "fails" if found.ci_low > 0.0 else "inconclusive"
    return Row(name, quantity, found.measured, found.ci_low, found.ci_high, verdict=said)
