"""DANA: a momentum for each worker, and a look ahead along all of them."""

from __future__ import annotations

from functools import partial

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state


@kernel(small=True, allocates=False)
def zero(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Step the iterate S[0] along the worker's velocity; show the point ahead along the sum S[1] of all."""
    alpha, beta = p[0], p[1]
    for r in range(x.shape[0]):
        before = W[worker, r]
        W[worker, r] = beta * before + G[0, r]
        S[0, r] -= alpha * W[worker, r]
        S[1, r] += W[worker, r] - before
        x[r] = S[0, r] - alpha * beta * S[1, r]
    return ADVANCE, 1.0


@kernel(small=True, allocates=False)
def slim(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Step the point ahead itself, along g + beta v."""
    alpha, beta = p[0], p[1]
    for r in range(x.shape[0]):
        W[worker, r] = beta * W[worker, r] + G[0, r]
        x[r] -= alpha * (G[0, r] + beta * W[worker, r])
    return ADVANCE, 1.0


def _init(momentum: float, server: int, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    made = state(x0, [step_size, momentum], server=server, workers=workers)
    made.S[:1] = x0
    return made


def dana(momentum: float = 0.9, *, slim_server: bool = False) -> Method:
    r"""Return DANA: workers have velocities v_i, and read where these will carry the server.

    .. math::
        v_i \leftarrow \beta v_i + g, \qquad \theta \leftarrow \theta - \alpha v_i, \qquad
        x = \theta - \alpha \beta \sum_{l=1}^m v_l

    Slim keeps no iterate but x, and the velocities at the workers: x <- x - alpha (g + beta v_i). Both are
    the same method (proved here: theta and the sum change by alpha v_i and v_i less its old value). With one
    worker: Nesterov's momentum.

    Parameters
    ----------
    momentum : float
        beta in [0, 1).
    slim_server : bool
        DANA-Slim, which costs the server no memory for each worker.

    References
    ----------
    Hakimi, Barkai, Gabel, Schuster (2019), arXiv 1907.11612; the look-ahead is read, the order of steps
    recalled.

    Examples
    --------
    >>> dana().name, dana(slim_server=True).name
    ('dana-zero', 'dana-slim')
    """
    momentum = _checks.share("momentum", momentum, "[0, 1)")
    slim_server = _checks.flag("slim_server", slim_server)
    name, arrive = ("dana-slim", slim) if slim_server else ("dana-zero", zero)
    init = partial(_init, momentum, 0 if slim_server else 2)
    return Method(
        name, init, arrive, provenance="arXiv 1907.11612, order of steps recalled",
        summary="a momentum for each worker; workers read the point ahead along all of them",
    )  # fmt: skip


METHODS["dana-zero"] = lambda m: dana()
METHODS["dana-slim"] = lambda m: dana(slim_server=True)
