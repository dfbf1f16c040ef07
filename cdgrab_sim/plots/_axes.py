"""Axes: where they come from, where their ticks and legends are, and rings around published numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, LogFormatter, LogLocator, NullLocator

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray
from cdgrab_sim.plots._style import look

_RING: Any = {"s": 70, "facecolors": "none", "linewidths": 1, "zorder": 3}
_STEEPEST = 100.0


def new_axes(ax: Axes | None) -> Axes:
    """Return `ax`, or the axes of a new figure that no global state knows."""
    return Figure().add_subplot() if ax is None else _checks.instance("ax", ax, Axes, "Axes of matplotlib")


def tables_at(
    x: str, at: Any, name: str, values: Any, *, positive: bool = False
) -> tuple[dict[str, FloatArray], FloatArray]:
    """Return tables (seeds, K) by name and what they stand at (K,), for logarithmic axes."""
    places, tables = _checks.floats(x, at, 1), _checks.by_name(name, values, 2, ends=positive)
    for key, table in tables.items():
        if table.shape[1] != len(places) or (positive and not (table > 0.0).all()):
            raise ValueError(
                f"{name}[{key!r}]: expected numbers{positive * ' > 0'} of shape (seeds, {len(places)}), "
                f"one for each {x}; got numbers from {table.min():g} on, of shape {table.shape}"
            )
    if not (places > 0.0).all():
        raise ValueError(f"{x}: expected numbers > 0 for a logarithmic axis; got {places.min():g}")
    return tables, places


def exponents(name: str, given: Any) -> FloatArray:
    """Return the exponents of lines that fit on a page."""
    found = _checks.some(name, given)
    if (np.abs(found) > _STEEPEST).any():
        raise ValueError(f"{name}: expected exponents of at most {_STEEPEST:g}; got {np.abs(found).max():g}")
    return found


def ticks_at(ax: Axes, x: Sequence[float] | FloatArray) -> None:
    """Put the ticks of the x axis where the measurements are."""
    ax.xaxis.set_major_locator(FixedLocator(sorted(set(x))))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter("{x:g}")


def round_ticks(ax: Axes) -> None:
    """Put the ticks of a logarithmic x axis at 1, 2 and 5 times powers of ten."""
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))


def legend_below(ax: Axes, columns: int = 2) -> None:
    """Put the legend under the axes, where no curve is; its title stays."""
    old = ax.get_legend()
    title = old.get_title().get_text() if old else ""
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncol=columns, title=title, title_fontsize=8)


def log_axes(ax: Axes, x: Sequence[float] | FloatArray, xlabel: str, ylabel: str) -> None:
    """Make both axes logarithmic, with ticks at `x`, and put the legend below."""
    ax.set(
        xscale="log",
        yscale="log",
        xlabel=_checks.text("xlabel", xlabel),
        ylabel=_checks.text("ylabel", ylabel),
    )
    ticks_at(ax, x)
    plain_ticks(ax.yaxis)
    legend_below(ax)


def plain_ticks(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers, 6 and not 6 x 10^0, where they are short."""
    low, high = axis.get_view_interval()
    if low > 1e-3 and high < 1e4:
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(_Plain(labelOnlyBase=False, minor_thresholds=(2, 0.5)))


def rings(ax: Axes, readings: Mapping[str, Mapping[int, float]], label: str) -> None:
    """Mark readings of a published figure, by ordering and place on the x axis; the legend has `label`."""
    for name, one in readings.items():
        x, y, looks = list(one), list(one.values()), look(name)
        ax.plot(x, y, **looks | {"marker": ""}, linewidth=0.6, alpha=0.6)  # whose they are, in grey too
        ax.scatter(x, y, edgecolors=looks["color"], **_RING)
    ax.scatter([], [], edgecolors="0.3", label=label, **_RING)


class _Plain(LogFormatter):
    """Labels some minor ticks, as its parent does, in plain numbers where the parent writes 6e-02."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return the label of one tick."""
        return f"{x:g}" if super().__call__(x, pos) else ""
