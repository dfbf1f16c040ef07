"""The figure of ``cdgrab cost``."""

from __future__ import annotations

from matplotlib.axes import Axes

from cdgrab_sim.experiments._experiment import Result
from cdgrab_sim.plots._rate import legend_below, new_axes, ticks_at
from cdgrab_sim.plots._style import look


def cost(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the modelled time of an epoch over that of rr, against m."""
    ax, sizes = new_axes(ax), result.config["model"]
    for name in result.config["orderings"]:
        share = result.data[f"model {name}"] / result.data["model rr"]
        ax.plot(sizes["m"], share, label=name, **look(name), linewidth=1)
    ax.set(xscale="log", xlabel="workers m", ylabel="modelled time of an epoch / that of rr")
    ticks_at(ax, sizes["m"])
    network = result.config["network"]
    ax.set_title(
        f"d = {sizes['d']}, n = {sizes['n']}, latency {1e6 * network['latency']:g} µs, "
        f"{8e-9 * network['bandwidth']:g} Gbit/s"
    )
    legend_below(ax)
    return ax
