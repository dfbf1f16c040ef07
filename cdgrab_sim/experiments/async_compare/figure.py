"""The figure of ``cdgrab async compare``."""

from __future__ import annotations

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, dots_plot


def async_compare(result: Result, ax: Axes) -> None:
    """Draw the excess loss of each method beside that of the optimum of its effective law."""
    measured = result.arrays("excess ")
    dots_plot(measured, {name: result.data[f"law {name}"].mean() for name in measured}, ax)
    ax.axvline(result.data["easy only"].mean(), color="0.8", linewidth=1, zorder=0)
    ax.set(xscale="log")
    ax.set_xlabel("f − f* of the late average\n(ticks: optimum of its own law;\ngrey: no slow examples)")


PANELS: tuple[Panel, ...] = (async_compare,)
