"""The figure of ``cdgrab discrepancy``."""

from __future__ import annotations

from matplotlib.axes import Axes

from cdgrab_sim.experiments._experiment import Result
from cdgrab_sim.plots._rate import points_plot
from cdgrab_sim.plots._style import look

LABELS = {"m": "workers m", "n": "vectors per worker n", "d": "dimension d"}


def discrepancy(result: Result, ax: Axes | None = None, *, variable: str = "m") -> Axes:
    """Draw the largest signed sums against m, n or d, and the bound of the self-balancing walk."""
    config, x = result.config, result.data[variable]
    names = config["rules"]
    ax = points_plot(
        x,
        {name: result.data[f"{variable} {name}"] for name in names},
        xlabel=LABELS[variable],
        ylabel="largest signed sum (2-norm)",
        ax=ax,
    )
    if "self-balancing" in names:
        limit, looks = result.data[f"{variable} self-balancing bound"], look("self-balancing")
        ax.plot(x, limit, color=looks["color"], linewidth=3, alpha=0.3, label="self-balancing, bound V6")
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncol=2)
    held = {letter: size for letter, size in config[variable].items() if letter != variable}
    ax.set_title("unit vectors, " + ", ".join(f"{letter} = {size}" for letter, size in held.items()))
    return ax
