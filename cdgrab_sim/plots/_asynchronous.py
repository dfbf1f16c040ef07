"""The figures of ``cdgrab async``."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._experiment import Result
from cdgrab_sim.plots._rate import new_axes

_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
_LOOKS: dict[str, tuple[str, Any]] = {"fixed": ("o", "solid"), "exponential": ("^", (0, (4, 2)))}


def async_stability(result: Result, ax: Axes | None = None) -> Axes:
    """Draw stationary variances against the step size; lines are the predictions."""
    ax = new_axes(ax)
    fraction = result.data["fraction"]
    for times in result.config["times"]:
        marker, line = _LOOKS[times]
        for color, m in zip(cycle(_COLORS), result.config["m"], strict=False):
            name = f"{times} m={m}"
            means = result.data[f"variance {name}"].mean(axis=0)
            ax.plot(fraction, result.data[f"predicted {name}"], color=color, linestyle=line, linewidth=1)
            ax.plot(fraction, means, color=color, marker=marker, linestyle="", label=f"{times}, m = {m}")
    ax.set(yscale="log", ylabel="variance / noise of a step")
    ax.set_xlabel("step size / largest stable step\n(lines: predicted)")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncol=2)
    return ax


def async_bias(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the share of the slow class in training, by method, beside its prediction."""
    rows = [row for row in result.rows if row.quantity.startswith("share of the slow class")]
    rows = list({row.name: row for row in reversed(rows)}.values())[::-1]  # exact laws come first
    values = {row.name: result.data[f"share {row.name}"] for row in rows}
    ax = _by_method(values, {row.name: row.predicted for row in rows}, ax)
    ax.axvline(result.config["share"][-1], color="0.8", linewidth=1, zorder=0)
    ax.set_xlabel("share of the slow class in training\n(ticks: predicted;\ngrey: the share of the data)")
    return ax


def async_compare(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the excess loss of each method beside that of the optimum of its effective law."""
    names = [key.removeprefix("excess ") for key in result.data if key.startswith("excess ")]
    measured = {name: result.data[f"excess {name}"] for name in names}
    ax = _by_method(measured, {name: result.data[f"law {name}"].mean() for name in names}, ax)
    ax.axvline(result.data["easy only"].mean(), color="0.8", linewidth=1, zorder=0)
    ax.set(xscale="log")
    ax.set_xlabel("f − f* of the late average\n(ticks: optimum of its own law;\ngrey: no slow examples)")
    return ax


def _by_method(
    values: Mapping[str, FloatArray], predicted: Mapping[str, float | None], ax: Axes | None
) -> Axes:
    """Draw one line per method: seeds as dots, the prediction as a vertical tick."""
    ax = new_axes(ax)
    for k, (name, seeds) in enumerate(values.items()):
        ax.plot(seeds, np.full(len(seeds), k), color=_COLORS[0], marker="o", linestyle="", alpha=0.6)
        promise = predicted[name]
        if promise is not None:
            ax.plot([promise], [k], color="black", marker="|", markersize=12, linestyle="")
    ax.set_yticks(range(len(values)), list(values))
    ax.invert_yaxis()
    return ax
