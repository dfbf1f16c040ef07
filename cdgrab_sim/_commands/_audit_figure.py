"""The figure of ``cdgrab audit``: who comes when, and how far the sums of features get."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim import herding
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.audit._epochs import checked, epochs, in_turn
from cdgrab_sim.audit._likeness import ranks_of
from cdgrab_sim.herding._profile import profile_of
from cdgrab_sim.plots import Axes
from cdgrab_sim.plots._axes import legend_below, plain_ticks

Panel: TypeAlias = Callable[[Axes], Any]

_DOTS, _EPOCHS, _ROUNDS = 2000, 20, 10
_LARGEST = 1 << 22  # numbers of features that the second panel looks at


def panels(
    orders: Any,
    columns: Mapping[str, NDArray[Any]],
    features: FloatArray | None,
    examples: int | None,
    local: bool,
) -> list[Panel]:
    """Return what to draw of recorded orders."""
    table, count = checked(orders, examples, local)
    some = [in_turn(one)[0] for one in epochs(table[:_EPOCHS], local)]
    found: list[Panel] = [partial(_places, some[:2])]
    z = _vectors(columns, features, count)
    if z.size <= _LARGEST:
        found.append(partial(_errors, some, z))
    return found


def _vectors(columns: Mapping[str, NDArray[Any]], features: FloatArray | None, examples: int) -> FloatArray:
    """Return centred features (N, d): those given, else the ranks of the columns, or of the data."""
    if features is None:
        ranked = [ranks_of(column) for column in columns.values()] or [np.arange(examples)]
        features = np.column_stack(ranked).astype(np.float64)
    z = features - features.mean(axis=0)
    deviation = z.std(axis=0)
    return np.asarray(z / np.where(deviation > 0.0, deviation, 1.0))


def _places(some: list[IntArray], ax: Axes) -> None:
    """Draw the examples of the first two epochs at the places where they came."""
    looks: Any = ({"color": "#0072B2", "marker": "."}, {"color": "#D55E00", "marker": "+"})
    for t, (flat, look) in enumerate(zip(some, looks, strict=False)):
        at = np.unique(np.linspace(0, len(flat) - 1, _DOTS).astype(int))
        ax.plot(at, flat[at], linestyle="", markersize=3, label=f"epoch {t}", **look)
    ax.set(xlabel="position in the epoch, all ranks in turn", ylabel="example")
    ax.set_title("who comes when")
    legend_below(ax)


def _errors(some: list[IntArray], z: FloatArray, ax: Axes) -> None:
    """Draw the herding errors of the epochs beside those of random and of balanced orders."""
    rng = stream(0, Role.ORDER)
    recorded = [_error(z[flat]) for flat in some]
    random = [_error(z[rng.permutation(len(z))]) for _ in range(_EPOCHS)]
    balanced = herding.curve(z, "cd-grab", _ROUNDS, norm="l2")[-1]
    ax.plot(recorded, color="#0072B2", marker="o", linestyle="", label="recorded")
    ax.axhspan(min(random), max(random), color="#E69F00", alpha=0.3, linewidth=0)
    label = f"random, {_EPOCHS} orders and their range"
    ax.axhline(float(np.mean(random)), color="#E69F00", linestyle="--", label=label)
    ax.axhline(balanced, color="0.2", linestyle=":", label=f"balanced, {_ROUNDS} rounds")
    ax.set(xlabel="epoch", ylabel="herding error of the features", yscale="log")
    ax.xaxis.set_major_formatter(lambda t, _: f"{t:g}" if t == int(t) else "")
    plain_ticks(ax.yaxis)
    ax.set_title("how far the sums get")
    legend_below(ax)


def _error(stream_of: FloatArray) -> float:
    return float(profile_of(stream_of[:, None], "l2").max())
