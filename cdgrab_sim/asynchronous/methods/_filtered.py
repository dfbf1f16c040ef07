"""Asynchronous mini-batching: any method on batches of gradients that were taken at its query point."""

from __future__ import annotations

from functools import partial

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, STAY, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state

BATCH, COUNT, INNER = 0, 1, 2  # of c
INNERS = ("sgd", "heavy-ball", "nesterov")
PLAIN, _, LOOK_AHEAD = range(len(INNERS))


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Collect the gradient if it was taken at x; let the inner method step along the mean of a batch.

    S[0] is the sum of the batch and S[1] the velocity v. With look-ahead x is the point ahead of the step.
    """
    if k_r < k:
        return STAY, 0.0
    d, alpha, beta = x.shape[0], p[0], p[1]
    c[COUNT] += 1
    for r in range(d):
        S[0, r] += G[0, r]
    if c[COUNT] < c[BATCH]:
        return STAY, 1.0
    for r in range(d):
        mean = S[0, r] / c[BATCH]
        S[0, r] = 0.0
        S[1, r] = beta * S[1, r] + mean
        ahead = mean + beta * S[1, r] if c[INNER] == LOOK_AHEAD else S[1, r]
        x[r] -= alpha * ahead
    c[COUNT] = 0
    return ADVANCE, 1.0


def _init(
    batch: int, inner: int, momentum: float, x0: FloatArray, workers: int, step_size: float
) -> MethodState:
    beta = 0.0 if inner == PLAIN else momentum
    return state(x0, [step_size, beta], server=2, numbers=[batch, 0, inner])


def filtered_batches(batch: int, *, inner: str = "nesterov", momentum: float = 0.9) -> Method:
    r"""Return asynchronous mini-batching: stale gradients are filtered, and batches go to an inner method.

    .. math::
        v \leftarrow \beta v + \frac1B \sum_{b=1}^B g_b(x), \qquad
        x \leftarrow x - \alpha v \quad\text{(heavy ball)}, \qquad
        x \leftarrow x - \alpha \Big(\frac1B \sum_{b=1}^B g_b(x) + \beta v\Big) \quad\text{(Nesterov)}

    Batches of a quantile of the delays cost as many steps as batches of the mean delay and keep the share of
    gradients below that quantile. With the inner method "sgd": Rennala that ignores late gradients. With one
    worker: the inner method with batch B.

    Parameters
    ----------
    batch : int
        B.
    inner : {"nesterov", "heavy-ball", "sgd"}
    momentum : float
        beta in [0, 1), of the inner method.

    References
    ----------
    Attia, Gaash, Koren (2024), arXiv 2408.07503, abstract; the filter is recalled.

    Examples
    --------
    >>> filtered_batches(8, inner="sgd").name
    'filtered-batches-sgd'
    """
    inner, beta = _checks.choice("inner", inner, INNERS), _checks.share("momentum", momentum, "[0, 1)")
    init = partial(_init, _checks.size("batch", batch), INNERS.index(inner), beta)
    return Method(
        f"filtered-batches-{inner}", init, arrive, provenance="arXiv 2408.07503, filter recalled",
        summary="stale gradients are filtered; batches at one point go to an inner method",
    )  # fmt: skip


METHODS["filtered-batches-nesterov"] = lambda m: filtered_batches(m)
