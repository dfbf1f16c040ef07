"""The figure of ``cdgrab spectrum``."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.experiments.spectrum.floors import STANDING, UPDATES
from cdgrab_sim.experiments.spectrum.orders import HIGH, ORDERINGS
from cdgrab_sim.plots import Axes, look, points_plot, spectrum_plot
from cdgrab_sim.plots._axes import legend_below

_FILLS = dict(zip(UPDATES, ("full", "none", "left"), strict=True))


def density(result: Result, ax: Axes, *, place: int) -> None:
    """Draw the density of each ordering on one number of workers, and what theory predicts."""
    data, sizes = result.data, result.config["orders"]
    m = sizes["m"][place]
    measured = {name: data[f"m={m} {name}"] for name in ORDERINGS}
    predicted = {name: data[f"m={m} {name} predicted"] for name in ORDERINGS}
    spectrum_plot(data["frequency"], measured, ax, predicted=predicted)
    ax.axvspan(2.0 / sizes["n"], HIGH, color="0.95", zorder=0)
    ax.set_title(f"static vectors, m = {m}, n = {sizes['n']}, d = {sizes['d']}; pale: theory")


def levels(result: Result, ax: Axes) -> None:
    """Draw the level at low frequencies against m."""
    x = result.config["orders"]["m"]
    names = [name for name in ORDERINGS if f"levels {name}" in result.data]
    points_plot(x, {name: result.data[f"levels {name}"] for name in names}, xlabel="workers m",
        ylabel="level of the density at low frequencies", ax=ax)  # fmt: skip
    for name in names:
        line = result.data[f"levels {name} predicted"]
        ax.plot(x, line, color=look(name)["color"], linewidth=4, alpha=0.25)
    ax.set_title("in the shaded range; pale: theory")


def floors(result: Result, ax: Axes) -> None:
    """Draw measured floors against those from the spectrum, for orders that repeat."""
    measured, predicted = (result.data[key].reshape(len(STANDING), -1) for key in ("measured", "predicted"))
    ends = np.array([0.7 * min(measured.min(), predicted.min()), 1.4 * max(measured.max(), predicted.max())])
    ax.plot(ends, ends, color="0.7", linewidth=1, zorder=0)
    for order, y, x in zip(STANDING, measured, predicted, strict=True):
        looks = look("flipflop" if order == "there and back" else order) | {"linestyle": "", "markersize": 7}
        for update, at, floor in zip(UPDATES, x, y, strict=True):
            ax.plot(at, floor, **looks, fillstyle=_FILLS[update], markerfacecoloralt="white")
        ax.plot([], [], **looks, label=order)
    for update in UPDATES:
        rest: dict[str, Any] = {
            "marker": "s",
            "linestyle": "",
            "markersize": 7,
            "markerfacecoloralt": "white",
        }
        ax.plot([], [], color="0.4", **rest, fillstyle=_FILLS[update], label=update)
    ax.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
    ax.set(xlabel="floor from the spectrum of the order", ylabel="measured floor (mean square over steps)")
    legend_below(ax, 3)
    ax.set_title("orders that repeat, m = {m}, n = {n}".format(**result.config["standing"]))


PANELS: tuple[Panel, ...] = (partial(density, place=0), partial(density, place=-1), levels, floors)
