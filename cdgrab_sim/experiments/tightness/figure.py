"""The figure of ``cdgrab tightness``: a bar of slack for each bound."""

from __future__ import annotations

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.experiments.tightness import FAR, NEAR
from cdgrab_sim.plots import Axes

# slack up to this -> colour, hatch and what it is called
_CLASSES = (
    (NEAR, "#009E73", "", "within 10 of a known instance"),
    (FAR, "#E69F00", "///", "loose by more than 10"),
    (float("inf"), "#D55E00", "xxx", "loose by more than 100"),
)


def slack(result: Result, ax: Axes) -> None:
    """Draw how far each bound is from the instance that comes nearest, on a logarithmic axis."""
    low, rows = 0.0, result.rows
    for high, color, hatch, label in _CLASSES:
        at = [k for k, row in enumerate(rows) if low < row.slack <= high]
        lengths = [rows[k].slack for k in at]
        ax.barh(at, lengths, left=0.0, color=color, hatch=hatch, edgecolor="white", label=label, height=0.75)
        low = high
    for limit in (NEAR, FAR):
        ax.axvline(limit, color="0.6", linewidth=0.8)
    ax.set(xscale="log", xlim=(1.0, 2.0 * max(row.slack for row in rows)))
    ax.set_yticks(range(len(rows)), [f"{row.name}  {row.claim}" for row in rows], fontsize=4.0)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlabel("slack: bound / measured")
    ax.legend(loc="lower right", fontsize=5.5)


PANELS: tuple[Panel, ...] = (slack,)
