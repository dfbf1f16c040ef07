"""Plots of arrays: every function takes ``ax=`` and returns it.

The figures of experiments are in their folders; :func:`cdgrab_sim.experiments.figure` draws them.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cdgrab_sim.plots._curves import loss_curves
from cdgrab_sim.plots._dots import dots_plot
from cdgrab_sim.plots._histogram import discrepancy_histogram
from cdgrab_sim.plots._map import regime_map
from cdgrab_sim.plots._orders import herding_profile, order_map, overview, prefix_walk
from cdgrab_sim.plots._rate import points_plot, rate_plot
from cdgrab_sim.plots._spectrum import spectrum_plot
from cdgrab_sim.plots._speedup import speedup_plot
from cdgrab_sim.plots._style import inline_svg, literal, look, save, style, together

__all__ = [
    "Axes",
    "Figure",
    "discrepancy_histogram",
    "dots_plot",
    "herding_profile",
    "inline_svg",
    "literal",
    "look",
    "loss_curves",
    "order_map",
    "overview",
    "points_plot",
    "prefix_walk",
    "rate_plot",
    "regime_map",
    "save",
    "spectrum_plot",
    "speedup_plot",
    "style",
    "together",
]


def __dir__() -> list[str]:
    return __all__
