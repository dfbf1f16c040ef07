"""The figure of ``cdgrab async stability``."""

from __future__ import annotations

from itertools import cycle
from typing import Any

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes
from cdgrab_sim.plots._axes import legend_below, plain_ticks

_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
_LOOKS: dict[str, tuple[str, Any]] = {"fixed": ("osDX", "solid"), "exponential": ("^v<P", (0, (4, 2)))}


def async_stability(result: Result, ax: Axes) -> None:
    """Draw stationary variances against the step size; lines are the predictions."""
    fraction = result.data["fraction"]
    for times in result.config["times"]:
        markers, line = _LOOKS[times]
        for color, marker, m in zip(cycle(_COLORS), cycle(markers), result.config["m"], strict=False):
            name = f"{times} m={m}"
            means = result.data[f"variance {name}"].mean(axis=0)
            ax.plot(fraction, result.data[f"predicted {name}"], color=color, linestyle=line, linewidth=1)
            ax.plot(fraction, means, color=color, marker=marker, linestyle="", label=f"{times}, m = {m}")
    ax.plot([], [], color="0.4", linewidth=1, label="predicted")
    ax.set(yscale="log", ylabel="variance / noise of a step", xlabel="step size / largest stable step")
    plain_ticks(ax.yaxis)
    legend_below(ax)


PANELS: tuple[Panel, ...] = (async_stability,)
