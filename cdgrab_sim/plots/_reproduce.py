"""The figures of ``cdgrab reproduce``: our curves, and what was read from the published ones as rings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import t_interval
from cdgrab_sim.experiments import _reproduce_herding as vectors
from cdgrab_sim.experiments import _reproduce_step_size as steps
from cdgrab_sim.experiments import _reproduce_workers as workers
from cdgrab_sim.experiments._experiment import Result
from cdgrab_sim.plots._rate import legend_below, new_axes, points_plot, ticks_at
from cdgrab_sim.plots._style import look


def rings(ax: Axes, name: str, readings: Mapping[int, float]) -> None:
    """Mark readings of a published figure, by place on the x axis, in the colour of their ordering."""
    x, y = list(readings), list(readings.values())
    ax.scatter(x, y, s=70, facecolors="none", edgecolors=look(name)["color"], linewidths=1, zorder=3)


def herding_curves(result: Result, ax: Axes | None = None, *, at: int = -1) -> Axes:
    """Draw the herding error of vectors that do not move, round by round, for one of the sizes."""
    ax, m, config = new_axes(ax), int(result.data["m"][at]), result.config
    for name in config["orderings"]:
        mean = result.data[f"m{m} {name}"].mean(axis=0)
        ax.plot(mean, label=name, **look(name), linewidth=1)
        readings = vectors.FIGURE.get((m, name), ())
        rings(ax, name, {t: r for t, r in zip(vectors.AT, readings, strict=False) if t < len(mean)})
    ax.set(yscale="log", xlabel="round", ylabel="parallel herding error (inf-norm, not divided by m)")
    ax.set_title(f"m = {m}, n = {config['N'] // m}, d = {config['d']}; rings: published figure")
    legend_below(ax)
    return ax


def herding_plateaus(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the herding error after the last round against m, at the same number of vectors in all."""
    config, sizes = result.config, result.data["m"]
    last = {n: np.stack([result.data[f"m{m} {n}"][:, -1] for m in sizes], 1) for n in config["orderings"]}
    label = f"error after round {config['rounds']}"
    ax = points_plot(sizes, last, xlabel="workers m", ylabel=label, ax=ax)
    place = vectors.AT.index(config["rounds"])
    for name in config["orderings"]:
        figure = {m: readings[place] for (m, o), readings in vectors.FIGURE.items() if o == name}
        rings(ax, name, {m: reading for m, reading in figure.items() if m in sizes})
    ax.set_title(f"N = m n = {config['N']}, d = {config['d']}; rings: published figure")
    return ax


def workers_loss(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the training loss less that of rr, epoch by epoch, at the largest m."""
    ax, data, alpha = new_axes(ax), result.data, workers.SHOWN
    ax.axhline(0.0, color=look("rr")["color"], linewidth=1, label="rr")
    for name in result.config["orderings"][1:]:
        gain = (data[f"loss {alpha:g} {name}"] - data[f"loss {alpha:g} rr"]).mean(axis=0)
        ax.plot(gain, label=name, **look(name), markevery=10, linewidth=1)
    clean = (data["clean cd-grab"] - data["clean rr"]).mean(axis=0)
    ax.plot(clean, color="0.6", linewidth=1, label="cd-grab, no label redrawn")
    ax.set(xlabel="epoch", ylabel="training loss − that of rr")
    ax.set_title(f"digits, m = {result.config['m'][-1]}, α = {alpha:g}")
    legend_below(ax)
    return ax


def workers_sweep(result: Result, ax: Axes | None = None, *, quantity: str = "herding") -> Axes:
    """Draw herding errors or losses of the last epoch over those of rr, against m."""
    ax, config, sizes = new_axes(ax), result.config, result.config["m"]
    figures: dict[str, Any] = {"herding": workers.HERDING, "last": workers.LOSS}
    figure = figures[quantity]
    label = {"herding": "herding error", "last": "training loss"}[quantity]
    base = result.data[f"{quantity} rr"].mean(axis=0)
    for name in config["orderings"][1:]:
        ax.plot(sizes, result.data[f"{quantity} {name}"].mean(axis=0) / base, label=name, **look(name))
        published = dict(zip(workers.SIZES["m"], np.divide(figure[name], figure["rr"]), strict=True))
        rings(ax, name, {m: published[m] for m in sizes})
    ax.set(xscale="log", xlabel="workers m", ylabel=f"last {label} / that of rr")
    ticks_at(ax, sizes)
    ax.set_title(f"digits, α = {workers.SHOWN:g}; rings: LeNet on CIFAR-10")
    legend_below(ax)
    return ax


def workers_tail(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the mean loss over the last epochs, over that of rr, against the step size, with intervals."""
    ax, data, config = new_axes(ax), result.data, result.config
    alphas = config["alpha"]
    ax.axhline(1.0, color=look("rr")["color"], linewidth=1, label="rr")
    for k, name in enumerate(config["orderings"][1:]):
        shares = [_tail_share(data[f"loss {a:g} {name}"], data[f"loss {a:g} rr"]) for a in alphas]
        _bars(ax, np.array(alphas) * 1.06 ** (k - 1), shares, label=name, **look(name))
    own = [_tail_share(data["anew cd-grab"], data["anew rr"])]
    apart = look("cd-grab") | {"markerfacecolor": "white", "linestyle": ""}
    _bars(ax, [alphas[-1] * 1.2], own, label="cd-grab, labels of its own each seed", **apart)
    ax.set(
        xscale="log", xlabel="step size α", ylabel=f"mean loss of the last {workers.TAIL} epochs / that of rr"
    )
    ticks_at(ax, alphas)
    ax.set_title(f"digits, m = {config['m'][-1]}; 95 % intervals over seeds")
    legend_below(ax)
    return ax


def _tail_share(loss: FloatArray, base: FloatArray) -> tuple[float, float, float]:
    """Return the geometric mean over seeds and the ends of its 95 % interval."""
    logs = np.log(loss[:, -workers.TAIL :].mean(axis=1) / base[:, -workers.TAIL :].mean(axis=1))
    low, high = t_interval(logs)
    return float(np.exp(logs.mean())), float(np.exp(low)), float(np.exp(high))


def _bars(ax: Axes, x: ArrayLike, shares: Sequence[tuple[float, float, float]], **looks: Any) -> None:
    middle, low, high = np.array(shares).T
    ax.errorbar(x, middle, yerr=[middle - low, high - middle], linewidth=1, capsize=2, **looks)


def logistic(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the error f - f_star over the epochs."""
    ax, config = new_axes(ax), result.config
    for name in config["orderings"]:
        excess = result.data[f"excess {name}"].mean(axis=0)
        ax.plot(excess, label=name, markevery=5, **look(name), linewidth=1)
    ax.set(yscale="log", xlabel="epoch", ylabel="f − f*")
    ax.set_title(
        f"breast cancer, m = {config['m']}, α = {config['alpha']:g}, momentum {config['momentum']:g}"
    )
    legend_below(ax)
    return ax


def step_size(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the last training loss of cd-grab over that of rr against the step size."""
    ax, alphas = new_axes(ax), result.config["alpha"]
    shares = result.data["loss cd-grab"].mean(axis=0) / result.data["loss rr"].mean(axis=0)
    ax.plot(alphas, shares, label="cd-grab", **look("cd-grab"))
    rings(
        ax,
        "cd-grab",
        dict(zip(alphas, np.divide(steps.PUBLISHED["cd-grab"], steps.PUBLISHED["rr"]), strict=True)),
    )
    ax.set(xscale="log", xlabel="step size α", ylabel="last training loss / that of rr")
    ticks_at(ax, alphas)
    ax.set_title(f"digits, m = {result.config['m']}; rings: LeNet on CIFAR-10, α / 100")
    legend_below(ax)
    return ax
