"""Loss curves of runs, one line for each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from cdgrab_sim import _checks
from cdgrab_sim._run import Run
from cdgrab_sim.plots._axes import legend_below, new_axes
from cdgrab_sim.plots._style import line, literal


def loss_curves(runs: Mapping[str, Run], ax: Axes | None = None, *, f_star: float = 0.0) -> Axes:
    """Draw f(x_t) - f_star against the epoch, on a logarithmic axis; the mean over replicates.

    Parameters
    ----------
    runs : mapping of name to Run
        An ordering's name decides its colour and dashes.
    ax : Axes, optional
    f_star : float
        The minimum, where it is known.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For a run without losses.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.skewed(m=2, n=4, d=1)
    >>> ax = loss_curves({"rr": cg.simulate(problem, "rr", epochs=3, step_size=0.01, x0=[1.0])})
    >>> len(ax.lines[0].get_ydata())
    4
    """
    f_star, curves = _checks.real("f_star", f_star), {}
    for name, run in _checks.mapping("runs", runs, some=True).items():
        _checks.instance(f"runs[{name!r}]", run, Run, "a Run")
        if run.loss is None:
            raise ValueError(f"run {name!r}: expected losses; got none; use Record(loss=True)")
        curves[name] = run.epochs, run.loss.mean(axis=0) - f_star
        seen = run.loss[np.isfinite(run.loss)]
        if seen.size and not (f_star <= seen.max() and abs(f_star) <= 1e15 * np.abs(seen).max()):
            raise ValueError(f"f_star: expected a minimum of the losses of {name!r}; got {f_star:g}")
    ax = new_axes(ax)
    for name, (epochs, loss) in curves.items():
        ax.plot(epochs, loss, **line(name), label=literal(name))
    ax.set(yscale="log", xlabel="epoch t", ylabel="f − f*" if f_star else "loss")
    legend_below(ax)
    return ax
