"""Orders as pictures: where their prefix sums walk, how far these get, and who comes when."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from cdgrab_sim import _checks, herding
from cdgrab_sim._kernels.prefix import NORMS
from cdgrab_sim._run import Run
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.analysis import spectrum
from cdgrab_sim.plots._axes import legend_below, new_axes, round_ticks
from cdgrab_sim.plots._curves import loss_curves
from cdgrab_sim.plots._spectrum import spectrum_plot
from cdgrab_sim.plots._style import line, literal, look, style

_ROOM = {"left": 0.16, "right": 0.98, "bottom": 0.23, "top": 0.93}


def prefix_walk(z: ArrayLike, orders: Mapping[str, ArrayLike], ax: Axes | None = None) -> Axes:
    r"""Draw the walks of the prefix sums of orders of vectors in the plane.

    .. math:: S_k = \sum_{l \le k} \sum_{i=1}^m z_{i, \pi_i(l)}, \qquad k = 0, \dots, n

    The dotted square around each walk is the smallest one around the origin: half its side is the herding
    error in the inf-norm.

    Parameters
    ----------
    z : array (n, 2) or (m, n, 2)
    orders : mapping of name to int array (n,) or (m, n)
        An ordering's name decides its colour and dashes.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For vectors that are not in the plane.

    Examples
    --------
    >>> ax = prefix_walk([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], {"rr": [0, 1, 2]})
    >>> ax.lines[0].get_xydata().tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    """
    z = _checks.floats("z", z, (2, 3))
    if (d := z.shape[-1]) != 2:
        raise ValueError(f"z: expected vectors in the plane, d = 2; got d = {d}; project them first")
    walks = _sums(z, orders)
    ax = new_axes(ax)
    for name, walk in walks.items():
        error = float(np.abs(walk).max())
        label = f"{literal(name)}  (error {error:.3g})"
        ax.plot(*walk.T, **line(name), label=label)
        corners = error * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])
        ax.plot(*corners.T, color=look(name)["color"], linestyle=":", linewidth=0.8)
    ax.plot(0.0, 0.0, color="0.2", marker="o", linestyle="", markersize=4)
    ax.set(aspect="equal", xlabel="first coordinate of the prefix sum", ylabel="second coordinate")
    legend_below(ax)
    return ax


def _sums(z: ArrayLike, orders: Mapping[str, ArrayLike]) -> dict[str, FloatArray]:
    """Return the prefix sums of every order, refused under its name."""
    z, sums = _checks.floats("z", z, (2, 3)), {}
    m, n = (1, *z.shape[:-1])[-2:]
    for name, pi in _checks.mapping("orders", orders, some=True).items():
        sums[name] = herding.prefix_sums(z, _checks.orders(f"orders[{name!r}]", pi, m, n))
    return sums


def herding_profile(
    z: ArrayLike, orders: Mapping[str, ArrayLike], ax: Axes | None = None, *, norm: str = "inf"
) -> Axes:
    """Draw the norms of the prefix sums against the step; the highest point of a line is its herding error.

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
    orders : mapping of name to int array (n,) or (m, n)
    ax : Axes, optional
    norm : {"inf", "l2"}

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = herding_profile([[1.0], [1.0], [-2.0]], {"rr": [0, 1, 2]})
    >>> ax.lines[0].get_ydata().tolist()
    [0.0, 1.0, 2.0, 0.0]
    """
    order = {"inf": np.inf, "l2": 2}[_checks.choice("norm", norm, NORMS)]
    profiles = {name: np.linalg.norm(sums, ord=order, axis=1) for name, sums in _sums(z, orders).items()}
    ax = new_axes(ax)
    for name, profile in profiles.items():
        label = f"{literal(name)}  (error {profile.max():.3g})"
        ax.plot(profile, **line(name), label=label)
    ax.set(xlabel="step k", ylabel=f"{norm}-norm of the prefix sum", ylim=(0.0, None), xlim=(0.0, None))
    legend_below(ax)
    return ax


def order_map(
    orders: ArrayLike, ax: Axes | None = None, *, values: ArrayLike | None = None, rows: str = "epoch"
) -> Axes:
    """Draw orders as coloured strips: a row for each order, a cell for each step.

    Parameters
    ----------
    orders : int array (rows, n)
        One worker's orders in some epochs, or the orders of all workers in one epoch.
    ax : Axes, optional
    values : array (n,) or (rows, n), optional
        What the colour of an example says; its number by default.
    rows : str
        What the rows are.

    Returns
    -------
    Axes

    Examples
    --------
    >>> order_map([[0, 1, 2], [2, 0, 1]]).images[0].get_array().tolist()
    [[0.0, 1.0, 2.0], [2.0, 0.0, 1.0]]
    """
    shape = _checks.array("orders", orders).shape
    if len(shape) != 2 or 0 in shape:
        raise ValueError(f"orders: expected orders of shape (rows, n); got shape {shape}")
    pi = _checks.orders("orders", orders, *shape)
    number = np.arange(shape[1]) if values is None else _checks.floats("values", values, (1, 2))
    if np.abs(number).max() >= _checks.LARGEST:
        raise ValueError(f"values: expected numbers below {_checks.LARGEST:g}; got {np.abs(number).max():g}")
    if number.shape not in (shape, shape[1:]):
        raise ValueError(f"values: expected shape (n,) or (rows, n) = {shape}; got {number.shape}")
    shown = np.take_along_axis(np.broadcast_to(number, shape).astype(float), pi, axis=1)
    ax = new_axes(ax)
    image = ax.imshow(shown, aspect="auto", interpolation="nearest", cmap="viridis")
    ax.set(xlabel="step k", ylabel=_checks.text("rows", rows))
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(image, ax=ax, label="example" if values is None else "value of the example")
    return ax


def overview(z: FloatArray, orders: Mapping[str, ArrayLike], runs: Mapping[str, Run]) -> tuple[Figure, ...]:
    """Draw walk, profile, loss curves and spectra: figures that a page sets beside or below each other.

    Parameters
    ----------
    z : array (m, n, d)
        The walk shows the first two coordinates.
    orders : mapping of name to int array (m, n)
    runs : mapping of name to Run
        Spectra are those of their orders after the first sixth of the epochs.

    Returns
    -------
    tuple of Figure

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.skewed(m=2, n=4, d=2)
    >>> record = cg.Record(orders=True)
    >>> run = cg.simulate(problem, "rr", epochs=3, step_size=0.01, x0=[1.0, 1.0], record=record)
    >>> figures = overview(problem.data.terms, {"rr": [[0, 1, 2, 3], [3, 2, 1, 0]]}, {"rr": run})
    >>> [figure.axes[0].get_title() for figure in figures]
    ['walk of the prefix sums', 'how far it gets', 'loss', 'which frequencies it fills']
    """
    z = _checks.floats("z", z, 3)
    # laying out would take longer than everything else
    with style(), mpl.rc_context({"figure.constrained_layout.use": False}):
        figures = tuple(Figure(figsize=(4.3, 4.4)) for _ in range(4))
        for figure in figures:
            figure.subplots_adjust(**_ROOM)
        walk, profile, losses, power = (figure.add_subplot() for figure in figures)
        prefix_walk(z[..., :2], orders, ax=walk).set_title("walk of the prefix sums")
        herding_profile(z, orders, ax=profile).set_title("how far it gets")
        loss_curves(runs, ax=losses).set_title("loss")
        losses.minorticks_off()
        losses.yaxis.set_major_formatter("{x:.0e}")  # powers of ten in mathematical type take as long again
        found = {name: spectrum(z, _settled(run)) for name, run in runs.items()}
        densities = {name: one.density.sum(axis=1) for name, one in found.items()}
        spectrum_plot(next(iter(found.values())).frequency, densities, power)
        power.set_title("which frequencies it fills")
        round_ticks(power)
        power.minorticks_off()
        for axis in (power.xaxis, power.yaxis):
            axis.set_major_formatter("{x:.3g}")
    return figures


def _settled(run: Run) -> IntArray:
    """Return the orders (epochs, m, n) of the first replicate after the first sixth of its records."""
    if run.orders is None:
        raise ValueError("runs: expected orders; got none; use Record(orders=True)")
    return np.asarray(run.orders[0, run.orders.shape[1] // 6 :])
