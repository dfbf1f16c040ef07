"""The figure of ``cdgrab reproduce workers``: our curves, the published ones as rings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import t_interval
from cdgrab_sim.experiments import reproduce_workers as experiment
from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, look
from cdgrab_sim.plots._axes import legend_below, rings, ticks_at


def workers_loss(result: Result, ax: Axes) -> None:
    """Draw the training loss less that of rr, epoch by epoch, at the largest m."""
    data, alpha = result.data, experiment.SHOWN
    ax.axhline(0.0, color=look("rr")["color"], linewidth=1, label="rr")
    for name in result.config["orderings"][1:]:
        gain = (data[f"loss {alpha:g} {name}"] - data[f"loss {alpha:g} rr"]).mean(axis=0)
        ax.plot(gain, label=name, **look(name), markevery=10, linewidth=1)
    clean = (data["clean cd-grab"] - data["clean rr"]).mean(axis=0)
    ax.plot(clean, color="0.4", linestyle=":", linewidth=1, label="cd-grab, no label redrawn")
    ax.set(xlabel="epoch", ylabel="training loss − that of rr")
    ax.set_title(f"digits, m = {result.config['m'][-1]}, α = {alpha:g}")
    legend_below(ax)


def workers_tail(result: Result, ax: Axes) -> None:
    """Draw the mean loss over the last epochs, over that of rr, against the step size, with intervals."""
    data, config = result.data, result.config
    alphas = config["alpha"]
    ax.axhline(1.0, color=look("rr")["color"], linewidth=1, label="rr")
    places = np.arange(len(alphas))  # a step size is a column, in which the orderings stand side by side
    for k, name in enumerate(config["orderings"][1:]):
        shares = [_tail_share(data[f"loss {a:g} {name}"], data[f"loss {a:g} rr"]) for a in alphas]
        _bars(ax, places + 0.15 * (k - 1), shares, label=name, **look(name) | {"linestyle": ""})
    own = [_tail_share(data["anew cd-grab"], data["anew rr"])]
    apart = look("cd-grab") | {"markerfacecolor": "white", "linestyle": ""}
    _bars(ax, [places[-1] + 0.3], own, label="cd-grab, labels of its own each seed", **apart)
    for place in places[1:]:
        ax.axvline(place - 0.5, color="0.85", linewidth=0.8, zorder=0)
    ax.set(
        xlabel="step size α",
        xlim=(-0.5, len(alphas) - 0.5),
        ylabel=f"mean loss of the last {experiment.TAIL} epochs / that of rr",
    )
    ax.set_xticks(places, [f"{alpha:g}" for alpha in alphas])
    ax.set_title(f"digits, m = {config['m'][-1]}; 95 % intervals over seeds")
    legend_below(ax)


def workers_sweep(result: Result, ax: Axes, *, quantity: str = "herding") -> None:
    """Draw herding errors or losses of the last epoch over those of rr, against m."""
    config, sizes = result.config, result.config["m"]
    figures: dict[str, Any] = {"herding": experiment.HERDING, "last": experiment.LOSS}
    figure = figures[quantity]
    label = {"herding": "herding error", "last": "training loss"}[quantity]
    base = result.data[f"{quantity} rr"].mean(axis=0)
    published: dict[str, dict[int, float]] = {}
    for name in config["orderings"][1:]:
        ax.plot(sizes, result.data[f"{quantity} {name}"].mean(axis=0) / base, label=name, **look(name))
        read = dict(zip(experiment.SIZES["m"], np.divide(figure[name], figure["rr"]), strict=True))
        published[name] = {m: read[m] for m in sizes}
    rings(ax, published, "published: LeNet, CIFAR-10")
    ax.set(xscale="log", xlabel="workers m", ylabel=f"last {label} / that of rr")
    ticks_at(ax, sizes)
    ax.set_title(f"digits, α = {experiment.SHOWN:g}")
    legend_below(ax)


def _tail_share(loss: FloatArray, base: FloatArray) -> tuple[float, float, float]:
    """Return the geometric mean over seeds and the ends of its 95 % interval."""
    logs = np.log(loss[:, -experiment.TAIL :].mean(axis=1) / base[:, -experiment.TAIL :].mean(axis=1))
    low, high = t_interval(logs)
    return float(np.exp(logs.mean())), float(np.exp(low)), float(np.exp(high))


def _bars(ax: Axes, x: ArrayLike, shares: Sequence[tuple[float, float, float]], **looks: Any) -> None:
    middle, low, high = np.array(shares).T
    ax.errorbar(x, middle, yerr=[middle - low, high - middle], linewidth=1, capsize=2, **looks)


PANELS: tuple[Panel, ...] = (
    workers_loss,
    workers_tail,
    workers_sweep,
    partial(workers_sweep, quantity="last"),
)
