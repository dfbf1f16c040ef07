"""The figure of ``cdgrab reproduce memory``."""

from __future__ import annotations

import numpy as np

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, look
from cdgrab_sim.plots._axes import legend_below

_HATCHES = ("", "///", "...", "\\\\\\")


def memory(result: Result, ax: Axes) -> None:
    """Draw the model-sized arrays of each ordering, on one worker and on several."""
    names, m = result.config["orderings"], result.data["m"]
    for k, name in enumerate(names):
        held = result.data[f"held {name}"]
        at = np.arange(len(m)) + 0.2 * (k - (len(names) - 1) / 2)
        hatch = _HATCHES[k % len(_HATCHES)]  # for readers in grey
        bars = ax.bar(at, held, width=0.18, color=look(name)["color"], edgecolor="w", hatch=hatch, label=name)
        ax.bar_label(bars, [f"{value:.0f}" for value in held], fontsize=6)
    ax.set_xticks(range(len(m)), [f"m = {size}" for size in m])
    ax.set_ylabel("arrays of d floats, all machines")
    legend_below(ax)


PANELS: tuple[Panel, ...] = (memory,)
