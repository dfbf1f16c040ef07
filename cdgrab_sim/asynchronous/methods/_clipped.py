"""Clipping: no gradient moves the server further than a bound."""

from __future__ import annotations

import math
from functools import partial

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Apply the gradient, shortened to length C."""
    square = 0.0 * x[0]
    for r in range(x.shape[0]):
        square += G[0, r] * G[0, r]
    norm = math.sqrt(square)
    weight = p[1] / norm if norm > p[1] else 1.0
    for r in range(x.shape[0]):
        x[r] -= p[0] * (weight * G[0, r])
    return ADVANCE, weight


def _init(limit: float, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    return state(x0, [step_size, limit])


def clipped(limit: float) -> Method:
    r"""Return asynchronous SGD with clipped gradients.

    .. math:: x \leftarrow x - \alpha \, \min\Big(1, \frac{C}{\|g\|_2}\Big) \, g

    A drift of tau steps is then at most alpha C tau, whatever the gradients. With one worker: clipped SGD.

    Parameters
    ----------
    limit : float
        C > 0.

    References
    ----------
    arXiv 2606.13287, abstract: clipping removes the largest delay from the complexity.

    Examples
    --------
    >>> clipped(1.0).name
    'clipped'
    """
    return Method(
        "clipped", partial(_init, _checks.real("limit", limit, above=0.0)), arrive,
        provenance="arXiv 2606.13287, abstract", summary="no gradient moves the server further than a bound",
    )  # fmt: skip


METHODS["clipped"] = lambda m: clipped(1.0)
