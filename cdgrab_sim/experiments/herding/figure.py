"""The figure of ``cdgrab herding``."""

from __future__ import annotations

from functools import partial

from cdgrab_sim.experiments._cells import held, in_words
from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, literal, look, points_plot, rate_plot
from cdgrab_sim.plots._axes import legend_below

_ERROR = "parallel herding error\n(inf-norm, not divided by m)"


def herding(result: Result, ax: Axes, *, variable: str = "m") -> None:
    """Draw the plateaus of the herding error against m or n."""
    config = result.config
    if "vectors" in config:
        (_workers if variable == "m" else _rounds)(result, ax)
        return
    names = config["orderings"]
    rows = [row for row in result.rows if row.quantity.endswith(f"in {variable}")]
    rate_plot(
        result.data[variable],
        {name: result.data[f"{variable} {name}"] for name in names},
        xlabel={"m": "workers m", "n": "examples per worker n"}[variable],
        ylabel=_ERROR,
        slopes=sorted({row.predicted for row in rows if row.predicted}, reverse=True),
        ax=ax,
    )
    ax.set_title(f"unit-sphere vectors, d = {config['d']}, " + in_words(held(config[variable], variable)))


def _workers(result: Result, ax: Axes) -> None:
    """Draw the plateaus of the user's vectors against the number of workers that take part."""
    config = result.config
    tables = {name: result.data[f"m {name}"] for name in config["orderings"]}
    plot = rate_plot if len(config["m"]) > 1 else points_plot
    plot(result.data["m"], tables, xlabel="workers m, the first of the file", ylabel=_ERROR, ax=ax)
    ax.set_title(f"{literal(config['vectors'])}: n = {config['n']}, d = {config['d']}")


def _rounds(result: Result, ax: Axes) -> None:
    """Draw the errors of the user's vectors round by round, the mean over seeds."""
    config = result.config
    for name in config["orderings"]:
        ax.plot(result.data[f"rounds {name}"].mean(axis=0), label=literal(name), **look(name), linewidth=1)
    ax.set(xlabel="round", ylabel=_ERROR, ylim=(0.0, None))
    ax.set_title(f"{literal(config['vectors'])}: m = {config['m'][-1]}, n = {config['n']}")
    legend_below(ax)


PANELS: tuple[Panel, ...] = tuple(partial(herding, variable=variable) for variable in ("m", "n"))
