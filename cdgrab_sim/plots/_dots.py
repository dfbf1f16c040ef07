"""One line per name: what each seed gave as dots, what is predicted as a tick."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from cdgrab_sim._types import FloatArray
from cdgrab_sim.plots._axes import new_axes


def dots_plot(
    values: Mapping[str, FloatArray], predicted: Mapping[str, float | None], ax: Axes | None = None
) -> Axes:
    """Draw a line of dots for each name, from top to bottom, with a vertical tick at its prediction.

    Parameters
    ----------
    values : mapping of name to array (seeds,)
    predicted : mapping of name to float or None
        None: there is no prediction.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = dots_plot({"vanilla": np.array([0.2, 0.3])}, {"vanilla": 0.25})
    >>> float(ax.lines[1].get_xdata()[0])
    0.25
    """
    ax = new_axes(ax)
    for k, (name, seeds) in enumerate(values.items()):
        ax.plot(seeds, np.full(len(seeds), k), color="#0072B2", marker="o", linestyle="", alpha=0.6)
        promise = predicted[name]
        if promise is not None:
            ax.plot([promise], [k], color="black", marker="|", markersize=12, linestyle="")
    ax.set_yticks(range(len(values)), list(values))
    ax.invert_yaxis()
    return ax
