"""`METHODS`: every method that is known by name."""

from cdgrab_sim._registry import Registry
from cdgrab_sim.asynchronous._records import Method

# name -> factory of the method for m workers, with the defaults of that size
METHODS = Registry(Method, "cdgrab_sim.methods", {"m": 2})
