"""The figure of ``cdgrab reproduce logistic``."""

from __future__ import annotations

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, look
from cdgrab_sim.plots._axes import legend_below, plain_ticks


def logistic(result: Result, ax: Axes) -> None:
    """Draw the error f - f_star over the epochs."""
    config = result.config
    for name in config["orderings"]:
        excess = result.data[f"excess {name}"].mean(axis=0)
        ax.plot(excess, label=name, markevery=5, **look(name), linewidth=1)
    ax.set(yscale="log", xlabel="epoch", ylabel="f − f*")
    plain_ticks(ax.yaxis)
    ax.set_title(
        f"breast cancer, m = {config['m']}, α = {config['alpha']:g}, momentum {config['momentum']:g}"
    )
    legend_below(ax)


PANELS: tuple[Panel, ...] = (logistic,)
