"""The figure of ``cdgrab discrepancy``."""

from __future__ import annotations

from functools import partial
from typing import Any

from cdgrab_sim.experiments._cells import held, in_words
from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, look, points_plot
from cdgrab_sim.plots._axes import legend_below

LABELS = {"m": "workers m", "n": "vectors per worker n", "d": "dimension d"}


def discrepancy(result: Result, ax: Axes, *, variable: str = "m") -> None:
    """Draw the largest signed sums against m, n or d, and the bound of the self-balancing walk."""
    config, x = result.config, result.data[variable]
    names = config["rules"]
    points_plot(
        x,
        {name: result.data[f"{variable} {name}"] for name in names},
        xlabel=LABELS[variable],
        ylabel="largest signed sum (2-norm)",
        ax=ax,
    )
    if "self-balancing" in names:
        around: Any = ax.containers[names.index("self-balancing")][0]
        around.set(markerfacecolor="none", markersize=10)  # hilbert's sums are nearly as long
        limit, looks = result.data[f"{variable} self-balancing bound"], look("self-balancing")
        ax.plot(x, limit, color=looks["color"], linewidth=3, alpha=0.3, label="self-balancing, bound V6")
        legend_below(ax)
    ax.set_title("unit vectors, " + in_words(held(config[variable], variable)))


PANELS: tuple[Panel, ...] = tuple(partial(discrepancy, variable=variable) for variable in LABELS)
