"""The decision that all loops over pairs make."""

from __future__ import annotations

from cdgrab_sim._kernels.jit import inlined
from cdgrab_sim._types import FloatArray
from cdgrab_sim.orderings._rules import hilbert_step


@inlined
def decide(p: float, b2: float, u: float, G: float, memory: FloatArray) -> int:
    """Return the sign of a pair with square `b2` and product p with the walk; `memory` is sigma^2, clips."""
    threshold, memory[0] = hilbert_step(b2, memory[0], G)
    if abs(p) > threshold:
        memory[1] += 1.0
    return 1 if p <= threshold * (1.0 - 2.0 * u) else -1
