"""The panels of ``cdgrab regimes``."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from cdgrab_sim.experiments._experiment import Result
from cdgrab_sim.experiments._regimes._gain import CASES
from cdgrab_sim.experiments._regimes._map import REGIMES
from cdgrab_sim.plots._map import regime_map
from cdgrab_sim.plots._rate import new_axes, points_plot, rate_plot


def plane(result: Result, ax: Axes | None = None, *, at: int = 0) -> Axes:
    """Draw the map for one n: colour and upper number measured, lower number and hatching from the bound."""
    data = result.data
    ax = regime_map(
        data["map m"],
        data["map T"],
        data["map measured"][at].mean(axis=-1),
        predicted=data["map predicted"][at],
        regimes=data["map regime"][at][:, 1:],
        names=REGIMES,
        ax=ax,
    )
    ax.set_title(f"cd-grab: exponent in m, measured (bound's); n = {data['map n'][at]}")
    return ax


def transient(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the epochs until the first orders are forgotten, and how many are promised at most."""
    ax, data = new_axes(ax), result.data
    n = data["transient n"]
    for key, style in (("epochs", "o-"), ("promised", "s:")):
        color = "#D55E00" if key == "epochs" else "0.4"
        label = "cd-grab, mean over seeds" if key == "epochs" else "log2((H₀ − A) / A), rounded up"
        ax.plot(n, data[f"transient {key}"].mean(axis=0), style, color=color, label=label)
    ax.set(xscale="log", xlabel="examples per worker n", ylabel="epochs until H ≤ 2A", ylim=(0.0, None))
    ax.set_xticks(n, [str(size) for size in n])
    ax.minorticks_off()
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16))
    ax.set_title(f"the first orders are forgotten, m = {result.config['transient']['m']}")
    return ax


def gain(result: Result, ax: Axes | None = None) -> Axes:
    """Draw how far rr's floor lies above cd-grab's, against the step size."""
    ax, gains = new_axes(ax), result.config["gain"]
    for case in CASES:
        name = case if case == "skewed" else f"quadratic, {case}"
        x, table = result.data[f"gain alpha n L {case}"], result.data[f"gain {case}"]
        points_plot(x, {name: table}, xlabel="step size αnL", ylabel="floor of rr / floor of cd-grab", ax=ax)
    ax.axhline(1.0, color="0.6", linewidth=0.8)
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    few, many = ("m = {m}, n = {n}".format_map(gains[f"{which} examples"]) for which in ("few", "many"))
    ax.set_title(f"rr on quadratics; few: {few}; others: {many}")
    return ax


def workers(result: Result, ax: Axes | None = None) -> Axes:
    """Draw floors of rr against m where shards or orders are the same."""
    data, tables = result.data, {}
    for shards in ("own", "copies"):
        prefix = f"workers {shards} "
        for name in (key.removeprefix(prefix) for key in data if key.startswith(prefix)):
            tables[f"{name}; {shards}"] = data[f"{prefix}{name}"]
    m = data["workers m"]
    ax = rate_plot(m, tables, xlabel="workers m", ylabel="f − f*, fixed step size", slopes=[-1.0], ax=ax)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncol=1)
    ax.set_title("the same orders on copies of one shard gain nothing")
    return ax
