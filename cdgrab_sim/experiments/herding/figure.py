"""The figure of ``cdgrab herding``."""

from __future__ import annotations

from functools import partial

from cdgrab_sim.experiments._cells import held, in_words
from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, rate_plot


def herding(result: Result, ax: Axes, *, variable: str = "m") -> None:
    """Draw the plateaus of the herding error against m or n."""
    config = result.config
    names = config["orderings"]
    rows = [row for row in result.rows if row.quantity.endswith(f"in {variable}")]
    rate_plot(
        result.data[variable],
        {name: result.data[f"{variable} {name}"] for name in names},
        xlabel={"m": "workers m", "n": "examples per worker n"}[variable],
        ylabel="parallel herding error\n(inf-norm, not divided by m)",
        slopes=sorted({row.predicted for row in rows if row.predicted}, reverse=True),
        ax=ax,
    )
    ax.set_title(f"unit-sphere vectors, d = {config['d']}, " + in_words(held(config[variable], variable)))


PANELS: tuple[Panel, ...] = tuple(partial(herding, variable=variable) for variable in ("m", "n"))
