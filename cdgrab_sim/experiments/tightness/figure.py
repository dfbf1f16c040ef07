"""The figure of ``cdgrab tightness``: a bar of slack for each bound."""

from __future__ import annotations

from functools import partial
from typing import Any

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.experiments.tightness import FAR, NEAR
from cdgrab_sim.plots import Axes

# slack up to this -> colour, hatch and what it is called
_CLASSES = (
    (NEAR, "#009E73", "", "within 10 of a known instance"),
    (FAR, "#E69F00", "///", "loose by more than 10"),
    (float("inf"), "#D55E00", "xxx", "loose by more than 100"),
)


def slack(result: Result, ax: Axes, *, letters: str, terms: bool = False) -> None:
    """Draw how far bounds, or their terms, are from the instances that come nearest, on a log axis."""
    low = 0.0
    rows = [row for row in result.rows if row.name[0] in letters and (": term in" in row.claim) == terms]
    for high, color, hatch, label in _CLASSES:
        at = [k for k, row in enumerate(rows) if low < row.slack <= high]
        if at:
            looks: dict[str, Any] = {"color": color, "hatch": hatch, "edgecolor": "white", "height": 0.75}
            ax.barh(at, [rows[k].slack - 1.0 for k in at], left=1.0, label=label, **looks)
        low = high
    for limit in (NEAR, FAR):
        ax.axvline(limit, color="0.6", linewidth=0.8)
    ax.set(xscale="log", xlim=(0.95, 2.0 * max([FAR, *(row.slack for row in rows)])))
    ax.set_yticks(range(len(rows)), [_name(row.name, row.claim) for row in rows], fontsize=4.5)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlabel("slack: bound / measured")
    ax.legend(loc="upper center", bbox_to_anchor=(0.2, -0.12), fontsize=5.5)


def _name(label: str, claim: str) -> str:
    """Shorten a claim to what fits beside the bars."""
    short = claim.replace("arXiv 2302.00845", "CD-GraB").replace(": exact worst case", ", exact")
    return f"{label}  {short if len(short) <= 72 else short[:71] + '…'}"


PANELS: tuple[Panel, ...] = (
    partial(slack, letters="VHRQ"),
    partial(slack, letters="TA"),
    partial(slack, letters="HT", terms=True),
)
