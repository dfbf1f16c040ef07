"""Axes: where they come from, where their ticks and legends are, and rings around published numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, LogFormatter, LogLocator, NullLocator

from cdgrab_sim._types import FloatArray
from cdgrab_sim.plots._style import look


def new_axes(ax: Axes | None) -> Axes:
    """Return `ax`, or the axes of a new figure that no global state knows."""
    return Figure().add_subplot() if ax is None else ax


def ticks_at(ax: Axes, x: Sequence[float] | FloatArray) -> None:
    """Put the ticks of the x axis where the measurements are."""
    ax.xaxis.set_major_locator(FixedLocator(sorted(set(x))))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter("{x:g}")


def round_ticks(ax: Axes) -> None:
    """Put the ticks of a logarithmic x axis at 1, 2 and 5 times powers of ten."""
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))


def legend_below(ax: Axes, columns: int = 2) -> None:
    """Put the legend under the axes, where no curve is."""
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncol=columns)


def log_axes(ax: Axes, x: Sequence[float] | FloatArray, xlabel: str, ylabel: str) -> None:
    """Make both axes logarithmic, with ticks at `x`, and put the legend below."""
    ax.set(xscale="log", yscale="log", xlabel=xlabel, ylabel=ylabel)
    ticks_at(ax, x)
    if ax.get_ylim()[0] > 1e-3 and ax.get_ylim()[1] < 1e4:  # plain numbers where they are short
        ax.yaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_minor_formatter(_Plain(labelOnlyBase=False, minor_thresholds=(2, 0.5)))
    legend_below(ax)


def rings(ax: Axes, name: str, readings: Mapping[int, float]) -> None:
    """Mark readings of a published figure, by place on the x axis, in the colour of their ordering."""
    x, y = list(readings), list(readings.values())
    ax.scatter(x, y, s=70, facecolors="none", edgecolors=look(name)["color"], linewidths=1, zorder=3)


class _Plain(LogFormatter):
    """Labels some minor ticks, as its parent does, in plain numbers where the parent writes 6e-02."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return the label of one tick."""
        return f"{x:g}" if super().__call__(x, pos) else ""
