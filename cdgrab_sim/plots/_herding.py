"""The figure of ``cdgrab herding``."""

from __future__ import annotations

from matplotlib.axes import Axes

from cdgrab_sim.experiments._experiment import Result
from cdgrab_sim.plots._rate import rate_plot


def herding(result: Result, ax: Axes | None = None, *, variable: str = "m") -> Axes:
    """Draw the plateaus of the herding error against m or n."""
    config = result.config
    names = config["orderings"]
    rows = [row for row in result.rows if row.quantity.endswith(f"in {variable}")]
    ax = rate_plot(
        result.data[variable],
        {name: result.data[f"{variable} {name}"] for name in names},
        xlabel={"m": "workers m", "n": "examples per worker n"}[variable],
        ylabel="parallel herding error\n(inf-norm, not divided by m)",
        slopes=sorted({row.predicted for row in rows if row.predicted}, reverse=True),
        ax=ax,
    )
    held = {letter: size for letter, size in config[variable].items() if letter != variable}
    ax.set_title(
        f"unit-sphere vectors, d = {config['d']}, "
        + ", ".join(f"{letter} = {size}" for letter, size in held.items())
    )
    return ax
