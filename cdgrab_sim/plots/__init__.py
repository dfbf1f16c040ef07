"""Figures: every function takes ``ax=`` and returns it; `FIGURES` has one for each experiment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cdgrab_sim.experiments._experiment import Result
from cdgrab_sim.plots import _centralized, _rates, _regimes
from cdgrab_sim.plots._asynchronous import async_bias, async_compare, async_stability
from cdgrab_sim.plots._check import check
from cdgrab_sim.plots._cost import cost
from cdgrab_sim.plots._curves import loss_curves
from cdgrab_sim.plots._discrepancy import discrepancy
from cdgrab_sim.plots._herding import herding
from cdgrab_sim.plots._histogram import discrepancy_histogram
from cdgrab_sim.plots._limits import floors, many_epochs, tuned
from cdgrab_sim.plots._map import regime_map
from cdgrab_sim.plots._orders import herding_profile, order_map, overview, prefix_walk
from cdgrab_sim.plots._rate import points_plot, rate_plot
from cdgrab_sim.plots._reproduce import (
    herding_curves,
    herding_plateaus,
    logistic,
    step_size,
    workers_loss,
    workers_sweep,
    workers_tail,
)
from cdgrab_sim.plots._speedup import speedup, speedup_plot
from cdgrab_sim.plots._style import inline_svg, look, save, style

# The panels of each experiment's figure, from left to right and from top to bottom.
FIGURES: dict[str, tuple[Callable[..., Axes], ...]] = {
    "async bias": (async_bias,),
    "async compare": (async_compare,),
    "async stability": (async_stability,),
    "centralized": (_centralized.steps, _centralized.errors),
    "check": (check,),
    "cost": (cost,),
    "discrepancy": tuple(partial(discrepancy, variable=variable) for variable in ("m", "n", "d")),
    "herding": (partial(herding, variable="m"), partial(herding, variable="n")),
    "rates": tuple(panel for panels in _rates.PANELS.values() for panel in panels),
    "regimes": (
        *(partial(_regimes.plane, at=k) for k in range(3)),
        _regimes.workers,
        _regimes.gain,
        _regimes.transient,
    ),
    "limits": (floors, many_epochs, tuned),
    "reproduce herding": (herding_curves, herding_plateaus),
    "reproduce logistic": (logistic,),
    "reproduce step-size": (step_size,),
    "reproduce workers": (
        workers_loss,
        workers_tail,
        workers_sweep,
        partial(workers_sweep, quantity="last"),
    ),
    "speedup": (speedup,),
}
_COLUMNS = 2

__all__ = [
    "FIGURES",
    "async_bias",
    "async_compare",
    "async_stability",
    "check",
    "cost",
    "discrepancy",
    "discrepancy_histogram",
    "figure",
    "herding",
    "herding_profile",
    "inline_svg",
    "look",
    "loss_curves",
    "order_map",
    "overview",
    "points_plot",
    "prefix_walk",
    "rate_plot",
    "regime_map",
    "save",
    "speedup",
    "speedup_plot",
    "style",
]


def figure(result: Result) -> Figure:
    """Return the figure of an experiment's result, in the shipped style."""
    panels = FIGURES[result.experiment]
    if result.experiment == "rates":  # the only experiment that can leave parts out
        panels = tuple(
            panel for part in _rates.PANELS if part in result.config["parts"] for panel in _rates.PANELS[part]
        )
    with style():
        width, height = mpl.rcParams["figure.figsize"]
        columns = min(_COLUMNS, len(panels))
        rows = -(-len(panels) // columns)
        drawn = Figure(figsize=(width * columns, height * rows))
        for k, panel in enumerate(panels):
            panel(result, ax=drawn.add_subplot(rows, columns, k + 1))
    return drawn
