"""One line per name: what each seed gave as dots, what is predicted as a tick."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray
from cdgrab_sim.plots._axes import new_axes
from cdgrab_sim.plots._style import literal

_SEED: Any = {"color": "#0072B2", "marker": "o", "linestyle": "", "alpha": 0.6}
_PROMISE: Any = {"color": "black", "marker": "|", "markersize": 12, "linestyle": ""}


def dots_plot(
    values: Mapping[str, FloatArray],
    predicted: Mapping[str, float | None],
    ax: Axes | None = None,
    *,
    label: str = "predicted",
) -> Axes:
    """Draw a line of dots for each name, from top to bottom, with a vertical tick at its prediction.

    Parameters
    ----------
    values : mapping of name to array (seeds,)
    predicted : mapping of name to float or None
        None: there is no prediction.
    ax : Axes, optional
    label : str
        What the ticks are, for the legend.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = dots_plot({"vanilla": np.array([0.2, 0.3])}, {"vanilla": 0.25})
    >>> float(ax.lines[1].get_xdata()[0])
    0.25
    """
    values = _checks.by_name("values", values, 1, ends=False)
    predicted = _checks.mapping("predicted", predicted)
    for name in values:
        _checks.choice("name of predicted", name, predicted)
    ax = new_axes(ax)
    for k, (name, seeds) in enumerate(values.items()):
        ax.plot(seeds, np.full(len(seeds), k), **_SEED)
        promise = predicted[name]
        if promise is not None:
            ax.plot([_checks.real(f"predicted[{name!r}]", promise)], [k], **_PROMISE)
    ax.plot([], [], **_SEED, label="one seed each")
    ax.plot([], [], **_PROMISE, label=label)
    ax.set_yticks(range(len(values)), [literal(name) for name in values])
    ax.invert_yaxis()
    return ax
