"""Adaptive Braking: a gradient counts less where it agrees with the velocity."""

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
    """Weight the gradient by 1 - rho cos(g, v), with the velocity v = S[0]."""
    alpha, beta, rho = p[0], p[1], p[2]
    along = gg = vv = 0.0 * x[0]
    for r in range(x.shape[0]):
        along += G[0, r] * S[0, r]
        gg += G[0, r] * G[0, r]
        vv += S[0, r] * S[0, r]
    norms = math.sqrt(gg) * math.sqrt(vv)
    weight = max(0.0, 1.0 - rho * (along / norms)) if norms > 0.0 else 1.0  # rounding may pass 1
    for r in range(x.shape[0]):
        S[0, r] = beta * S[0, r] + weight * G[0, r]
        x[r] -= alpha * S[0, r]
    return ADVANCE, weight


def _init(momentum: float, rho: float, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    return state(x0, [step_size, momentum, rho], server=1)


def adaptive_braking(momentum: float = 0.9, *, rho: float = 0.5) -> Method:
    r"""Return Adaptive Braking: heavy ball that brakes where gradients push along the velocity.

    .. math::
        v \leftarrow \beta v + \Big(1 - \rho \frac{\langle g, v \rangle}{\|g\|_2 \|v\|_2}\Big) g, \qquad
        x \leftarrow x - \alpha v

    With rho = 0, or in the first step: heavy ball.

    Parameters
    ----------
    momentum : float
        beta in [0, 1).
    rho : float
        In [0, 1].

    References
    ----------
    Venigalla, Kosson, Chiley, Köster (2020), arXiv 2007.01397; the formula is recalled.

    Examples
    --------
    >>> adaptive_braking(0.5, rho=1.0).name
    'adaptive-braking'
    """
    beta, rho = _checks.share("momentum", momentum, "[0, 1)"), _checks.share("rho", rho)
    return Method(
        "adaptive-braking", partial(_init, beta, rho), arrive,
        provenance="arXiv 2007.01397, formula recalled",
        summary="a gradient counts less where it agrees with the velocity",
    )  # fmt: skip


METHODS["adaptive-braking"] = lambda m: adaptive_braking()
