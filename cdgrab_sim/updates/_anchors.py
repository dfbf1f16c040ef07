"""Full gradients once in a while: what SVRG and SARAH share."""

from __future__ import annotations

from collections.abc import Callable

from cdgrab_sim import _checks
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.updates._iterates import iterates


def begin(it: Iterates, gradient: Callable[[FloatArray], FloatArray]) -> None:
    """Every c[1] epochs put the anchor ``S[0]`` at x, and the full gradient there into ``S[1]``."""
    if it.c[0] == 0:
        it.S[0], it.S[1] = it.x, gradient(it.x)
    it.c[0] = (it.c[0] + 1) % it.c[1]


def anchored_update(name: str, step: Callable[..., None], epochs: int, provenance: str) -> Update:
    """Return an update with an anchor, which moves to x every few epochs."""
    every = _checks.size("epochs", epochs)

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        return iterates(x0, vectors=2, counters=(0, every))

    said = {"epochs": every}
    return Update(name, init, step, anchored=True, begin=begin, settings=said, provenance=provenance)
