"""The figure of ``cdgrab cost``."""

from __future__ import annotations

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, literal, look
from cdgrab_sim.plots._axes import legend_below, ticks_at


def cost(result: Result, ax: Axes) -> None:
    """Draw the modelled time of an epoch over that of rr, against m."""
    sizes = result.config["model"]
    for name, seconds in result.arrays("model ").items():
        share = seconds / result.data["model rr"]
        ax.plot(sizes["m"], share, label=literal(name), **look(name), linewidth=1)
    ax.set(xscale="log", xlabel="workers m", ylabel="modelled time of an epoch / that of rr")
    ticks_at(ax, sizes["m"])
    network = result.config["network"]
    ax.set_title(
        f"d = {sizes['d']}, n = {sizes['n']}, latency {1e6 * network['latency']:g} µs, "
        f"{8e-9 * network['bandwidth']:g} Gbit/s"
    )
    legend_below(ax)


PANELS: tuple[Panel, ...] = (cost,)
