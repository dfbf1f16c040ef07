"""What a synchronous run measured: Run, and how it ended."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim import _checks, _files
from cdgrab_sim._types import FloatArray, IntArray

if TYPE_CHECKING:
    import xarray


class Status(StrEnum):
    """How a run ended."""

    COMPLETED = "completed"
    DIVERGED = "diverged"


class Recorded(dict[str, Any]):
    """Arrays by name, which say what to do where a name was not recorded."""

    def __missing__(self, name: str) -> Any:
        """Refuse a name that was not recorded."""
        held = ", ".join(map(repr, self)) or "nothing"
        raise KeyError(f"{name!r} was not recorded; ask for it with record=...; recorded: {held}")


@dataclass(frozen=True, eq=False)
class Run:
    """What `simulate` measured. Arrays are ordered replicate, record, ...; what was not asked for is None.

    Attributes
    ----------
    epochs : int array (records,)
        Epochs t of the records, from 0 to T.
    loss, grad_norm : array (R, records)
    distance : array (R, records)
        2-norm of x_t - x_star, where x_star is known.
    loss_average : array (R, records)
    trajectory : array (R, records, d)
    herding, herding_live : mapping of norm to array (R, records - 1)
        For the recorded epochs t < T. Divided by m this is the H of theory.
    balance : array (R, records - 1)
    orders : int array (R, records - 1, m, n)
    x : array (R, d)
        The last iterate.
    status : str array (R,)
        "completed" or "diverged", see `Status`.
    diverged_at : int array (R,)
        The epoch during which x or the loss ceased to be finite; -1 where both stayed finite.
    clips : int array (R,)
        How often the ordering's sign rule met a vector beyond its threshold, see
        :class:`cdgrab_sim.orderings.SignRule`: what a guarantee needs to be 0. None for a rule without a
        threshold, such as the greedy one.
    meta : mapping
        Seed, sizes, versions, all arguments: plain JSON.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> run = cg.simulate("skewed", "cd-grab", epochs=20, step_size=1e-3, replicates=3)
    >>> run
    <Run of cd-grab on skewed: 20 epochs, 3 completed>
    >>> run.loss.shape, run.trajectory is None
    ((3, 21), True)
    """

    epochs: IntArray
    x: FloatArray
    status: NDArray[np.str_]
    diverged_at: IntArray
    meta: Mapping[str, Any]
    loss: FloatArray | None = None
    grad_norm: FloatArray | None = None
    distance: FloatArray | None = None
    loss_average: FloatArray | None = None
    trajectory: FloatArray | None = None
    herding: Mapping[str, FloatArray] = field(default_factory=dict)
    herding_live: Mapping[str, FloatArray] = field(default_factory=dict)
    balance: FloatArray | None = None
    orders: IntArray | None = None
    clips: IntArray | None = None

    def __post_init__(self) -> None:
        for name in ("herding", "herding_live"):
            object.__setattr__(self, name, Recorded(getattr(self, name)))

    def __repr__(self) -> str:
        ends = ", ".join(f"{count} {word}" for word, count in Counter(self.status.tolist()).items())
        what = f"{self.meta['ordering']} on {self.meta['problem']['name']}"
        return f"<Run of {what}: {self.epochs[-1]} epochs, {ends}>"

    def messages(self) -> list[str]:
        """One line per replicate: how it ended, and what to do.

        Examples
        --------
        >>> import cdgrab_sim as cg
        >>> problem = cg.problems.quadratic(m=1, n=4, d=1)
        >>> cg.simulate(problem, "rr", epochs=2, step_size=0.1).messages()
        ['completed']
        """
        return [
            f"diverged at epoch {t}: try a smaller step size" if status == Status.DIVERGED else str(status)
            for status, t in zip(self.status, self.diverged_at, strict=True)
        ]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the run to one .npz file, without pickle; `load` reads it back.

        The file appears under its name only when it is whole.
        """
        _files.save_run(self, _checks.path("path", path))

    def to_xarray(self) -> xarray.Dataset:
        """Return the measurements as a labelled dataset (needs the extra ``xarray``)."""
        at_points = ("loss", "grad_norm", "distance", "loss_average")
        dims: dict[str, tuple[str, ...]] = {
            **dict.fromkeys(at_points, ("replicate", "epoch")),
            "trajectory": ("replicate", "epoch", "coordinate"),
            "balance": ("replicate", "order_epoch"),
            "orders": ("replicate", "order_epoch", "worker", "step"),
            "x": ("replicate", "coordinate"),
            "status": ("replicate",),
            "diverged_at": ("replicate",),
            "clips": ("replicate",),
        }
        variables = {name: (axes, getattr(self, name)) for name, axes in dims.items()}
        variables = {name: pair for name, pair in variables.items() if pair[1] is not None}
        for quantity in ("herding", "herding_live"):
            for norm, errors in getattr(self, quantity).items():
                variables[f"{quantity}_{norm}"] = (("replicate", "order_epoch"), errors)
        coordinates = {"epoch": self.epochs, "order_epoch": self.epochs[:-1]}
        attributes = {"meta": json.dumps(dict(self.meta))}
        dataset: xarray.Dataset
        dataset = _files.xarray_module().Dataset(variables, coords=coordinates, attrs=attributes)
        return dataset
