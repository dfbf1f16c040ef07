"""The figure of ``cdgrab loaders``."""

from __future__ import annotations

import numpy as np

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, look
from cdgrab_sim.plots._axes import legend_below, plain_ticks, ticks_at

_LINES = {
    "sorted": ("#999999", "solid"),
    "buffer 64": ("#0072B2", (0, (5, 1, 1, 1))),
    "blocks 16": ("#CC79A7", (0, (5, 1))),
    "rr": ("#E69F00", (0, (4, 2))),
    "stratified 16": ("#009E73", (0, (1, 1))),
    "cd-grab": ("#D55E00", "solid"),
}


def profiles(result: Result, ax: Axes) -> None:
    """Draw the root mean square prefixes of orders of sorted data, step by step."""
    for name, (color, dashes) in _LINES.items():
        rms = np.sqrt(result.data[f"profile {name}"])
        ax.plot(result.data["k"][:-1], rms[:-1], color=color, linestyle=dashes, label=name)
    ax.set(
        xlabel="step k", ylabel="root mean square prefix, in units of rr's", yscale="log", ylim=(3e-2, None)
    )
    plain_ticks(ax.yaxis)
    ax.set_title(f"sorted data, n = {len(result.data['k'])}")
    legend_below(ax, columns=3)


def buffers(result: Result, ax: Axes) -> None:
    """Draw the mean-square prefix against the size of the buffer, and what other orders have."""
    data = result.data
    ax.plot(data["buffers"], data["law"], color="#0072B2", label="buffer, closed form")
    sizes = {"sorted": 1, "buffer 16": 16, "buffer 64": 64}
    means = [data[f"ratio {name}"].mean() for name in sizes]
    ax.plot([*sizes.values()], means, color="#0072B2", marker="^", linestyle="", label="buffer, measured")
    for name in ("blocks 16", "corgipile 4 x 16", "stratified 16", "cd-grab"):
        color, dashes = _LINES.get(name, ("0.3", (0, (3, 1, 1, 1))))
        ax.axhline(data[f"ratio {name}"].mean(), color=color, linestyle=dashes, linewidth=1.2, label=name)
    ax.axhline(1.0, color=look("rr")["color"], linestyle=(0, (4, 2)), linewidth=1.2, label="rr")
    ax.set(xscale="log", yscale="log", xlabel="examples B in the buffer", ylabel="mean-square prefix / rr's")
    ticks_at(ax, data["buffers"])
    ax.set_title("what a buffer repairs")
    legend_below(ax)


PANELS: tuple[Panel, ...] = (profiles, buffers)
