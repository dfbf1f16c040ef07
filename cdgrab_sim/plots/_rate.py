"""Rate plots: what was measured, the fitted line with its band, and the slope that theory predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import rate, t_interval
from cdgrab_sim.plots._axes import log_axes, new_axes
from cdgrab_sim.plots._style import literal, look


def rate_plot(
    x: Sequence[float] | FloatArray,
    values: Mapping[str, FloatArray],
    *,
    xlabel: str,
    ylabel: str,
    slopes: Sequence[float] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw quantities against `x` on logarithmic axes.

    Points are arithmetic means over seeds; lines are the mean of the per-seed log-log fits with their 95 %
    band; grey triangles show the slopes that theory predicts.

    Parameters
    ----------
    x : sequence (K,)
    values : mapping of name to array (seeds, K)
    xlabel, ylabel : str
    slopes : sequence of float
        One triangle each.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = rate_plot([1, 2, 4], {"rr": np.array([[4.0, 2.0, 1.0]] * 3)}, xlabel="m", ylabel="loss")
    >>> ax.get_xscale()
    'log'
    """
    ax = new_axes(ax)
    x = np.asarray(x, dtype=np.float64)
    for name, table in values.items():
        looks = look(name)
        fit = rate(x, table)
        line, low, high = fit.predict(x)
        ax.fill_between(x, low, high, color=looks["color"], alpha=0.15, linewidth=0)
        ax.plot(x, line, color=looks["color"], linestyle=looks["linestyle"], linewidth=1)
        label = f"{literal(name)}  (slope {fit.slope:.2f})"
        ax.plot(
            x, table.mean(axis=0), color=looks["color"], marker=looks["marker"], linestyle="", label=label
        )
    log_axes(ax, x, xlabel, ylabel)
    _triangles(ax, slopes)
    return ax


def points_plot(
    x: Sequence[float] | FloatArray,
    values: Mapping[str, FloatArray],
    *,
    xlabel: str,
    ylabel: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw quantities against `x` on logarithmic axes, with no claim about a power law.

    Points are arithmetic means over seeds; bars are their 95 % t-intervals in the logarithm.

    Parameters
    ----------
    x : sequence (K,)
    values : mapping of name to array (seeds, K)
    xlabel, ylabel : str
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = points_plot([1, 2], {"rr": np.array([[4.0, 2.0], [6.0, 2.0]])}, xlabel="m", ylabel="loss")
    >>> ax.containers[0].lines[0].get_ydata().tolist()
    [5.0, 2.0]
    """
    ax = new_axes(ax)
    x = np.asarray(x, dtype=np.float64)
    for name, table in values.items():
        means = table.mean(axis=0)
        ends = np.exp([t_interval(column) for column in np.log(table).T])
        bars = (
            np.abs(ends.T - np.exp(np.log(table).mean(axis=0))) * means / np.exp(np.log(table).mean(axis=0))
        )
        ax.errorbar(x, means, yerr=bars, **look(name), linewidth=1, capsize=2, label=literal(name))
    log_axes(ax, x, xlabel, ylabel)
    return ax


def _triangles(ax: Axes, slopes: Sequence[float]) -> None:
    """Draw grey slope triangles at the bottom, on the side that lines of such slopes leave free."""
    (x_low, x_high), (y_low, y_high) = ax.get_xlim(), ax.get_ylim()
    width = (x_high / x_low) ** 0.12
    base = y_low / (y_high / y_low) ** 0.04
    for k, slope in enumerate(slopes):
        place = 0.05 + 0.22 * k if slope < 0.0 else 0.76 - 0.22 * k
        left = x_low * (x_high / x_low) ** place
        right, top = left * width, base * width ** abs(slope)
        ax.fill([left, right, left if slope < 0.0 else right], [base, base, top], color="0.75", linewidth=0)
        ax.annotate(f"{slope:g}", (right, base), (3, 0), textcoords="offset points", color="0.4", fontsize=8)
    ax.set(xlim=(x_low, x_high), ylim=(base / (y_high / y_low) ** 0.04 if slopes else y_low, y_high))
