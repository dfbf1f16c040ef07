"""The figure of ``cdgrab regimes``."""

from __future__ import annotations

from functools import partial
from typing import Any

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.experiments.regimes.gain import CASES
from cdgrab_sim.experiments.regimes.map import REGIMES
from cdgrab_sim.plots import Axes, points_plot, rate_plot, regime_map
from cdgrab_sim.plots._axes import legend_below, round_ticks


def plane(result: Result, ax: Axes, *, at: int = 0) -> None:
    """Draw the map for one n: colour and upper number measured, lower number and hatching from the bound."""
    data = result.data
    regime_map(
        data["map m"],
        data["map T"],
        data["map measured"][at].mean(axis=-1),
        predicted=data["map predicted"][at],
        regimes=data["map regime"][at][:, 1:],
        names=REGIMES,
        ax=ax,
    )
    ax.set_title(f"cd-grab: exponent in m, measured (bound's); n = {data['map n'][at]}")


def transient(result: Result, ax: Axes) -> None:
    """Draw the epochs until the first orders are forgotten, and how many are promised at most."""
    data = result.data
    n = data["transient n"]
    for key, style in (("epochs", "o-"), ("promised", "s:")):
        color = "#D55E00" if key == "epochs" else "0.4"
        label = "cd-grab, mean over seeds" if key == "epochs" else "log2((H₀ − A) / A), rounded up"
        ax.plot(n, data[f"transient {key}"].mean(axis=0), style, color=color, label=label)
    ax.set(xscale="log", xlabel="examples per worker n", ylabel="epochs until H ≤ 2A", ylim=(0.0, None))
    ax.set_xticks(n, [str(size) for size in n])
    ax.minorticks_off()
    legend_below(ax, columns=1)
    ax.set_title(f"the first orders are forgotten, m = {result.config['transient']['m']}")


def gain(result: Result, ax: Axes) -> None:
    """Draw how far rr's floor lies above cd-grab's, against the step size."""
    gains = result.config["gain"]
    for case in CASES:
        name = case if case == "skewed" else f"quadratic, {case}"
        x, table = result.data[f"gain alpha n L {case}"], result.data[f"gain {case}"]
        points_plot(x, {name: table}, xlabel="step size αnL", ylabel="floor of rr / floor of cd-grab", ax=ax)
    ax.axhline(1.0, color="0.6", linewidth=0.8)
    round_ticks(ax)
    few, many = ("m = {m}, n = {n}".format_map(gains[f"{which} examples"]) for which in ("few", "many"))
    ax.set_title(f"rr on quadratics; few: {few}; others: {many}")


def workers(result: Result, ax: Axes) -> None:
    """Draw floors of rr against m where shards or orders are the same."""
    data, tables = result.data, dict[str, Any]()
    for shards, what in (("own", "own shards"), ("copies", "copies of one shard")):
        own = result.arrays(f"workers {shards} ")
        tables |= {f"{name}, {what}": table for name, table in own.items()}
    m = data["workers m"]
    rate_plot(m, tables, xlabel="workers m", ylabel="f − f*, fixed step size", slopes=[-1.0], ax=ax)
    for size, container in zip((13.0, 9.0, 5.0), ax.containers, strict=False):  # three that coincide
        around: Any = container[0]
        around.set(markerfacecolor="none", markersize=size)
    legend_below(ax, columns=1)
    ax.set_title("the same orders on copies of one shard gain nothing")


PANELS: tuple[Panel, ...] = (*(partial(plane, at=k) for k in range(3)), workers, gain, transient)
