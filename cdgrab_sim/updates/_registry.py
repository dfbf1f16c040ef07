"""`UPDATES`: every update that is known by name."""

from cdgrab_sim._records import Update
from cdgrab_sim._registry import Registry

UPDATES = Registry(Update, "cdgrab_sim.updates")
