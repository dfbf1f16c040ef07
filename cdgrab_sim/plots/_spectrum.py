"""Spectra of orders: power against frequency, measured and predicted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray
from cdgrab_sim.plots._axes import legend_below, new_axes
from cdgrab_sim.plots._style import line, literal

_BINS = 40  # points of a line, evenly spread over the logarithm of the frequency


def spectrum_plot(
    frequency: FloatArray,
    densities: Mapping[str, FloatArray],
    ax: Axes | None = None,
    *,
    predicted: Mapping[str, FloatArray] | None = None,
) -> Axes:
    """Draw densities of orders against the frequency, on logarithmic axes.

    Lines are means over seeds and over neighbouring frequencies; what theory predicts is a wide pale line.

    Parameters
    ----------
    frequency : array (K,)
        Cycles per step; 0 is left out.
    densities : mapping of name to array (K,) or (seeds, K)
        As from ``cg.analysis.spectrum(...).density``, summed over coordinates. An ordering's name decides
        its colour and dashes.
    ax : Axes, optional
    predicted : mapping of name to array (K,), optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = spectrum_plot(np.array([0.0, 0.25, 0.5]), {"rr": np.array([0.0, 1.0, 1.0])})
    >>> ax.lines[0].get_ydata().tolist()
    [1.0, 1.0]
    """
    at = _checks.floats("frequency", frequency, 1)
    if at[0] < 0.0 or at[-1] <= 0.0 or (np.diff(at) <= 0.0).any():
        raise ValueError(f"frequency: expected numbers >= 0 that ascend; got {at.min():g} to {at.max():g}")
    tables = _tables("densities", _checks.mapping("densities", densities, some=True), len(at))
    lines = _tables("predicted", {} if predicted is None else predicted, len(at))
    ax = new_axes(ax)
    shown = at > 0.0
    f = at[shown]
    edges = np.geomspace(f[0], f[-1], _BINS + 1)
    place = np.clip(np.searchsorted(edges, f, side="right") - 1, 0, _BINS - 1)
    count = np.bincount(place)
    filled = count > 0
    for name, table in tables.items():
        looks = line(name)
        if name in lines:
            ax.plot(f, lines[name][0, shown], color=looks["color"], linewidth=4, alpha=0.25)
        mean = table[:, shown].mean(axis=0)
        x, y = (np.bincount(place, a)[filled] / count[filled] for a in (f, mean))
        ax.plot(x, y, **looks, label=literal(name))
    ax.set(xscale="log", yscale="log", xlabel="frequency (cycles per step)", ylabel="power density")
    legend_below(ax)
    return ax


def _tables(name: str, values: Any, K: int) -> dict[str, FloatArray]:
    """Return rows of K numbers by name, one or several."""
    given = _checks.mapping(name, values)
    tables = {
        key: np.atleast_2d(_checks.floats(f"{name}[{key!r}]", one, (1, 2))) for key, one in given.items()
    }
    for key, table in tables.items():
        if table.shape[1] != K:
            raise ValueError(
                f"{name}[{key!r}]: expected {K} numbers, one for each frequency; got {table.shape[1]}"
            )
    return tables
