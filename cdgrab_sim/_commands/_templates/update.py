"""An update of my own, with its test.

pytest my_update.py                                            its test
cdgrab run --load my_update.py --update my-update              one run

An update moves the iterates along the mean gradient of a step. This one is the heavy ball: it steps along
a fading sum of all gradients.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import cdgrab_sim as cg

_KEPT = 0.5  # of the sum, in every step


def init(x0: NDArray[np.float64], problem: cg.Problem) -> cg.Iterates:
    """Return the iterates at the start: x, and in S one array of the size of x, 0 at first."""
    return cg.updates.iterates(x0, vectors=1)


def step(it: cg.Iterates, g: NDArray[np.float64], alpha: float, u: NDArray[np.float64]) -> None:
    """Move it.x along the mean gradient g; alpha is the step size, u random numbers, none by default."""
    it.S[0] *= _KEPT
    it.S[0] += g
    it.x[:] -= alpha * it.S[0]


def my_update() -> cg.Update:
    """Step along a fading sum of the gradients.

    The annotation says that this function makes an update: so it is known as my-update.
    """
    return cg.Update("my-update", init, step)


def test_my_update() -> None:
    """The iterate moves, nothing else is touched, and the steps follow from the iterates alone."""
    cg.testing.check_update(my_update())
