"""The figure of ``cdgrab rates``: the panels of the parts that were measured."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from cdgrab_sim.analysis import uncensored
from cdgrab_sim.experiments._cells import held, in_words
from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.experiments.rates.floors import PARTS as FLOORS
from cdgrab_sim.plots import Axes, literal, look, rate_plot
from cdgrab_sim.plots._axes import log_axes

_AXES = {
    "m": "workers m",
    "n": "examples per worker n",
    "T": "epochs T",
    "alpha": "step size α",
}


def tuned(result: Result, ax: Axes, *, variable: str = "m") -> None:
    """Draw tuned errors without their logarithm, against m or T; on a table as they are."""
    part = f"tuned {variable}"
    if not isinstance(result.config.get("problem"), Mapping):  # a table, or somebody's own
        _elsewhere(result, ax, variable)
        return
    rate_plot(
        result.data[part],
        result.arrays(f"{part} rescaled "),
        xlabel=_AXES[variable],
        ylabel="tuned error / (αμnT)²\n(of sgd: / (αμnT))",
        slopes=_predicted(result, "tuned error", variable),
        ax=ax,
    )
    sizes = result.config["tuned"][variable]
    rest = in_words(held(sizes, variable))
    ax.set_title(f"{_problem(result.config['problem'])}, n = {result.config['n']}, {rest}")


def _elsewhere(result: Result, ax: Axes, variable: str) -> None:
    config, part = result.config, f"tuned {variable}"
    rest = in_words({"n": config["n"]} | held(config["tuned"][variable], variable))
    rate_plot(
        result.data[part],
        {name: result.data[f"{part} {name}"] for name in config["orderings"]},
        xlabel=_AXES[variable],
        ylabel="f − f*, step size tuned",
        ax=ax,
    )
    on = config.get("problem") or f"{config['data']}: {config['loss']}, ridge {config['ridge']:g}"
    ax.set_title(f"{literal(on)}, {rest}")


def times(result: Result, ax: Axes) -> None:
    """Draw the fewest epochs to the accuracy against m; arrows stand where the horizon censors seeds."""
    m, sizes = result.data["times"], result.config["times"]
    tables = result.arrays("times ")
    known = {name: uncensored(table) for name, table in tables.items()}
    for name, table in tables.items():
        style = look(name) | {"linestyle": "", "marker": "$\\uparrow$", "markersize": 9}
        for _ in m[~known[name]][:1]:
            ax.plot(m[~known[name]], np.full((~known[name]).sum(), sizes["T"]), **style)
        if 1 < known[name].sum() < len(m):
            rate_plot(m[known[name]], {name: table[:, known[name]]}, xlabel="", ylabel="", ax=ax)
    ax.autoscale(True)
    whole = {name: table for name, table in tables.items() if known[name].all()}
    slopes = _predicted(result, "time to accuracy", "m")
    rate_plot(m, whole, xlabel=_AXES["m"], ylabel="fewest epochs to accuracy", slopes=slopes, ax=ax)
    ax.set_title(f"{accuracies(sizes['accuracy'])}; ↑ above T = {sizes['T']}")


def accuracies(goals: Mapping[str, float]) -> str:
    """Return the accuracies to be reached, as a title says them."""
    special = [f"{name}: {goal:g}" for name, goal in goals.items() if name != "others"]
    return f"f − f* ≤ {goals['others']:g}" + (f" ({', '.join(special)})" if special else "")


def floors(result: Result, ax: Axes, *, part: str = "skewed alpha") -> None:
    """Draw stationary errors at fixed step sizes."""
    variable = part.split()[-1]
    quadratic = part.startswith("quadratic")
    rate_plot(
        result.data[f"floor {part}"],
        result.arrays(f"floor {part} "),
        xlabel=_AXES[variable],
        ylabel="f − f*, fixed step size",
        slopes=_predicted(result, "floor (quadratic)" if quadratic else "floor", variable),
        ax=ax,
    )
    sizes, n = result.config["floors"], result.config["n"]
    rest = {"alpha": f"m = {sizes['m']}, n = {n}", "n": f"m = {sizes['m']}", "m": f"n = {n}"}[variable]
    if variable == "alpha":
        ax.xaxis.set_major_formatter("{x:.1e}")
    problem = sizes["quadratic"] if quadratic else result.config["problem"]
    ax.set_title(f"{_problem(problem)}, {rest}")


def bounds(result: Result, ax: Axes) -> None:
    """Draw the mean squared gradient norm on `robust` beside T1 and T5."""
    names, m = result.config["bounds"]["orderings"], result.data["robust"]
    for k, name in enumerate(names):  # they nearly coincide: open markers, one around the other
        looks = look(name) | {"linestyle": "", "markerfacecolor": "none", "markersize": 13.0 - 4.0 * k}
        ax.plot(m, result.data[f"robust {name}"].mean(axis=0), **looks, label=literal(name))
    for label, dashes in (("T1", (0, (1, 1))), ("T5", "solid")):
        bound = result.data[f"robust {label} cd-grab"].mean(axis=0)
        ax.plot(m, bound, color="0.4", linestyle=dashes, linewidth=1, label=f"bound {label} for cd-grab")
    log_axes(ax, m, _AXES["m"], "mean of |∇f(x_t)|² over t < T")
    sizes = result.config["bounds"]
    ax.set_title(f"{_problem(sizes['problem'])}, n = {sizes['n']}, αnL = 1/12, T = {sizes['T']}")


def _predicted(result: Result, quantity: str, variable: str) -> list[float]:
    """Return the different exponents that the rows of a quantity predict."""
    found = {
        row.predicted
        for row in result.rows
        if row.quantity.startswith(quantity)
        and row.quantity.endswith(f" exponent in {variable}")
        and row.quantity.startswith("floor (") == quantity.startswith("floor (")
    }
    return sorted((p for p in found if p), reverse=True)


def _problem(problem: Mapping[str, Any]) -> str:
    """Return a problem's name and arguments as a reader writes them."""
    letters = {"kappa": "κ", "eigenvalues": "λ"}
    words = [f"{letters.get(key, key)} = {_number(v)}" for key, v in problem.items() if key != "family"]
    return ", ".join([problem["family"], *words])


def _number(value: Any) -> str:
    return "/".join(f"{v:g}" for v in value) if isinstance(value, list | tuple) else f"{value:g}"


# part -> its panels
PANELS: dict[str, tuple[Panel, ...]] = {
    "tuned": (partial(tuned, variable="m"), partial(tuned, variable="T")),
    "times": (times,),
    "bounds": (bounds,),
    "floors": tuple(partial(floors, part=part) for part in FLOORS),
}
