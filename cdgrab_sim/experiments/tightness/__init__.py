"""How tight is each bound? The worst instance known, stored here and rerun, or searched for again."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from cdgrab_sim.experiments._cells import run_cells
from cdgrab_sim.experiments._experiment import Options, Result
from cdgrab_sim.experiments.tightness import (  # noqa: F401  (families register)
    exact,
    orders,
    published,
    runs,
    signs,
    terms,
)
from cdgrab_sim.experiments.tightness.bounds import BOUNDS, EVALUATIONS, Bound, search

STORED, SOLVED = files(__name__) / "instances.json", files(__name__) / "exact.json"
NEAR, FAR = 10.0, 100.0  # slack from which a bound is called loose, and very loose
SOLVER = 1e-4  # accuracy of a semidefinite program
SAME = 1e-6  # a stored instance comes out again to this share
FEWEST = 15  # bounds that have an instance within NEAR
ORDER = "VHRQTA"  # of the letters, as they are shown


@dataclass(frozen=True)
class Tight:
    """One line of the result: a bound and the instance that comes nearest to it.

    Attributes
    ----------
    name, claim : str
        The label of the statement, and which of its bounds.
    share : float
        Measured over the bound at that instance, of a lower bound the bound over what was measured.
    slack : float
        One over it: no constant of the bound can be lowered by more than this.
    reason : str
        Why it is loose, where it is by more than 10.
    instance : tuple of float
        The numbers in [0, 1] that make the instance; none where the exact worst case is known.
    verdict : str
        "fails" where the bound is exceeded, where the stored instance no longer gives the stored share, and
        where a loose bound has no reason; else "holds".
    """

    name: str
    claim: str
    share: float
    slack: float
    reason: str
    instance: tuple[float, ...]
    verdict: str

    def cells(self) -> dict[str, str]:
        """Return the row as text, by heading."""
        return {
            "name": self.name,
            "bound": self.claim,
            "measured / bound": f"{self.share:.4g}",
            "slack": f"{self.slack:.3g}",
            "why it is loose": self.reason if self.slack > NEAR else "",
            "verdict": self.verdict,
        }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what this experiment can be told."""
    what = f"look for worse instances again, {EVALUATIONS} evaluations for each bound"
    parser.add_argument("--search", action="store_true", help=what)


def stored() -> dict[str, dict[str, Any]]:
    """Return the instances that are shipped, by bound: their numbers, and the share that they reach."""
    found: dict[str, dict[str, Any]] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


def solved() -> dict[str, float]:
    """Return the exact worst cases that are shipped, by bound; see `exact`."""
    found: dict[str, float] = json.loads(SOLVED.read_text(encoding="utf-8"))
    return found


def measure(cell: dict[str, Any]) -> dict[str, Any]:
    """Measure one cell: the stored instance of a bound, or the one that a search finds."""
    one = BOUNDS[cell["key"]]
    if cell["search"]:
        numbers, share = search(one, cell["seed"])
        return {"numbers": numbers, "share": share}
    numbers = np.array(cell["numbers"])
    return {"numbers": numbers, "share": one.measure(numbers)}


def run(options: Options, *, search: bool = False) -> Result:
    """Show how near the worst known instance comes to each bound.

    Parameters
    ----------
    options : Options
    search : bool
        Look for instances again, instead of running the stored ones.

    Returns
    -------
    Result
        One row per bound; data ``slack`` (rows,), and the numbers of the instances by bound.
    """
    known = {} if search else stored()
    keys = sorted((key for key in BOUNDS if search or key in known), key=_place)
    cells = [
        {"key": key, "search": search, "seed": options.seed, "numbers": known.get(key, {}).get("numbers")}
        for key in keys
    ]
    found = run_cells(measure, cells, options)
    rows = [_judge(BOUNDS[key], one, known.get(key)) for key, one in zip(keys, found, strict=True)]
    rows += [_exact(key, value) for key, value in solved().items()]
    data = {row.name + " " + row.claim: np.array(row.instance) for row in rows}
    data["slack"] = np.array([row.slack for row in rows])
    config = {"search": search, "seed": options.seed, "evaluations": EVALUATIONS}
    return Result("tightness", config, rows, data, _notes(rows))


def keep(result: Result, path: Path) -> None:
    """Write the instances of a search where the next release ships them from."""
    table = {
        f"{row.name} {row.claim}": {"share": round(row.share, 12), "numbers": list(row.instance)}
        for row in result.rows
    }
    lines = [f"{json.dumps(key)}: {json.dumps(one)}" for key, one in table.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _place(key: str) -> tuple[int, int, str]:
    label = BOUNDS[key].label
    return ORDER.index(label[0]), int(label[1:]), key


def _judge(one: Bound, found: Mapping[str, Any], known: Mapping[str, Any] | None) -> Tight:
    share = float(found["share"])
    slack = 1.0 / share if share > 0.0 else float("inf")
    same = known is None or abs(share - known["share"]) <= SAME * known["share"]
    holds = share <= 1.0 + 1e-9 and same and (slack <= NEAR or bool(one.reason))
    return Tight(
        name=one.label,
        claim=one.claim,
        share=share,
        slack=slack,
        reason=one.reason,
        instance=tuple(float(x) for x in found["numbers"]),
        verdict="holds" if holds else "fails",
    )


def _exact(key: str, value: float) -> Tight:
    case = exact.CASES[key]
    share = value / case.bound
    slack = 1.0 / share
    holds = share <= 1.0 + SOLVER and (slack <= NEAR or bool(case.reason))
    claim = f"{case.what}: exact worst case"
    return Tight(case.label, claim, share, slack, case.reason, (), "holds" if holds else "fails")


def _notes(rows: list[Tight]) -> list[str]:
    found = [row for row in rows if row.instance]
    near = sum(row.slack <= NEAR for row in found)
    loose = [f"{row.name} {row.claim}" for row in rows if NEAR < row.slack <= FAR]
    very = [f"{row.name} {row.claim}" for row in rows if row.slack > FAR]
    return [
        f"{near} of {len(found)} bounds are within a factor {NEAR:g} of an instance that is known",
        f"loose by more than {NEAR:g}: {'; '.join(loose) or 'none'}",
        f"loose by more than {FAR:g}: {'; '.join(very) or 'none'}",
        f"{len(rows) - len(found)} exact worst cases, over all examples in any dimension, by a semidefinite",
        "program (PEPit 0.5.1 with SCS or Clarabel)",
        *(f"no known instance needs the term of {term}: {why}" for term, why in terms.UNNEEDED.items()),
        "G1 to G4b and V3 are equalities: they have no slack",
        "slack: one over the largest measured / bound; an instance found, not the worst that exists",
    ]
