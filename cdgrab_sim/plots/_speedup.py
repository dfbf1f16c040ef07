"""The figure of ``cdgrab speedup``."""

from __future__ import annotations

from matplotlib.axes import Axes

from cdgrab_sim.experiments._experiment import Result
from cdgrab_sim.plots._rate import rate_plot


def speedup(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the floors against m."""
    floors = {name.removeprefix("floor "): a for name, a in result.data.items() if name.startswith("floor ")}
    config = result.config
    ax = rate_plot(
        result.data["m"],
        floors,
        xlabel="workers m",
        ylabel="f − f*, fixed step size",
        slopes=sorted({row.predicted for row in result.rows if row.predicted is not None}, reverse=True),
        ax=ax,
    )
    ax.set_title(
        f"{config['problem']}, κ = {config['kappa']:g}, n = {config['n']}, d = {config['d']}, "
        f"αnL = {config['alpha_n_L']:g}, T = {config['epochs']}"
    )
    return ax
