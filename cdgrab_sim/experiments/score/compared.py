"""Which differences are no chance: paired over seeds, and corrected for all comparisons together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import measurable, t_interval
from cdgrab_sim.experiments._experiment import AT_ROUNDING, CENSORED, Row

LEVEL = 0.05  # chance that a scorecard claims any difference that is none
AHEAD, BEHIND, NEITHER = "ahead", "behind", "no difference seen"


class Compared(NamedTuple):
    """Log ratios of an ordering to another one, at the last size of every comparison."""

    groups: list[str]  # the quantity, such as "tuned error, workers alike"
    problems: list[str]
    logs: FloatArray  # (K, seeds)
    lost: list[tuple[str, str, str]]  # group, problem, and why it has no logarithm


def pairs(data: Mapping[str, Any], subject: str, other: str) -> Compared:
    """Pair the errors of two orderings, seed by seed."""
    groups, problems, logs, lost = [], [], [], []
    for key, table in data.items():
        group, _, rest = key.partition("|")
        problem, _, name = rest.partition("|")
        beside = f"{group}|{problem}|{other}"
        if name != subject or beside not in data:
            continue
        a, b = table[:, -1:], data[beside][:, -1:]
        if not (measurable(a).all() and measurable(b).all()):
            finite = np.isfinite(a).all() and np.isfinite(b).all()
            lost.append((group, problem, AT_ROUNDING if finite else CENSORED))
            continue
        groups.append(group)
        problems.append(problem)
        logs.append(np.log(a / b)[:, 0])
    return Compared(groups, problems, np.array(logs).reshape(len(groups), -1), lost)


def threshold(logs: FloatArray, level: float) -> tuple[FloatArray, float]:
    r"""Return how consistent each comparison is, and how consistent chance makes the best of them.

    .. math:: c_k = \frac{|\sum_r \ell_{kr}|}{\sqrt{R \sum_r \ell_{kr}^2}} \in [0, 1]

    which grows with Student's t. If two orderings differ by chance, the log ratios of a seed have either
    sign with equal chance, in all comparisons together. So over all 2^R ways to flip the seeds' signs, the
    largest c of the flipped ratios is beaten by that of the ratios themselves with chance `level` at most:
    exactly, for any number of comparisons, however they depend on each other and whatever their law
    (Westfall and Young, 1993). A comparison is no chance where its c is above the threshold.

    Parameters
    ----------
    logs : array (K, R)
    level : float
        With less than 2^(1 - R) nothing is ever claimed.

    Examples
    --------
    >>> logs = np.array([[1.0, 1.1, 0.9, 1.0, 1.2, 0.8], [1.0, -1.0, 1.0, -1.0, 1.0, 0.5]])
    >>> c, most = threshold(logs, 0.05)
    >>> (c > most).tolist()
    [True, False]
    """
    R = logs.shape[1]
    flips = np.array(list(product((1.0, -1.0), repeat=R - 1))).reshape(-1, R - 1)
    flips = np.column_stack(
        [np.ones(len(flips)), flips]
    )  # the other half has the same sums, up to their sign
    sizes = np.sqrt(R * (logs**2).sum(axis=1))
    c = np.abs(logs @ flips.T) / np.where(sizes > 0.0, sizes, 1.0)[:, None]
    largest = np.sort(c.max(axis=0, initial=0.0))[::-1]
    allowed = math.floor(level * len(flips) + 1e-9)
    return c[:, 0], float(min(largest[min(allowed, len(flips) - 1)], 1.0)) + 1e-9


def rows(subject: str, other: str, found: Compared, level: float) -> list[Row]:
    """Judge every comparison; the interval leaves 1 out exactly where a difference is claimed."""
    made = [Row(subject, f"{g}, {p}, over {other}", None, verdict=why) for g, p, why in found.lost]
    if not found.groups:
        return made
    c, most = threshold(found.logs, level)
    R = found.logs.shape[1]
    wide = most * math.sqrt(R - 1) / math.sqrt(1.0 - most**2) if most < 1.0 else math.inf
    for group, problem, logs, one in zip(found.groups, found.problems, found.logs, c, strict=True):
        mean, error = float(logs.mean()), float(logs.std(ddof=1)) / math.sqrt(R)
        half = wide * error if error > 0.0 else 0.0 if one > most else math.inf
        low, high = _exp(mean - half), _exp(mean + half)
        word = NEITHER if one <= most else AHEAD if mean < 0.0 else BEHIND
        made.append(Row(subject, f"{group}, {problem}, over {other}", _exp(mean), low, high, verdict=word))
    return made


def _exp(x: float) -> float:
    return math.exp(min(x, 700.0)) if x > -700.0 else 0.0


def sentences(subject: str, other: str, found: Compared, judged: Sequence[Row]) -> list[str]:
    """Say for every group on how many problems the ordering is ahead, and by how much in the middle."""
    said = []
    words = {row.quantity: row.verdict for row in judged}
    for group in dict.fromkeys(found.groups):
        of_what = "problems" if group.startswith(("floor", "tuned")) else "variables"
        at = [k for k, one in enumerate(found.groups) if one == group]
        verdicts = [words[f"{group}, {found.problems[k]}, over {other}"] for k in at]
        ahead, behind, of = verdicts.count(AHEAD), verdicts.count(BEHIND), len(at)
        if not ahead and not behind:
            said.append(f"{group}: no difference from {other} seen, on {of} {of_what}")
            continue
        middle = np.median(found.logs[at], axis=0)
        low, high = t_interval(middle)
        first, second = (AHEAD, BEHIND) if ahead >= behind else (BEHIND, AHEAD)
        counts = {AHEAD: ahead, BEHIND: behind}
        more = f", {second} on {counts[second]}" if counts[second] else ""
        ratio = f"{_exp(float(middle.mean())):.2g} [{_exp(low):.2g}, {_exp(high):.2g}]"
        said.append(
            f"{group}: {first}{' of' if first == AHEAD else ''} {other} on {counts[first]} of {of} "
            f"{of_what}{more}; median ratio {ratio}"
        )
    return said
