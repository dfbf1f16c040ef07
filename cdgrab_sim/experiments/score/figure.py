"""The figures of ``cdgrab score``."""

from __future__ import annotations

from functools import partial

from cdgrab_sim.experiments._experiment import Result
from cdgrab_sim.experiments.score.compared import NEITHER, pairs
from cdgrab_sim.plots import Axes, literal, look, rate_plot
from cdgrab_sim.plots._axes import legend_below, plain_ticks


def against(result: Result, ax: Axes, *, key: str, at: str, xlabel: str, ylabel: str, title: str) -> Axes:
    """Draw one quantity of all orderings against a size."""
    names = [name for name in result.config["orderings"] if f"{key}|{name}" in result.data]
    values = {name: result.data[f"{key}|{name}"] for name in names}
    rate_plot(result.data[at], values, xlabel=xlabel, ylabel=ylabel, ax=ax)
    ax.set_title(title)
    return ax


def gains(result: Result, ax: Axes) -> Axes:
    """Draw all ratios to the other orderings, those that may be chance open."""
    subject, *others = result.config["orderings"]
    words = {row.quantity: row.verdict for row in result.rows if row.name == subject}
    groups = dict.fromkeys(group for other in others for group in pairs(result.data, subject, other).groups)
    place = {group: k for k, group in enumerate(groups)}
    for o, other in enumerate(others):
        found, looks = pairs(result.data, subject, other), look(other)
        shift = 0.24 * (o - (len(others) - 1) / 2)
        style = {
            "marker": looks["marker"],
            "markeredgecolor": looks["color"],
            "linestyle": "",
            "markersize": 5,
        }
        for group, problem, logs in zip(found.groups, found.problems, found.logs.mean(axis=1), strict=True):
            chance = words[f"{group}, {problem}, over {other}"] == NEITHER
            fill = "none" if chance else looks["color"]
            ax.plot([2.718281828459045**logs], [place[group] + shift], markerfacecolor=fill, **style)
        ax.plot([], [], markerfacecolor=looks["color"], label=f"over {literal(other)}", **style)
    ax.plot([], [], "o", markerfacecolor="none", markeredgecolor="0.5", label="may be chance")
    ax.axvline(1.0, color="0.6", linewidth=0.8)
    ax.set(xscale="log", xlabel=f"{literal(subject)} / other; left of 1: ahead")
    ax.set_yticks(range(len(place)), [group.replace(", ", ",\n") for group in place], fontsize=7)
    ax.invert_yaxis()
    plain_ticks(ax.xaxis)
    legend_below(ax)
    return ax


PANELS = (
    gains,
    partial(
        against, key="herding error|largest m", at="herding error m", xlabel="workers m",
        ylabel="herding error", title="vectors that stand still",
    ),
    partial(
        against, key="floor, workers alike|skewed", at="floor m", xlabel="workers m",
        ylabel="floor f − f*", title="fixed step, skewed",
    ),
    partial(
        against, key="tuned error, workers alike|logistic", at="tuned error, workers alike m",
        xlabel="workers m", ylabel="tuned f − f*", title="best step, logistic",
    ),
)  # fmt: skip
