"""Updates, what a step does with the gradients: `UPDATES` is the one place where one is registered."""

from __future__ import annotations

from collections.abc import Callable

from cdgrab_sim import _checks
from cdgrab_sim._records import Update
from cdgrab_sim.updates._adam import adam
from cdgrab_sim.updates._adamw import adamw
from cdgrab_sim.updates._heavy_ball import heavy_ball, sgd
from cdgrab_sim.updates._iterates import iterates
from cdgrab_sim.updates._iterates import start as start
from cdgrab_sim.updates._nesterov import nesterov

UPDATES: dict[str, Callable[..., Update]] = {
    "sgd": sgd,
    "heavy-ball": heavy_ball,
    "nesterov": nesterov,
    "adam": adam,
    "adamw": adamw,
}

__all__ = ["UPDATES", "adam", "adamw", "heavy_ball", "iterates", "make", "nesterov", "sgd"]


def __dir__() -> list[str]:
    return __all__


def make(update: Update | str) -> Update:
    """Return an update from a record or from a registered name, which means the defaults.

    Examples
    --------
    >>> make("nesterov").settings["momentum"]
    0.9
    """
    if isinstance(update, Update):
        return update
    return UPDATES[_checks.choice("update", update, UPDATES)]()
