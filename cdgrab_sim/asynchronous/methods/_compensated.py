"""Delay compensation: a gradient is carried from where it was taken to where the server is."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state

_EPS = 1e-7  # of the adaptive form
_KEEP = 0.95  # of its mean square


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Compensate with lambda g^2, fixed or over the root of the mean square S[0]; W[0] is the step."""
    alpha, strength = p[0], p[1]
    for r in range(x.shape[0]):
        g = G[0, r]
        curvature = strength * g * g
        if c[0]:
            S[0, r] = _KEEP * S[0, r] + (1.0 - _KEEP) * g * g
            curvature /= np.sqrt(S[0, r] + _EPS)
        x[r] -= alpha * (g + curvature * (x[r] - y[r]))
    return ADVANCE, 1.0


@kernel(small=True, allocates=False)
def exact(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Compensate with the Hessian W; S[0] is the step."""
    for r in range(x.shape[0]):
        step = G[0, r]
        for q in range(x.shape[0]):
            step += W[r, q] * (x[q] - y[q])
        S[0, r] = step
    for r in range(x.shape[0]):
        x[r] -= p[0] * S[0, r]
    return ADVANCE, 1.0


def _init(strength: float, adaptive: bool, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    return state(x0, [step_size, strength], server=1, numbers=[int(adaptive)])


def _init_exact(hessian: FloatArray, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    d = len(x0)
    if hessian.shape != (d, d):
        raise ValueError(f"hessian: expected shape (d, d) = ({d}, {d}); got {hessian.shape}")
    made = state(x0, [step_size], server=1, workers=d)
    made.W[:] = hessian
    return made


def delay_compensated(strength: float = 0.04, *, adaptive: bool = False) -> Method:
    r"""Return DC-ASGD: correct a gradient to first order, with its own square for the Hessian's diagonal.

    .. math::
        x \leftarrow x - \alpha \big(g + \lambda \, g \odot g \odot (x - y)\big), \qquad
        \lambda_{\text{adaptive}} = \frac{\lambda}{\sqrt{\mathrm{MS} + 10^{-7}}}, \quad
        \mathrm{MS} \leftarrow 0.95 \, \mathrm{MS} + 0.05 \, g \odot g

    with y the point that the worker read. With one worker: SGD.

    Parameters
    ----------
    strength : float
        lambda >= 0.
    adaptive : bool

    References
    ----------
    Zheng, Meng, Wang, Chen, Yu, Ma, Liu (2017), arXiv 1609.08326; the adaptive form and the values of lambda
    are recalled.

    Examples
    --------
    >>> delay_compensated().name, delay_compensated(2.0, adaptive=True).name
    ('dc-asgd', 'dc-asgd-adaptive')
    """
    strength, adaptive = _checks.real("strength", strength, low=0.0), _checks.flag("adaptive", adaptive)
    return Method(
        "dc-asgd-adaptive" if adaptive else "dc-asgd", partial(_init, strength, adaptive), arrive,
        provenance="arXiv 1609.08326, adaptive form recalled" if adaptive else "arXiv 1609.08326",
        summary="a gradient's own square carries it to where the server is",
    )  # fmt: skip


def exactly_compensated(hessian: ArrayLike) -> Method:
    r"""Return asynchronous SGD whose delay is undone with the Hessian, exactly on quadratics that share it.

    .. math:: x \leftarrow x - \alpha \big(g + H (x - y)\big)

    There it is SGD without delay, on the gradients in the order of their arrival (proved here: g + H (x - y)
    is the gradient at x). The best that compensation can do.

    Parameters
    ----------
    hessian : array (d, d)
        H.

    Examples
    --------
    >>> exactly_compensated(np.eye(2)).provenance
    'proved here'
    """
    matrix = _checks.floats("hessian", hessian, 2)
    return Method(
        "exactly-compensated", partial(_init_exact, matrix), exact, provenance="proved here",
        summary="the Hessian carries a gradient to where the server is",
    )  # fmt: skip


METHODS["dc-asgd"] = lambda m: delay_compensated()
METHODS["dc-asgd-adaptive"] = lambda m: delay_compensated(2.0, adaptive=True)
