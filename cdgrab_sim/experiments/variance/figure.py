"""The figure of ``cdgrab variance``: rates, speeds, residuals, and floors against the step and the batch."""

from __future__ import annotations

from functools import partial

import numpy as np

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, dots_plot, look, points_plot


def rates(result: Result, ax: Axes, *, kind: str) -> None:
    """Draw exact mean-square rates per step against the step size; runs were made at the grey lines."""
    if kind not in result.config["tables"]["kinds"]:
        ax.set_axis_off()
        return
    for name in result.config["tables"]["orderings"]:
        looks = look(name)
        ax.plot(result.data["tables curve"], result.data[f"tables exact {kind} {name}"], color=looks["color"],
                linestyle=looks["linestyle"], label=name)  # fmt: skip
    for alpha in result.data["tables alpha L"]:
        ax.axvline(alpha, color="0.8", linewidth=1.0)
    ax.set(xscale="log", xlabel="α L", ylabel="mean-square rate per step")
    ax.legend()
    ax.set_title(f"{kind.upper()}, five examples, in the long run")


def balanced(result: Result, ax: Axes) -> None:
    """Draw the speed of cd-grab over that of rr, a line of dots for each update."""
    found = {update: seeds[1] for update, seeds in result.arrays("balanced ").items()}
    dots_plot(found, dict.fromkeys(found), ax)
    ax.axvline(1.0, color="0.6", linewidth=1.0)
    ax.set(xlabel="speed of cd-grab / speed of rr, best steps")
    ax.set_title("what balancing adds")


def residuals(result: Result, ax: Axes) -> None:
    """Draw the last residual of random projections against the steps, and the published exponent."""
    sizes, k = result.config["weights"], result.data["weights k"]
    condition = f"{sizes['conditions'][-1]:g}"
    exact = result.data[f"weights exact residual {condition}"].mean(axis=0)
    measured = result.data[f"weights residual {condition}"].mean(axis=0)
    ax.plot(k[1:], exact[1:], color="black", label="exact")
    ax.plot(k[1:], measured[1:], color="#0072B2", marker="o", linestyle="", label="measured")
    ax.plot(k[1:], exact[1] * (k[1:] / k[1]) ** -0.75, color="0.6", linestyle="--", label="slope −3/4")
    ax.set(xscale="log", yscale="log", xlabel="steps k", ylabel="E |A x − b|²")
    ax.legend()
    ticks = k[1] * 4 ** np.arange(int(np.log(len(k)) / np.log(4)) + 1)
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    ax.set_title(f"random projections, condition {condition}, last iterate")


def floors(result: Result, ax: Axes, *, name: str) -> None:
    """Draw floors against the factor, a line for each way to spend it."""
    values = result.arrays(f"batches {name} ")
    labels = {"step": "step / factor", "batch": "batch × factor", "workers": "workers × factor"}
    points_plot(
        result.data["batches factor"], {labels[way]: table for way, table in values.items()},
        xlabel="factor", ylabel="f − f*, fixed step size", ax=ax,
    )  # fmt: skip
    ax.set_title(f"{name}: three ways to lower the floor")


def gains(result: Result, ax: Axes) -> None:
    """Draw the tuned error of cd-grab over that of rr, a line of dots for each optimizer and problem."""
    found = result.arrays("adam cd-grab ")
    dots_plot(found, dict.fromkeys(found), ax)
    ax.axvline(0.0, color="0.6", linewidth=1.0)
    ax.set(xlabel="log₁₀ (error of cd-grab / error of rr), best steps")
    ax.set_title("balanced orders under Adam")


PANELS: dict[str, tuple[Panel, ...]] = {
    "tables": (partial(rates, kind="sag"), partial(rates, kind="saga")),
    "balanced": (balanced,),
    "weights": (residuals,),
    "batches": tuple(partial(floors, name=name) for name in ("sgd", "rr", "cd-grab")),
    "adam": (gains,),
}
