"""The figure of ``cdgrab reproduce series``: the loss over the epochs, and over that of rr."""

from __future__ import annotations

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, look
from cdgrab_sim.plots._axes import legend_below


def forecasts_loss(result: Result, ax: Axes) -> None:
    """Draw the SMAPE at the step size that is best for rr."""
    config = result.config
    for name in config["orderings"]:
        curve = result.data[f"loss {name}"][config["best"]].mean(axis=0)
        ax.plot(curve, label=name, markevery=10, **look(name), linewidth=1)
    ax.set(yscale="log", xlabel="epoch", ylabel="SMAPE (training)")
    ax.set_title(f"generated series, m = {config['m']}, α = {config['alpha'][config['best']]:g}")
    legend_below(ax)


def forecasts_gain(result: Result, ax: Axes) -> None:
    """Draw the SMAPE of cd-grab over that of rr, seed by seed."""
    best = result.config["best"]
    shares = result.data["loss cd-grab"][best] / result.data["loss rr"][best]
    ax.axhline(1.0, color=look("rr")["color"], linestyle=look("rr")["linestyle"], linewidth=1.5, label="rr")
    for k, share in enumerate(shares):
        label = "cd-grab, one line for each seed" if k == 0 else None
        ax.plot(share, color=look("cd-grab")["color"], linewidth=0.8, alpha=0.7, label=label)
    ax.set(xlabel="epoch", ylabel="SMAPE / that of rr")
    legend_below(ax)


PANELS: tuple[Panel, ...] = (forecasts_loss, forecasts_gain)
