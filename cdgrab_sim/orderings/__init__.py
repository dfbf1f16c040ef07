"""Example orderings: a file that registers one, imported here, is known everywhere.

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
from cdgrab_sim._records._ordering import FAMILIES
from cdgrab_sim.orderings._blocks import blocks as blocks
from cdgrab_sim.orderings._blocks import blocks_reversed as blocks_reversed
from cdgrab_sim.orderings._blocks import corgipile as corgipile
from cdgrab_sim.orderings._buffer import buffer as buffer
from cdgrab_sim.orderings._curriculum import curriculum as curriculum
from cdgrab_sim.orderings._curriculum import self_paced as self_paced
from cdgrab_sim.orderings._fixed import fixed as fixed
from cdgrab_sim.orderings._fixed import ig as ig
from cdgrab_sim.orderings._fixed import so as so
from cdgrab_sim.orderings._gossip import cd_grab_gossip as cd_grab_gossip
from cdgrab_sim.orderings._herding import herding as herding
from cdgrab_sim.orderings._kernel_halving import kernel_halving as kernel_halving
from cdgrab_sim.orderings._mean import d_grab as d_grab
from cdgrab_sim.orderings._mean import grab as grab
from cdgrab_sim.orderings._mean import mean as mean
from cdgrab_sim.orderings._pair import cd_grab as cd_grab
from cdgrab_sim.orderings._pair import d_grab_pair as d_grab_pair
from cdgrab_sim.orderings._pair import pair as pair
from cdgrab_sim.orderings._pair_local import cd_grab_local as cd_grab_local
from cdgrab_sim.orderings._pairwise import pairwise as pairwise
from cdgrab_sim.orderings._registry import ORDERINGS
from cdgrab_sim.orderings._rules import SignRule as SignRule
from cdgrab_sim.orderings._shuffling import flipflop as flipflop
from cdgrab_sim.orderings._shuffling import rr as rr
from cdgrab_sim.orderings._shuffling import sgd as sgd
from cdgrab_sim.orderings._shuffling import sync_shuf as sync_shuf
from cdgrab_sim.orderings._sketched import SKETCHES as SKETCHES
from cdgrab_sim.orderings._sketched import sketched as sketched
from cdgrab_sim.orderings._stratified import stratified as stratified
from cdgrab_sim.orderings._weighted import weighted as weighted

ORDERINGS.arrange(lambda name: FAMILIES.index(ORDERINGS.make(name).family))

__all__ = [
    "ORDERINGS",
    "SKETCHES",
    "SignRule",
    "make",
    "mean",
    "pair",
    "select",
    "sketched",
    *ORDERINGS.functions,
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
    _checks.function("belongs", belongs)
    _checks.takes("belongs", belongs, "ordering")
    return tuple(name for name in ORDERINGS if _checks.flag("belongs", belongs(make(name))))


def make(ordering: Ordering | str) -> Ordering:
    """Return an ordering from a record or from a registered name, which means the defaults.

    Examples
    --------
    >>> make("cd-grab").name
    'cd-grab'
    """
    return ORDERINGS.make(ordering)
