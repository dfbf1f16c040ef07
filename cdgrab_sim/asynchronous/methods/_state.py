"""Building the state of a method."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import MethodState


def state(
    x0: FloatArray,
    parameters: Sequence[float],
    *,
    server: int = 0,
    workers: int = 0,
    numbers: Sequence[int] = (),
) -> MethodState:
    """Return zeros for `server` and `workers` vectors, beside integers and parameters (step size first)."""
    d = len(x0)
    integers = np.array(numbers, dtype=np.int64)
    return MethodState(np.zeros((server, d)), np.zeros((workers, d)), integers, np.array(parameters))
