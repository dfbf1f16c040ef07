"""The figure of ``cdgrab async robustness``."""

from __future__ import annotations

import numpy as np

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, look
from cdgrab_sim.plots._axes import legend_below

SHOWN: tuple[str, ...] = ("vanilla", "drop-by-age", "rennala", "storm")
SHOWN += ("ordered-momentum-anytime", "ordered-momentum-heavy-ball", "ordered-momentum-mu-squared")
_FAR = 1e4  # times the best error: beyond, a method is as good as diverged


def _errors(result: Result, ax: Axes, times: str) -> None:
    steps = result.data["alpha_L"]
    for name in (name for name in SHOWN if name in result.config["methods"]):
        errors = result.data[f"{times}: {name}"]
        mean = np.exp(np.log(errors).mean(axis=0))
        seen = mean < _FAR * mean.min()
        ax.plot(steps[seen], mean[seen], **look(name), label=name)
    ax.set(yscale="log", xlabel="step size, times the mean curvature", ylabel="f − f* of the late average")
    ax.set_xscale("log", base=2)
    ax.set_title(f"job times: {times}; m = {result.config['m']}")


def exponential(result: Result, ax: Axes) -> None:
    """Draw errors against step sizes where times depend on nothing."""
    _errors(result, ax, "exponential")


def dependent(result: Result, ax: Axes) -> None:
    """Draw errors against step sizes where slow examples pull x* in one direction."""
    _errors(result, ax, "dependent")
    legend_below(ax, columns=2)


PANELS: tuple[Panel, ...] = (exponential, dependent)
