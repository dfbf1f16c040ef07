"""The figure of ``cdgrab limits``."""

from __future__ import annotations

from cdgrab_sim.experiments._experiment import Panel, Result
from cdgrab_sim.experiments.limits.quadratics import FLOORS
from cdgrab_sim.experiments.limits.tuned import RATES
from cdgrab_sim.plots import Axes, look, rate_plot
from cdgrab_sim.plots._axes import log_axes


def floors(result: Result, ax: Axes) -> None:
    """Draw the floors on quadratics against the step size."""
    sizes = result.config["floors"]
    x = result.data["alpha"] * sizes["n"][0]
    values = {name: result.data[f"alpha {name}"] for name in FLOORS}
    rate_plot(x, values, xlabel="α λ n", ylabel="f − f*, fixed step size", ax=ax)
    ax.set_title(f"one Hessian, m = {sizes['m']}, n = {sizes['n'][0]}")


def many_epochs(result: Result, ax: Axes) -> None:
    """Draw the loss over that of sgd against T, where the condition number is large."""
    sizes = result.config["many epochs"]
    base = result.data["T sgd"].mean(axis=0)
    ax.axhline(1.0, color=look("sgd")["color"], linewidth=1, label="sgd")
    for name in ("so", "rr"):
        ax.plot(
            sizes["T"], result.data[f"T {name}"].mean(axis=0) / base, label=name, **look(name), linewidth=1
        )
    ax.axvline(sizes["kappa"], color="0.7", linewidth=1)
    ax.annotate(
        "T = κ",
        (sizes["kappa"], 0.02),
        (4, 0),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        color="0.4",
    )
    log_axes(ax, sizes["T"], "epochs T", "loss / that of sgd")
    ax.set_title(f"Safran and Shamir's quadratic, κ = {sizes['kappa']:g}, n = {sizes['n']}")


def tuned(result: Result, ax: Axes, *, name: str = "cd-grab") -> None:
    """Draw tuned errors of all sizes against the product that theory names."""
    product, exponent, _ = RATES[name]
    label = "tuned error / (α μ n T)²"
    x, values = result.data[f"size {name}"], {name: result.data[f"tuned {name}"]}
    rate_plot(x, values, xlabel=product.replace("^2", "²"), ylabel=label, slopes=[exponent], ax=ax)
    ax.set_title(f"skewed, κ = {result.config['rates']['kappa']:g}: every (m, n, T) on one line")


PANELS: tuple[Panel, ...] = (floors, many_epochs, tuned)
