"""Gap-Aware: a coordinate's step shrinks with how far the server has moved along it."""

from __future__ import annotations

import math

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Divide each coordinate's step by 1 + gap / mean step; S[0] is the sum of the steps so far."""
    weight = 0.0 * x[0]
    for r in range(x.shape[0]):
        mean = S[0, r] / k if k > 0 else 0.0 * x[0]
        share = 1.0 / (1.0 + math.fabs(x[r] - y[r]) / mean) if mean > 0.0 else 1.0
        step = p[0] * share * G[0, r]
        x[r] -= step
        S[0, r] += math.fabs(step)
        weight += share
    return ADVANCE, weight / x.shape[0]


def _init(x0: FloatArray, workers: int, step_size: float) -> MethodState:
    return state(x0, [step_size], server=1)


def gap_aware() -> Method:
    r"""Return Gap-Aware ASGD: steps shrink with the gap, counted in mean steps, coordinate by coordinate.

    .. math::
        x_r \leftarrow x_r - \alpha \frac{g_r}{1 + |x_r - y_r| / C_r}, \qquad
        C_r = \frac1k \sum_{t=1}^k |x_{t,r} - x_{t-1,r}|

    With one worker: SGD.

    References
    ----------
    Barkai, Hakimi, Schuster (2019), arXiv 1909.10802; the penalty linear in the gap is read, C is recalled.

    Examples
    --------
    >>> gap_aware().name
    'gap-aware'
    """
    return Method(
        "gap-aware", _init, arrive, provenance="arXiv 1909.10802, formula recalled",
        summary="a coordinate's step shrinks with how far the server has moved along it",
    )  # fmt: skip


METHODS["gap-aware"] = lambda m: gap_aware()
