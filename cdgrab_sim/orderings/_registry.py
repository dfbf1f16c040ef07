"""`ORDERINGS`: every ordering that is known by name."""

from cdgrab_sim._records import Ordering
from cdgrab_sim._registry import Registry

ORDERINGS = Registry(Ordering, "cdgrab_sim.orderings")
