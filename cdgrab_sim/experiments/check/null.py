"""How often a check would be red if every statement were true: synthetic checks under the null."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import betaincinv, stdtrit

from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import chance_to_agree
from cdgrab_sim.experiments.statements import Statement
from cdgrab_sim.experiments.statements._statement import NOISY

_ADDRESS = 1 << 32  # beside the cases, whose addresses are below 2^32


def false_alarms(measured: Sequence[tuple[Statement, FloatArray]], times: int, seed: int) -> str:
    """Draw synthetic checks of true statements and say how many of them would show a red row.

    A row that has no noise is never red. Of every other one new values are drawn, normal, as many as were
    measured, with the mean that is predicted and the standard deviation that was measured, and judged.
    """
    rows = [(s, v) for s, v in measured if s.kind in NOISY and v.size > 1 and np.isfinite(v).all()]
    rng = stream(seed, Role.CASE, _ADDRESS)
    red = np.zeros(times, dtype=np.int64)
    for statement, values in rows:
        drawn = rng.normal(statement.center, values.std(ddof=1), size=(times, len(values)))
        red += ~agrees(drawn, statement.low, statement.high)
    alarms = int(np.count_nonzero(red))
    most = 1.0 if alarms == times else float(betaincinv(alarms + 1, times - alarms, 0.95))
    expected = sum(
        1.0 - chance_to_agree(s.center, float(v.std(ddof=1)), len(v), s.low, s.high) for s, v in rows
    )
    return (
        f"under the null: {alarms} of {times} synthetic checks of {len(measured)} rows, {len(rows)} of them "
        f"with noise, show a red row; family-wise error {alarms / times:.2%}, at most {most:.2%} with 95 % "
        f"confidence; by design {expected:.2%}"
    )


def agrees(values: FloatArray, low: float, high: float) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Judge many rows of values (times, R) at once, as `cdgrab_sim.analysis.word_within` does one."""
    R = values.shape[1]
    mean, error = values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(R)
    inner, outer = (float(stdtrit(R - 1, q)) * error for q in (0.95, 0.975))
    inside = (low <= mean - inner) & (mean + inner <= high) & (2 * outer <= high - low)
    return np.asarray(inside)
