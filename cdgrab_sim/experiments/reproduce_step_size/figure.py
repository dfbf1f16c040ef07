"""The figure of ``cdgrab reproduce step-size``: our ratios, the published ones as rings."""

from __future__ import annotations

import numpy as np

from cdgrab_sim.experiments import reproduce_step_size as experiment
from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, look
from cdgrab_sim.plots._axes import legend_below, rings, ticks_at


def step_size(result: Result, ax: Axes) -> None:
    """Draw the last training loss of cd-grab over that of rr against the step size."""
    alphas = result.config["alpha"]
    shares = result.data["loss cd-grab"].mean(axis=0) / result.data["loss rr"].mean(axis=0)
    ax.plot(alphas, shares, label="cd-grab", **look("cd-grab"))
    published = np.divide(experiment.PUBLISHED["cd-grab"], experiment.PUBLISHED["rr"])
    rings(ax, {"cd-grab": dict(zip(alphas, published, strict=True))}, "published: LeNet, CIFAR-10, α / 100")
    ax.set(xscale="log", xlabel="step size α", ylabel="last training loss / that of rr")
    ticks_at(ax, alphas)
    ax.set_title(f"digits, m = {result.config['m']}, T = {result.config['epochs']}")
    legend_below(ax)


PANELS: tuple[Panel, ...] = (step_size,)
