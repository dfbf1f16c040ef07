"""Discrepancies over many draws: how large signed sums get, and how often."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim.plots._axes import legend_below, new_axes
from cdgrab_sim.plots._style import line, literal, look


def discrepancy_histogram(
    values: Mapping[str, ArrayLike],
    *,
    bounds: Mapping[str, float] | None = None,
    bins: int = 40,
    xlabel: str = "largest signed prefix sum",
    ax: Axes | None = None,
) -> Axes:
    """Draw the distribution of the discrepancy of each sign rule; all have the same bins.

    Parameters
    ----------
    values : mapping of name to array (R,)
        One discrepancy per draw, such as those of :func:`cdgrab_sim.balancing.prefix_discrepancy`. A rule's
        name decides its colour and dashes.
    bounds : mapping of name to float, optional
        Vertical lines, in the colour of their rule.
    bins : int
        Over the range of all values.
    xlabel : str
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = discrepancy_histogram({"greedy": [1.0, 1.0, 2.0], "random": [2.0, 3.0, 4.0]}, bins=3)
    >>> ax.get_legend().texts[0].get_text()
    'greedy  (mean 1.33)'
    """
    bins = _checks.size("bins", bins)
    draws = _checks.by_name("values", values, 1)
    limits = {} if bounds is None else _checks.mapping("bounds", bounds)
    limits = {name: _checks.real(f"bounds[{name!r}]", bound) for name, bound in limits.items()}
    ax = new_axes(ax)
    edges = np.histogram_bin_edges(np.concatenate([*draws.values()]), bins)
    for name, sample in draws.items():
        counts = np.histogram(sample, edges)[0] / len(sample)
        label = f"{literal(name)}  (mean {sample.mean():.3g})"
        ax.stairs(counts, edges, **line(name), label=label)
        ax.stairs(counts, edges, color=look(name)["color"], alpha=0.15, fill=True)
    for name, bound in limits.items():
        ax.axvline(
            bound, color=look(name)["color"], linestyle=":", linewidth=1.2, label=f"{literal(name)}, bound"
        )
    ax.set(xlabel=_checks.text("xlabel", xlabel), ylabel="share of draws", ylim=(0.0, None))
    legend_below(ax)
    return ax
