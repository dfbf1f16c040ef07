"""The figure of ``cdgrab centralized``."""

from __future__ import annotations

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.experiments.rates.figure import accuracies
from cdgrab_sim.plots import Axes, look, points_plot, rate_plot
from cdgrab_sim.plots._axes import legend_below


def steps(result: Result, ax: Axes) -> None:
    """Draw the sequential steps to accuracy against m, and the line of the centralized ordering."""
    config = result.config
    rate_plot(
        result.data["m"],
        {name: result.data[f"steps {name}"] for name in config["distributed"]},
        xlabel="workers m",
        ylabel="sequential steps K to accuracy",
        slopes=[-1.0],
        ax=ax,
    )
    style = look("grab") | {"marker": ""}
    ax.axhline(result.data["steps grab"].mean(), **style, label="grab, one worker")
    legend_below(ax)
    ax.set_title(f"N = m n = {config['N']}; {accuracies(config['steps']['accuracy'])}")


def errors(result: Result, ax: Axes) -> None:
    """Draw the tuned errors after a fixed number of epochs against m, and what prefixes say."""
    config = result.config
    points_plot(
        result.data["m"],
        {name: result.data[f"error {name}"] for name in config["distributed"]},
        xlabel="workers m",
        ylabel="f − f*, step size tuned",
        ax=ax,
    )
    for name in config["distributed"]:
        error, prefix, step = (result.data[f"{key} {name}"] for key in ("error", "prefix", "step"))
        share = (prefix * step**2).mean(axis=0)
        expected = error[:, -1].mean() * share / share[-1]
        ax.plot(result.data["m"], expected, color="0.4", linestyle=":", linewidth=1.5)
    ax.plot([], [], color="0.4", linestyle=":", label="∝ (αμnT)² mean |S_k|²")
    legend_below(ax)
    problem = config["problem"]
    ax.set_title(f"N = m n = {config['N']}, T = {config['errors']['T']}; skewed, κ = {problem['kappa']:g}")


PANELS: tuple[Panel, ...] = (steps, errors)
