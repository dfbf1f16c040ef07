"""The figure of ``cdgrab reproduce herding``: our curves, the published ones as rings."""

from __future__ import annotations

import numpy as np

from cdgrab_sim.experiments import reproduce_herding as experiment
from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, look, points_plot
from cdgrab_sim.plots._axes import legend_below, plain_ticks, rings


def herding_curves(result: Result, ax: Axes, *, at: int = -1) -> None:
    """Draw the herding error of vectors that do not move, round by round, for one of the sizes."""
    m, config = int(result.data["m"][at]), result.config
    published: dict[str, dict[int, float]] = {}
    for name in config["orderings"]:
        mean = result.data[f"m{m} {name}"].mean(axis=0)
        ax.plot(mean, label=name, **look(name), linewidth=1)
        readings = experiment.FIGURE.get((m, name), ())
        published[name] = {t: r for t, r in zip(experiment.AT, readings, strict=False) if t < len(mean)}
    rings(ax, published, "published figure")
    ax.set(yscale="log", xlabel="round", ylabel="parallel herding error\n(inf-norm, not divided by m)")
    plain_ticks(ax.yaxis)
    ax.set_title(f"m = {m}, n = {config['N'] // m}, d = {config['d']}")
    legend_below(ax)


def herding_plateaus(result: Result, ax: Axes) -> None:
    """Draw the herding error after the last round against m, at the same number of vectors in all."""
    config, sizes = result.config, result.data["m"]
    last = {n: np.stack([result.data[f"m{m} {n}"][:, -1] for m in sizes], 1) for n in config["orderings"]}
    label = f"error after round {config['rounds']}"
    place = experiment.AT.index(config["rounds"])
    published = {
        name: {m: read[place] for (m, o), read in experiment.FIGURE.items() if o == name and m in sizes}
        for name in config["orderings"]
    }
    rings(ax, published, "published figure")
    points_plot(sizes, last, xlabel="workers m", ylabel=label, ax=ax)
    ax.set_title(f"N = m n = {config['N']}, d = {config['d']}")


PANELS: tuple[Panel, ...] = (herding_curves, herding_plateaus)
