"""Example orderings: `ORDERINGS` is the one place where an ordering is registered.

Balancing orderings are points of a product: form (`mean`, `pair`) x scope (independent, coordinated) x sign
rule (`SignRule`). Those with names of their own:

===============  ================  ===========
name             form              scope
===============  ================  ===========
``grab``         mean, one worker
``d-grab``       mean              independent
``d-grab-pair``  pair              independent
``cd-grab``      pair              coordinated
===============  ================  ===========

All of them are greedy by default, and take ``rule=``.
"""

from __future__ import annotations

from collections.abc import Callable

from cdgrab_sim import _checks
from cdgrab_sim._records import Ordering
from cdgrab_sim.orderings._fixed import fixed, ig, so
from cdgrab_sim.orderings._herding import herding
from cdgrab_sim.orderings._mean import d_grab, grab, mean
from cdgrab_sim.orderings._pair import cd_grab, d_grab_pair, pair
from cdgrab_sim.orderings._rules import SignRule
from cdgrab_sim.orderings._shuffling import flipflop, rr, sgd

ORDERINGS: dict[str, Callable[..., Ordering]] = {
    "sgd": sgd,
    "ig": ig,
    "so": so,
    "rr": rr,
    "flipflop": flipflop,
    "fixed": fixed,
    "grab": grab,
    "d-grab": d_grab,
    "d-grab-pair": d_grab_pair,
    "cd-grab": cd_grab,
    "herding": herding,
}

__all__ = [
    "ORDERINGS",
    "SignRule",
    "cd_grab",
    "d_grab",
    "d_grab_pair",
    "fixed",
    "flipflop",
    "grab",
    "herding",
    "ig",
    "make",
    "mean",
    "pair",
    "rr",
    "select",
    "sgd",
    "so",
]


def __dir__() -> list[str]:
    return __all__


def select(belongs: Callable[[Ordering], bool]) -> tuple[str, ...]:
    """Return the names of the registered orderings whose records say so, in the order of the registry.

    Examples
    --------
    >>> select(lambda ordering: ordering.compared)
    ('sgd', 'rr', 'd-grab', 'd-grab-pair', 'cd-grab')
    """
    return tuple(name for name in ORDERINGS if belongs(make(name)))


def make(ordering: Ordering | str) -> Ordering:
    """Return an ordering from a record or from a registered name, which means the defaults.

    Examples
    --------
    >>> make("cd-grab").name
    'cd-grab'
    """
    if isinstance(ordering, Ordering):
        return ordering
    return ORDERINGS[_checks.choice("ordering", ordering, ORDERINGS)]()
