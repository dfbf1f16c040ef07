"""Figures: every function takes ``ax=`` and returns it; `FIGURES` has one for each experiment."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cdgrab_sim.experiments._experiment import Result
from cdgrab_sim.plots._rate import rate_plot
from cdgrab_sim.plots._speedup import speedup
from cdgrab_sim.plots._style import look, save, style

FIGURES: dict[str, Callable[[Result, Axes | None], Axes]] = {
    "speedup": speedup,
}

__all__ = ["FIGURES", "figure", "look", "rate_plot", "save", "speedup", "style"]


def figure(result: Result) -> Figure:
    """Return the figure of an experiment's result, in the shipped style."""
    with style():
        drawn = Figure()
        FIGURES[result.experiment](result, drawn.add_subplot())
    return drawn
