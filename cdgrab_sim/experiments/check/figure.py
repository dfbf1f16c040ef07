"""The figure of ``cdgrab check``: how near bounds are come, published lines beside them."""

from __future__ import annotations

from typing import Any

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes

# kind of row -> what its ratio is, colour and marker; identities and exponents are no ratios
_RATIOS = {
    "upper": ("largest measured / upper bound", "#0072B2", "o"),
    "lower": ("smallest measured / lower bound", "#009E73", "s"),
    "refuted": ("smallest measured / false claim in print", "#CC79A7", "X"),
    "reference": ("published / proved here", "#D55E00", "D"),
}
_WIDTH, _ROW, _REST = 8.0, 0.15, 1.0  # inches: of the figure, of a row, of axis and legend


def check(result: Result, ax: Axes) -> None:
    """Draw every bound, and every published line over what is proved here, on a logarithmic axis."""
    rows = [row for row in result.rows if row.kind in _RATIOS and row.worst]
    for kind, (label, color, marker) in _RATIOS.items():
        at = [(row.worst, k) for k, row in enumerate(rows) if row.kind == kind]
        if at:
            ax.plot(*zip(*at, strict=True), marker, color=color, label=label, markersize=4)
    ax.axvline(1.0, color="0.6", linewidth=0.8)
    ax.set_xscale("log")
    figure: Any = ax.figure
    figure.set_size_inches(_WIDTH, _ROW * len(rows) + _REST)
    ax.set_yticks(range(len(rows)), [f"{row.name}  {row.claim}" for row in rows], fontsize=7)
    ax.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    ax.grid(axis="y", color="0.92", linewidth=0.5)
    ax.set_axisbelow(True)
    ax.set_xlabel("ratio")
    if rows:
        figure.legend(loc="outside upper right", ncols=3)


PANELS: tuple[Panel, ...] = (check,)
