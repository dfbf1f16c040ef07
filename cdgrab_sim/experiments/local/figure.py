"""The figure of ``cdgrab local``: floors and tuned errors beside their predictions."""

from __future__ import annotations

from functools import partial

from cdgrab_sim._types import FloatArray
from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.plots import Axes, points_plot

FLOOR = "f − f*, fixed step size"


def _tables(result: Result, prefix: str) -> dict[str, FloatArray]:
    return {name: result.data[f"{prefix}{name}"] for name in result.config["orderings"]}


def floors(result: Result, ax: Axes, *, place: int) -> None:
    """Draw floors against m for one H, and lines through what is predicted."""
    measured = {name: table[place] for name, table in _tables(result, "floor ").items()}
    lines = {name: table[place].mean(axis=0) for name, table in _tables(result, "predicted ").items()}
    points_plot(result.data["m"], measured, xlabel="workers m", ylabel=FLOOR, lines=lines, ax=ax)
    H, n = int(result.data["H"][place]), result.config["n"]
    ax.set_title(f"{'H = n' if n == H else 'H'} = {H}; lines: predicted")


def heterogeneous(result: Result, ax: Axes) -> None:
    """Draw floors against m where workers differ, and lines through what is predicted."""
    measured = _tables(result, "heterogeneous ")
    lines = {n: table.mean(axis=0) for n, table in _tables(result, "heterogeneous predicted ").items()}
    m = result.data["heterogeneous m"]
    points_plot(m, measured, xlabel="workers m", ylabel=FLOOR, lines=lines, ax=ax)
    ax.set_title(f"H = n = {result.config['heterogeneous']['H']}, workers differ; lines: predicted")


def tuned(result: Result, ax: Axes) -> None:
    """Draw tuned errors of most workers against the rounds of communication that they took."""
    sizes = result.config["tuned"]
    errors = {name: table[:, :, -1].T for name, table in _tables(result, "tuned ").items()}
    lines = {name: t[:, :, -1].mean(axis=1) for name, t in _tables(result, "tuned predicted ").items()}
    x, label = result.data["rounds"], "rounds of communication n T / H"
    points_plot(x, errors, xlabel=label, ylabel="f − f*, step size tuned", lines=lines, ax=ax)
    ax.set_title(
        f"m = {sizes['m'][-1]}, n = {sizes['n']}, κ = {sizes['problem']['kappa']:g}, T = {sizes['T']}"
        f", H = {', '.join(map(str, sizes['H']))}"
    )


def cohorts(result: Result, ax: Axes) -> None:
    """Draw floors against the size of cohorts, and lines through what is predicted of drawn ones."""
    ways, sizes = result.config["cohorts"]["clients"], result.config["cohorts"]
    values = {way: result.data[f"cohort {way}"] for way in ways}
    x = result.data["cohort"]
    points_plot(x, values, xlabel="workers C in a round", ylabel=FLOOR, ax=ax)
    for law in result.arrays("cohort predicted ").values():
        ax.plot(x, law.mean(axis=0), color="0.4", linewidth=1, linestyle="dotted")
    ax.set_title(f"m = {sizes['m']}, H = n = {sizes['n']}; orders of workers; dotted: predicted")


PANELS: dict[str, tuple[Panel, ...]] = {
    "floors": tuple(partial(floors, place=place) for place in range(4)),
    "heterogeneous": (heterogeneous,),
    "tuned": (tuned,),
    "cohorts": (cohorts,),
}
