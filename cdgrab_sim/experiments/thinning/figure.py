"""The figure of ``cdgrab thinning``."""

from __future__ import annotations

from cdgrab_sim.experiments._cells import in_words
from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, points_plot, rate_plot


def coresets(result: Result, ax: Axes) -> None:
    """Draw the MMD of coresets against their size."""
    config = result.config
    rate_plot(
        result.data["sizes"],
        {name: result.data[f"mmd {name}"] for name in config["methods"]},
        xlabel="points s of the coreset, of $s^2$",
        ylabel="MMD to all points",
        slopes=(-0.5, -1.0),
        ax=ax,
    )
    ax.set_title(f"normal points, d = {config['d']}, Gaussian kernel of scale {config['scale']:g}")


def sketches(result: Result, ax: Axes) -> None:
    """Draw the herding error of orders from sketches over that from whole gradients."""
    sizes = result.config["sketches"]
    points_plot(
        result.data["k"],
        result.arrays("ratio "),
        xlabel="numbers k kept of each gradient",
        ylabel="herding error / that of whole gradients",
        ax=ax,
    )
    ax.axhline(1.0, color="0.6", linewidth=0.8, zorder=0)
    ax.set_title("cd-grab from sketches, " + in_words({x: sizes[x] for x in ("m", "n", "d", "rank")}))


PANELS: tuple[Panel, ...] = (coresets, sketches)
