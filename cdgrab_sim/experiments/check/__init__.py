"""Does every statement of the theory hold? Random and adversarial instances, measured against predictions."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cdgrab_sim import _checks, analysis
from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._cells import run_cells
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments.check.null import false_alarms
from cdgrab_sim.experiments.check.sight import sight
from cdgrab_sim.experiments.statements import STATEMENTS, Statement
from cdgrab_sim.experiments.statements._statement import NOISY

FAMILIES = "VHRTQFGMPIALCNW"  # the order in which they are shown
LEVELS = {"quick": 0.3, "full": 1.0, "deep": 10.0}  # times the cases of a full check
FEWEST, FEWEST_MEANS = 6, 12  # cases of a row: an interval needs them, others go through their instances

WORST = {
    "identity": "largest relative difference",
    "upper": "largest measured over predicted",
    "lower": "smallest measured over predicted",
    "refuted": "smallest measured over the claim in print, which is false",
    "mean": "mean measured over predicted",
    "slope": "mean exponent over seeds",
    "reference": "published over proved",
}


@dataclass(frozen=True)
class Held:
    """One line of the result: a claim and how close measurements came to breaking it.

    Attributes
    ----------
    name, kind, claim : str
        The label of the statement, what kind of claim it is, and which one.
    cases : int
        Values measured.
    worst : float or None
        By kind: see `WORST`. None where it is not finite.
    low, high : float or None
        Where `worst` must lie; None where that side is open. A bound fails on the far side too: then no case
        came near it, and nothing was tested.
    verdict : str
        "holds" or "fails"; for a false claim in print "refuted" or "fails"; for means and slopes "agrees",
        "disagrees" or "inconclusive"; else "no prediction".
    sees : str
        What makes the row able to fail: the change that would turn it red.
    """

    name: str
    kind: str
    claim: str
    cases: int
    worst: float | None
    low: float | None
    high: float | None
    verdict: str
    sees: str

    def cells(self) -> dict[str, str]:
        """Return the row as text, by heading."""
        worst = "not finite" if self.worst is None else f"{self.worst:.4g}"
        low, high = ("" if side is None else f"{side:.4g}" for side in (self.low, self.high))
        accepted = f"{low} .. {high}" if low or high else ""
        return {
            "name": self.name,
            "kind": self.kind,
            "claim": self.claim,
            "cases": str(self.cases),
            "worst": worst,
            "accepted": accepted,
            "verdict": self.verdict,
            "sees": self.sees,
        }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what this experiment can be told."""
    add = parser.add_argument
    add("statements", nargs="*", metavar="STATEMENT", help="labels such as V1 T4, or families such as V T")
    add("--deep", action="store_true", help="ten times as many cases")
    add(
        "--null",
        type=int,
        metavar="TIMES",
        help="how often a check of true statements would show a red row: so many synthetic checks",
    )


def run(
    options: Options, *, statements: Sequence[str] = (), deep: bool = False, null: int | None = None
) -> Result:
    """Hold statements against measurements.

    Parameters
    ----------
    options : Options
    statements : sequence of str
        Labels (``"T4"``) or families (``"T"``); all by default.
    deep : bool
        Ten times as many cases.
    null : int, optional
        Synthetic checks under the null, see docs/statistics.md; a note says how many showed a red row.

    Returns
    -------
    Result
        One row per claim; data ``worst``, ``low``, ``high`` (rows,), NaN for what is open.

    Raises
    ------
    ValueError
        For a label that no statement has, with the nearest one.
    """
    if deep and options.quick:
        raise ValueError("--deep, --quick: expected at most one of them; got both; leave one out")
    null = None if null is None else _checks.integer("--null", null, low=1)
    level = "quick" if options.quick else "deep" if deep else "full"
    asked = select(statements)
    chosen = [s for s in asked if not (options.quick and s.slow)] or asked
    shared = {"level": level, "seed": options.seed}
    cells = [{"label": s.label, "title": s.title} | shared for s in chosen]
    measured = run_cells(measure, cells, options)
    rows = [judge(s, cell["values"]) for s, cell in zip(chosen, measured, strict=True)]
    found = zip(rows, measured, strict=True)
    numbers = [[math.nan if x is None else x for x in (row.worst, row.low, row.high)] for row in rows]
    data = dict(zip(("worst", "low", "high"), np.array(numbers).T, strict=True))
    config = {"statements": list(statements)} | shared
    left = len(asked) - len(chosen)
    notes = [f"left out of a quick check: {left} exponents of long runs"] if left else []
    notes += [f"{row.name} {row.claim}: {cell['error']}" for row, cell in found if cell["error"]]
    if null is not None:
        pairs = [(s, cell["values"]) for s, cell in zip(chosen, measured, strict=True)]
        notes.append(false_alarms(pairs, null, options.seed))
    return Result("check", config, rows, data, notes)


def select(names: Sequence[str]) -> list[Statement]:
    """Return the statements with these labels, or of these families, in the order of their labels."""
    statements = sorted(STATEMENTS.values(), key=_place)
    labels = dict.fromkeys(s.label for s in statements)
    families = dict.fromkeys(label[0] for label in labels)
    wanted = {_checks.choice("statement", name, [*families, *labels]) for name in names}
    return [s for s in statements if not wanted or s.label in wanted or s.label[0] in wanted]


def _place(statement: Statement) -> tuple[int, int, str]:
    digits = re.search(r"\d+", statement.label)
    return FAMILIES.index(statement.label[0]), int(digits[0]) if digits else 0, statement.label


def measure(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure one cell: all cases of one statement; one that raises has no values and fails."""
    statement = STATEMENTS[cell["label"], cell["title"]]
    fewest = FEWEST_MEANS if statement.kind == "mean" else FEWEST
    cases = max(min(statement.cases, fewest), round(statement.cases * LEVELS[cell["level"]]))
    try:
        return {"values": statement.values(cell["seed"], cases), "error": ""}
    except Exception as error:  # whatever a broken part raises: the other rows are worth seeing
        return {"values": np.empty(0), "error": f"{type(error).__name__}: {error}"}


def judge(statement: Statement, values: FloatArray) -> Held:
    """Compare what was measured with what the statement accepts.

    Examples
    --------
    >>> [s] = select(["V9"])[:1]
    >>> judge(s, np.array([0.9])).verdict
    'no prediction'
    """
    low, high, kind = statement.low, statement.high, statement.kind
    if not values.size or (not np.isfinite(values).all() and kind in NOISY):
        worst, verdict = math.nan, "fails"
    elif kind in NOISY:
        worst, verdict = float(values.mean()), analysis.word_within(values, low, high)
    elif kind == "reference":
        worst, verdict = float(values[0]), "no prediction"
    else:
        extreme = np.min if kind in ("lower", "refuted") else np.max
        worst = float(extreme(values))
        good = "refuted" if kind == "refuted" else "holds"
        verdict = good if low <= worst <= high else "fails"
    return Held(
        name=statement.label,
        kind=kind,
        claim=statement.title,
        cases=values.size,
        worst=_finite(worst),
        low=_finite(low),
        high=_finite(high),
        verdict=verdict,
        sees=sight(statement, values),
    )


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None
