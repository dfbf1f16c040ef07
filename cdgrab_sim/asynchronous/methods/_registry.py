"""`METHODS`: every method that is known by name."""

from __future__ import annotations

from collections.abc import Callable

from cdgrab_sim.asynchronous._records import Method

# name -> factory of the method for m workers, with the defaults of that size
METHODS: dict[str, Callable[[int], Method]] = {}
