"""The figure of ``cdgrab speedup``."""

from __future__ import annotations

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, literal, points_plot, rate_plot


def speedup(result: Result, ax: Axes) -> None:
    """Draw the floors against m; the tuned errors where the data are real."""
    if "data" in result.config:
        _real_data(result, ax)
        return
    config = result.config
    rate_plot(
        result.data["m"],
        result.arrays("floor "),
        xlabel="workers m",
        ylabel="f − f*, fixed step size",
        slopes=sorted({row.predicted for row in result.rows if row.predicted is not None}, reverse=True),
        ax=ax,
    )
    stock = f", κ = {config['kappa']:g}, d = {config['d']}" if "kappa" in config else ""
    sizes = f"n = {config['n']}, αnL = {config['alpha_n_L']:g}, T = {config['epochs']}"
    ax.set_title(f"{literal(config['problem'])}{stock}, {sizes}")


def _real_data(result: Result, ax: Axes) -> None:
    config = result.config
    errors = result.arrays("error ")
    points_plot(result.data["m"], errors, xlabel="workers m", ylabel="f − f*, step size tuned", ax=ax)
    ax.set_title(
        f"{literal(config['data'])}: {config['loss']}, ridge {config['ridge']:g}, "
        f"n = {config['n']}, T = {config['epochs']}"
    )


PANELS: tuple[Panel, ...] = (speedup,)
