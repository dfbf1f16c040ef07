"""The figure of ``cdgrab check``: how near bounds are come, published lines beside them."""

from __future__ import annotations

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes

# kind of row -> what its ratio is, colour and marker; identities and exponents are no ratios
_RATIOS = {
    "upper": ("largest measured / upper bound", "#0072B2", "o"),
    "lower": ("smallest measured / lower bound", "#009E73", "s"),
    "refuted": ("smallest measured / false claim in print", "#CC79A7", "X"),
    "reference": ("published / proved here", "#D55E00", "D"),
}


def check(result: Result, ax: Axes) -> None:
    """Draw every bound, and every published line over what is proved here, on a logarithmic axis."""
    rows = [row for row in result.rows if row.kind in _RATIOS and row.worst]
    for kind, (label, color, marker) in _RATIOS.items():
        at = [(row.worst, k) for k, row in enumerate(rows) if row.kind == kind]
        if at:
            ax.plot(*zip(*at, strict=True), marker, color=color, label=label, markersize=3)
    ax.axvline(1.0, color="0.6", linewidth=0.8)
    ax.set_xscale("log")
    ax.set_yticks(range(len(rows)), [f"{row.name}  {row.claim}" for row in rows], fontsize=3.5)
    ax.set_ylim(len(rows), -1)
    ax.set_xlabel("ratio")
    if rows:
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, fontsize=5.5)


PANELS: tuple[Panel, ...] = (check,)
