"""A map of exponents over workers and epochs: where linear speedup holds, and what ends it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray
from cdgrab_sim.plots._axes import new_axes
from cdgrab_sim.plots._style import literal

_HATCHES = ("", "...", "//", "xx")
_INKS = ("0.55", "0.75")  # of hatches on light and on dark cells
_STEEPEST, _RISING = -2.0, 0.5  # exponents at the ends of the colours
_DARK = -1.0  # where hatches must be light to be seen


def regime_map(
    m: Sequence[int] | ArrayLike,
    T: Sequence[int] | ArrayLike,
    measured: ArrayLike,
    *,
    predicted: ArrayLike | None = None,
    regimes: ArrayLike | None = None,
    names: Sequence[str] = (),
    ax: Axes | None = None,
) -> Axes:
    r"""Draw how an error falls from each m to the next, for every number of epochs.

    A cell shows the exponent p between neighbours m and m', dark where the error falls fast,

    .. math:: p = \frac{\log(\text{error}(m') / \text{error}(m))}{\log(m' / m)}

    Parameters
    ----------
    m : sequence (K + 1,)
        Numbers of workers, rising.
    T : sequence (J,)
        Numbers of epochs, from bottom to top.
    measured : array (J, K)
        Exponents.
    predicted : array (J, K), optional
        What a bound says; written in brackets below.
    regimes : int array (J, K), optional
        Which of `names` rules in the cell; hatched.
    names : sequence of str
        At most four.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For tables of another shape.

    Examples
    --------
    >>> ax = regime_map([1, 2, 4], [10, 100], [[0.0, 0.0], [-2.0, -1.0]], predicted=[[0, 0], [-2, -2]])
    >>> [text.get_text() for text in ax.texts][-1]
    '-1.0\n(-2.0)'
    """
    workers, epochs = (_checks.coerce(name, one) for name, one in (("m", m), ("T", T)))
    for name, one in (("m", workers), ("T", epochs)):
        if one.ndim != 1 or len(one) < (2 if name == "m" else 1):
            raise ValueError(f"{name}: expected numbers in a row; got shape {one.shape}")
    shape = len(epochs), len(workers) - 1
    exponents = _table("measured", measured, shape)
    below = None if predicted is None else _table("predicted", predicted, shape)
    rules = np.zeros(shape) if regimes is None else _table("regimes", regimes, shape)
    if not np.isin(rules, range(len(_HATCHES))).all():
        raise ValueError(f"regimes: expected whole numbers 0..{len(_HATCHES) - 1}; got {rules.max():g}")
    titles = [_checks.text("names", name) for name in _checks.listed("names", names)]
    ax = new_axes(ax)
    limits: Any = {"cmap": "Blues_r", "vmin": _STEEPEST, "vmax": _RISING}
    image = ax.imshow(exponents, origin="lower", aspect="auto", **limits)
    ax.figure.colorbar(image, ax=ax, label="exponent in m, measured", extend="both")
    for row, column in np.ndindex(*shape):
        hatch = _HATCHES[int(rules[row, column])]
        corner = (column - 0.5, row - 0.5)
        ink = _INKS[int(exponents[row, column] < _DARK)]
        ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=ink, linewidth=0.5, hatch=hatch))
        text = _tenths(exponents.item(row, column))
        if below is not None:
            text += f"\n({_tenths(below.item(row, column))})"
        box = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1.0}
        ax.text(column, row, text, ha="center", va="center", fontsize=7, bbox=box)
    ax.set_xticks(range(shape[1]), [f"{low}–{high}" for low, high in pairwise(workers.tolist())])
    ax.set_yticks(range(shape[0]), [str(t) for t in epochs.tolist()])
    ax.set(xlabel="workers m, from – to", ylabel="epochs T")
    if titles:
        pairs = zip(_HATCHES, titles, strict=False)
        boxes = [
            Patch(facecolor="#d9e6f3", edgecolor=_INKS[0], hatch=hatch, label=literal(name))
            for hatch, name in pairs
        ]
        ax.legend(handles=boxes, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncol=3)
    return ax


def _table(name: str, table: ArrayLike, shape: tuple[int, int]) -> FloatArray:
    found = _checks.floats(name, table, 2)
    if found.shape != shape:
        raise ValueError(
            f"{name}: expected shape (len(T), len(m) - 1) = {shape}; got {found.shape}; "
            f"one exponent from each m to the next"
        )
    return found


def _tenths(x: float) -> str:
    return f"{round(x, 1) + 0.0:.1f}"
