"""Vanilla asynchronous SGD: every gradient is applied, however late."""

from __future__ import annotations

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Apply the gradient."""
    alpha, g = p[0], G[0]
    for r in range(x.shape[0]):
        x[r] -= alpha * g[r]
    return ADVANCE, 1.0


def _init(x0: FloatArray, workers: int, step_size: float) -> MethodState:
    return state(x0, [step_size])


def vanilla() -> Method:
    r"""Return plain asynchronous SGD.

    .. math:: x \leftarrow x - \alpha \, g, \qquad k \leftarrow k + 1

    With one worker: SGD.

    References
    ----------
    As in Koloskova, Stich, Jaggi (2022), arXiv 2206.08307.

    Examples
    --------
    >>> vanilla().name
    'vanilla'
    """
    return Method(
        "vanilla", _init, arrive, provenance="arXiv 2206.08307",
        summary="every gradient is applied, however late",
    )  # fmt: skip


METHODS["vanilla"] = lambda m: vanilla()
