"""Figures: every function takes ``ax=`` and returns it; `FIGURES` has one for each experiment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cdgrab_sim.experiments._experiment import Result
from cdgrab_sim.plots._asynchronous import async_bias, async_compare, async_stability
from cdgrab_sim.plots._check import check
from cdgrab_sim.plots._discrepancy import discrepancy
from cdgrab_sim.plots._herding import herding
from cdgrab_sim.plots._rate import rate_plot
from cdgrab_sim.plots._speedup import speedup
from cdgrab_sim.plots._style import look, save, style

# The panels of each experiment's figure, from left to right.
FIGURES: dict[str, tuple[Callable[..., Axes], ...]] = {
    "async bias": (async_bias,),
    "async compare": (async_compare,),
    "async stability": (async_stability,),
    "check": (check,),
    "discrepancy": tuple(partial(discrepancy, variable=variable) for variable in ("m", "n", "d")),
    "herding": (partial(herding, variable="m"), partial(herding, variable="n")),
    "speedup": (speedup,),
}

__all__ = [
    "FIGURES",
    "async_bias",
    "async_compare",
    "async_stability",
    "check",
    "discrepancy",
    "figure",
    "herding",
    "look",
    "rate_plot",
    "save",
    "speedup",
    "style",
]


def figure(result: Result) -> Figure:
    """Return the figure of an experiment's result, in the shipped style."""
    panels = FIGURES[result.experiment]
    with style():
        width, height = mpl.rcParams["figure.figsize"]
        drawn = Figure(figsize=(width * len(panels), height))
        for k, panel in enumerate(panels):
            panel(result, ax=drawn.add_subplot(1, len(panels), k + 1))
    return drawn
