"""Record: what a run writes down."""

from __future__ import annotations

from dataclasses import dataclass

from cdgrab_sim import _checks


@dataclass(frozen=True)
class Record:
    """What `simulate` writes down; memory follows the choice.

    Parameters
    ----------
    every : int
        Epochs between records; the first and the last are always recorded.
    loss, grad_norm, distance : bool
        f(x_t); the 2-norm of the full gradient at x_t, which costs about one more epoch per record; the
        2-norm of x_t - x_star, where x_star is known.
    herding : tuple of {"inf", "l2"}
        Exact parallel herding error at x_t of the order used in epoch t, in these norms, unnormalised, and
        beside it the same error of the gradients as they came along the epoch ("live").
    balance : bool
        Largest 2-norm of the ordering's running signed sum during epoch t, after each step; where each
        worker keeps its own sum, the sum of their largest norms. The ordering's state must show the running
        sum as ``s``, (d,) or (rows, d).
    orders, trajectory, average : bool
        The orders really used; the iterates x_t; the loss of the average iterate with weights
        proportional to t.

    Raises
    ------
    ValueError, TypeError
        For `every` below 1, an unknown norm, or norms that are neither a tuple nor a list.
    """

    every: int = 1
    loss: bool = True
    grad_norm: bool = True
    distance: bool = True
    herding: tuple[str, ...] = ()
    balance: bool = False
    orders: bool = False
    trajectory: bool = False
    average: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "every", _checks.size("every", self.every))
        for name in ("loss", "grad_norm", "distance", "balance", "orders", "trajectory", "average"):
            object.__setattr__(self, name, _checks.flag(name, getattr(self, name)))
        if not isinstance(self.herding, tuple | list):
            raise TypeError(
                f"herding: expected a tuple of norms, such as ('inf',); got {_checks.brief(self.herding)}"
            )
        norms = tuple(_checks.choice("norm", norm, ("inf", "l2")) for norm in self.herding)
        object.__setattr__(self, "herding", norms)
