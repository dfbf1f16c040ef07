"""The figure of ``cdgrab async bias``."""

from __future__ import annotations

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, dots_plot
from cdgrab_sim.plots._axes import legend_below


def async_bias(result: Result, ax: Axes) -> None:
    """Draw the share of the slow class in training, by method, beside its prediction."""
    rows = [row for row in result.rows if row.quantity.startswith("share of the slow class")]
    rows = list({row.name: row for row in reversed(rows)}.values())[::-1]  # exact laws come first
    values = {row.name: result.data[f"share {row.name}"] for row in rows}
    dots_plot(values, {row.name: row.predicted for row in rows}, ax)
    share = result.config["share"][-1]
    ax.axvline(share, color="0.7", linewidth=1, zorder=0, label="share in the data")
    ax.set_xlabel("share of the slow class in training")
    legend_below(ax, columns=1)  # labels of rows leave little room


PANELS: tuple[Panel, ...] = (async_bias,)
