"""Rate plots: what was measured, the fitted line with its band, and the slope that theory predicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import measurable, rate, t_interval
from cdgrab_sim.plots._axes import exponents, log_axes, new_axes, tables_at
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

    Points are geometric means over seeds with 95 % intervals, lines the mean of the log-log fits of all
    seeds with their 95 % band: both are means of logarithms. The legend has the slope with its interval; grey
    triangles show the slopes that theory predicts. Sizes that a seed did not measure are left out, see
    :func:`cdgrab_sim.analysis.measurable`.

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
    tables, x = tables_at("x", x, "values", values)
    steepness = exponents("slopes", slopes)
    ax = new_axes(ax)
    for name, table in tables.items():
        known, looks, label = measurable(table), look(name), literal(name)
        at, logs = x[known], np.log(table[:, known])
        if len(set(at)) > 1:
            label = f"{label}  {_fitted(ax, at, table[:, known], looks)}"
        looks |= {"linestyle": "", "linewidth": 1, "capsize": 2, "label": label}
        ax.errorbar(at, *geometric(logs), **looks)
    _log_axes(ax, x, tables, xlabel, ylabel)
    if (legend := ax.get_legend()) is not None:
        legend.set_title("slope [95 % interval]")
    _triangles(ax, steepness)
    return ax


def points_plot(
    x: Sequence[float] | FloatArray,
    values: Mapping[str, FloatArray],
    *,
    xlabel: str,
    ylabel: str,
    lines: Mapping[str, FloatArray] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw quantities against `x` on logarithmic axes, with no claim about a power law.

    Points are arithmetic means over seeds; bars are their 95 % intervals, above 0 as the means are. Lines
    join the points, or are those of other values, such as predictions. Sizes that a seed did not measure
    are left out, see :func:`cdgrab_sim.analysis.measurable`.

    Parameters
    ----------
    x : sequence (K,)
    values : mapping of name to array (seeds, K)
    xlabel, ylabel : str
    lines : mapping of name to array (K,), optional
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
    tables, x = tables_at("x", x, "values", values)
    predicted = None if lines is None else _lines(lines, tables, len(x))
    ax = new_axes(ax)
    for name, table in tables.items():
        known = measurable(table)
        means = table[:, known].mean(axis=0)
        ends = [t_interval(column, positive=True) for column in table[:, known].T]
        bars = np.abs(np.reshape(ends, (-1, 2)).T - means)
        style = look(name)
        if predicted is not None:
            ax.plot(x, predicted[name], color=style["color"], linestyle=style["linestyle"], linewidth=1)
            style["linestyle"] = ""
        ax.errorbar(x[known], means, bars, **style, linewidth=1, capsize=2, label=literal(name))
    _log_axes(ax, x, tables, xlabel, ylabel)
    return ax


def _lines(lines: Any, names: Iterable[str], K: int) -> dict[str, FloatArray]:
    """Return a line of K numbers for each of the names."""
    found = _checks.by_name("lines", lines, 1, ends=False)
    for name in names:
        if name not in found or len(found[name]) != K:
            raise ValueError(
                f"lines: expected {K} numbers for {name!r}, one for each x; "
                f"got {_checks.brief(found.get(name))}"
            )
    return found


def geometric(logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return geometric means of columns (seeds, K) of logarithms, and the bars (2, K) of their intervals."""
    centres = np.exp(logs.mean(axis=0))
    ends = np.exp([t_interval(column) for column in logs.T]).reshape(-1, 2)
    return centres, np.abs(ends.T - centres)


def _log_axes(ax: Axes, x: FloatArray, values: Mapping[str, FloatArray], xlabel: str, ylabel: str) -> None:
    """Make both axes logarithmic, unless there is nothing to show on them; then say so."""
    if any(measurable(table).any() for table in values.values()):
        log_axes(ax, x, xlabel, ylabel)
        return
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.text(0.5, 0.5, "nothing above the level of rounding", transform=ax.transAxes, ha="center", color="0.4")


def _fitted(ax: Axes, x: FloatArray, table: FloatArray, looks: Mapping[str, Any]) -> str:
    """Draw the fitted line with its band; return the slope with its interval."""
    fit = rate(x, table)
    line, low, high = fit.predict(x)
    ax.fill_between(x, low, high, color=looks["color"], alpha=0.15, linewidth=0)
    ax.plot(x, line, color=looks["color"], linestyle=looks["linestyle"], linewidth=1)
    slope, *ends = (f"{round(number, 2) + 0.0:.2f}" for number in (fit.slope, *fit.interval))  # no -0.00
    return f"{slope} [{', '.join(ends)}]".replace("-", "−")


def _triangles(ax: Axes, slopes: FloatArray) -> None:
    """Draw grey slope triangles at the bottom, on the side that lines of such slopes leave free."""
    (x_low, x_high), (y_low, y_high) = ax.get_xlim(), ax.get_ylim()
    if not len(slopes) or min(x_low, y_low) <= 0.0:  # nothing could be drawn on logarithmic axes
        return
    width = (x_high / x_low) ** 0.12
    base = y_low / (y_high / y_low) ** 0.04
    for k, slope in enumerate(slopes):
        place = 0.05 + 0.22 * k if slope < 0.0 else 0.76 - 0.22 * k
        left = x_low * (x_high / x_low) ** place
        right, top = left * width, base * width ** abs(slope)
        ax.fill([left, right, left if slope < 0.0 else right], [base, base, top], color="0.75", linewidth=0)
        ax.annotate(f"{slope:g}", (right, base), (3, 0), textcoords="offset points", color="0.4", fontsize=8)
    ax.set(xlim=(x_low, x_high), ylim=(base / (y_high / y_low) ** 0.04, y_high))
