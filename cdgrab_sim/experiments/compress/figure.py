"""The figure of ``cdgrab compress``: floors against the step size and workers, and bits to an accuracy."""

from __future__ import annotations

from functools import partial

import numpy as np

from cdgrab_sim.experiments._cells import held, in_words
from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, literal, look, points_plot

FLOOR = "f − f*, fixed step size"
XLABELS = {"alpha": "α n L", "m": "workers m"}


def floors(result: Result, ax: Axes, *, name: str, variable: str) -> None:
    """Draw the floors of one ordering against a variable, a line for each way to send gradients."""
    values = result.arrays(f"{variable} {name}, ")
    x = result.config["alpha"]["alpha_n_L"] if variable == "alpha" else result.data["m"]
    points_plot(x, values, xlabel=XLABELS[variable], ylabel=FLOOR, ax=ax)
    sizes = {key: result.config[variable][key] for key in ("m", "n")}
    family = result.config[variable]["problem"]["family"]
    ax.set_title(f"{name} on {family}, {in_words(held(sizes, variable))}")


def bits(result: Result, ax: Axes) -> None:
    """Draw bits to the accuracy, a line of dots for each way to send, orderings beside each other."""
    sent = list(result.config["bits"]["sent"])
    for shift, name in zip((-0.12, 0.12), result.config["orderings"], strict=True):
        looks, places = look(name), np.arange(len(sent)) + shift
        seeds = result.data[f"bits {name}"]
        flat = np.tile(places, (len(seeds), 1))
        style = {"color": looks["color"], "marker": looks["marker"], "linestyle": "", "alpha": 0.5}
        ax.plot(seeds.ravel(), flat.ravel(), label=name, **style)
    ax.set_yticks(range(len(sent)), [literal(label) for label in sent])
    ax.invert_yaxis()
    ax.set(xscale="log", xlabel="bits that a worker sends")
    sizes = result.config["bits"]
    ax.legend()
    ax.set_title(f"f − f* ≤ {sizes['accuracy']['others']:g}, m = {sizes['m']}, step size tuned")


PANELS: dict[str, tuple[Panel, ...]] = {
    "alpha": tuple(partial(floors, name=name, variable="alpha") for name in ("rr", "cd-grab")),
    "m": tuple(partial(floors, name=name, variable="m") for name in ("rr", "cd-grab")),
    "bits": (bits,),
}
