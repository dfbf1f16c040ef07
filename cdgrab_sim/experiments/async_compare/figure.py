"""The figure of ``cdgrab async compare``."""

from __future__ import annotations

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, dots_plot
from cdgrab_sim.plots._axes import legend_below


def async_compare(result: Result, ax: Axes) -> None:
    """Draw the excess loss of each method beside that of the optimum of its effective law."""
    measured = result.arrays("excess ")
    laws = {name: result.data[f"law {name}"].mean() for name in measured}
    dots_plot(measured, laws, ax, label="optimum of its own law")
    ax.axvline(result.data["easy only"].mean(), color="0.7", linewidth=1, zorder=0, label="no slow examples")
    ax.set(xscale="log", xlabel="f − f* of the late average")
    legend_below(ax, columns=1)  # labels of rows leave little room


PANELS: tuple[Panel, ...] = (async_compare,)
