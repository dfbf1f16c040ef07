"""The figure of ``cdgrab gossip``: disagreement, floors against the spectral gap, messages."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdgrab_sim import graphs
from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.experiments.gossip.messages import NAMES
from cdgrab_sim.plots import Axes, points_plot


def disagreement(result: Result, ax: Axes) -> None:
    """Draw how far workers are apart against the step size, and lines through what is predicted."""
    x = result.config["disagreement"]["alpha_L"]
    points_plot(x, result.arrays("apart "), xlabel="α L", ylabel="mean |x_i − x̄|²", ax=ax)
    for exact in result.arrays("exact ").values():
        ax.plot(x, exact.mean(axis=0), color="0.4", linewidth=1, linestyle="dotted")
    ax.set_title(f"rr on quadratic, m = {result.config['m']}, n = {result.config['n']}; dotted: exact")


def floors(result: Result, ax: Axes) -> None:
    """Draw the floors of the mean iterate against the spectral gap, and lines through what is predicted."""
    gap, names = result.data["gap"].round(3), result.config["orderings"]
    values = {name: result.data[f"floor {name}"] for name in names}
    points_plot(gap, values, xlabel="spectral gap", ylabel="f − f* at the mean, fixed step size", ax=ax)
    dotted: dict[str, Any] = {"color": "0.4", "linewidth": 1, "linestyle": "dotted"}
    for name in names:
        ax.plot(gap, result.data[f"predicted {name}"].mean(axis=0), **dotted)
    called = [f"{place:g}\n{name}" for place, name in zip(gap, result.config["graphs"], strict=True)]
    ax.set_xticks(gap, called)
    ax.set_title(f"skewed, m = {result.config['m']}, n = {result.config['n']}; dotted: from the prefixes")


def workers(result: Result, ax: Axes) -> None:
    """Draw floors against m on one graph."""
    values = {name: result.data[f"workers {name}"] for name in result.config["orderings"]}
    points_plot(
        result.data["workers"],
        values,
        xlabel="workers m",
        ylabel="f − f* at the mean, fixed step size",
        ax=ax,
    )
    ax.set_title(f"skewed on a {result.config['workers']['graph']}, n = {result.config['n']}")


def messages(result: Result, ax: Axes) -> None:
    """Draw the vectors that all workers send to reach the accuracy against the spectral gap."""
    gap = [round(graphs.make(name, result.config["m"]).gap, 3) for name in result.config["graphs"]]
    values = {name: result.data[f"messages {name}"] for name in NAMES}
    known = {name: table for name, table in values.items() if np.isfinite(table).all()}
    points_plot(gap, known, xlabel="spectral gap", ylabel="vectors sent to accuracy", ax=ax)
    accuracy = result.config["messages"]["accuracy"]["others"]
    ax.set_title(f"f − f* ≤ {accuracy:g}, m = {result.config['m']}, step size tuned")


PANELS: dict[str, tuple[Panel, ...]] = {
    "disagreement": (disagreement,),
    "floors": (floors,),
    "workers": (workers,),
    "messages": (messages,),
}
