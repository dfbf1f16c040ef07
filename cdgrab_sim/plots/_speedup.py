"""What m workers gain over the fewest, for any table of errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from cdgrab_sim.plots._axes import exponents, log_axes, new_axes, tables_at
from cdgrab_sim.plots._rate import geometric
from cdgrab_sim.plots._style import literal, look

_BESIDE: Any = {"textcoords": "offset points", "color": "0.4", "fontsize": 8, "va": "center"}


def speedup_plot(
    m: Sequence[int] | ArrayLike,
    errors: Mapping[str, ArrayLike],
    *,
    gains: Sequence[float] = (1.0, 2.0),
    ylabel: str = "error at the smallest m / error at m",
    ax: Axes | None = None,
) -> Axes:
    r"""Draw what m workers gain over the fewest, beside grey lines of gains m^p.

    Points are geometric means over seeds of the ratio

    .. math:: \frac{\text{error}(m_1)}{\text{error}(m)},

    taken seed by seed; bars are 95 % intervals in the logarithm.

    Parameters
    ----------
    m : sequence (K,)
        Numbers of workers; the first is the smallest.
    errors : mapping of name to array (seeds, K)
        Positive: floors, tuned errors, times to accuracy.
    gains : sequence of float
        The exponents p of the grey lines.
    ylabel : str
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For errors that are not positive.

    Examples
    --------
    >>> ax = speedup_plot([1, 2, 4], {"rr": [[4.0, 2.0, 1.0]] * 3})
    >>> ax.containers[0].lines[0].get_ydata().round(12).tolist()
    [1.0, 2.0, 4.0]
    """
    tables, sizes = tables_at("m", m, "errors", errors, positive=True)
    powers = exponents("gains", gains)
    ratios = {name: np.log(table[:, :1] / table) for name, table in tables.items()}
    ax = new_axes(ax)
    for name, logs in ratios.items():
        ax.errorbar(sizes, *geometric(logs), **look(name), linewidth=1, capsize=2, label=literal(name))
    log_axes(ax, sizes, "workers m", ylabel)
    for gain in powers.tolist():
        line = (sizes / sizes[0]) ** gain
        ax.plot(sizes, line, color="0.7", linewidth=1, zorder=0)
        ax.annotate(
            {0.5: "√m", 1.0: "m", 2.0: "m²"}.get(gain, f"m^{gain:g}"),
            (sizes[-1], line[-1]),
            (8, 0),
            **_BESIDE,
        )
    return ax
