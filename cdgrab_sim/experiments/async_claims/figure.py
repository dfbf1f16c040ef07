"""The figure of ``cdgrab async claims``."""

from __future__ import annotations

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, rate_plot
from cdgrab_sim.plots._axes import legend_below


def _against_m(result: Result, ax: Axes, kind: str, setting: str) -> None:
    rate_plot(
        result.data["m"],
        result.arrays(f"{kind}, {setting}: "),
        xlabel="workers m",
        ylabel="f − f* of the late average" if kind == "convex" else "mean square gradient",
        slopes=(-1.0,) if setting == "dependent times" else (),
        ax=ax,
    )
    legend_below(ax, columns=1)
    equal = "equal updates" if setting == "equal updates" else "equal time"
    ax.set_title(f"{kind}, slow examples matter, {equal}")


def parallel(result: Result, ax: Axes) -> None:
    """Draw tuned errors against m at equal simulated time."""
    _against_m(result, ax, "convex", "dependent times")


def steady(result: Result, ax: Axes) -> None:
    """Draw tuned errors against m at equal updates."""
    _against_m(result, ax, "convex", "equal updates")


PANELS: tuple[Panel, ...] = (parallel, steady)
