"""Picky SGD: a gradient counts if the server is still close to where it was taken."""

from __future__ import annotations

from functools import partial

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, STAY, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Apply the gradient if |x - y| <= r, else skip it."""
    alpha, radius = p[0], p[1]
    moved = 0.0 * x[0]
    for r in range(x.shape[0]):
        moved += (x[r] - y[r]) * (x[r] - y[r])
    if moved > radius * radius:
        return STAY, 0.0
    for r in range(x.shape[0]):
        x[r] -= alpha * G[0, r]
    return ADVANCE, 1.0


def _init(radius: float, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    return state(x0, [step_size, radius])


def picky(radius: float) -> Method:
    r"""Return Picky SGD: skip gradients taken too far from the server's iterate.

    .. math::
        x \leftarrow x - \alpha \, 1\{\|x - y\|_2 \le r\} \, g, \qquad
        k \leftarrow k + 1\{\|x - y\|_2 \le r\}

    with y the point that the worker read. The paper has r = eps / (2 L) for a target eps of the gradient's
    norm. With one worker: SGD.

    Parameters
    ----------
    radius : float
        r > 0.

    References
    ----------
    Cohen, Daniely, Drori, Koren, Schain (2021), arXiv 2106.11879; recalled.

    Examples
    --------
    >>> picky(0.1).name
    'picky'
    """
    init = partial(_init, _checks.real("radius", radius, above=0.0))
    return Method(
        "picky", init, arrive, provenance="arXiv 2106.11879, recalled",
        summary="gradients taken too far from the server's iterate are skipped",
    )  # fmt: skip


METHODS["picky"] = lambda m: picky(1.0)
