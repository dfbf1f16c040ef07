"""Malenia SGD: Rennala's rounds with the mean of the workers' means, for workers that differ."""

from __future__ import annotations

from functools import partial

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, STAY, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state

BATCH, RESTARTS = 0, 1  # of c, then the number of gradients of each worker


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Collect the gradient if it is of this round; step when the harmonic mean of the counts is S / m."""
    if k_r < k:
        return STAY, 0.0
    m, d, counts = restart.shape[0], x.shape[0], c[2:]
    counts[worker] += 1
    for r in range(d):
        W[worker, r] += G[0, r]
    if not _enough(counts, c[BATCH]):
        return STAY, 1.0
    for r in range(d):
        mean = 0.0 * x[r]
        for i in range(m):
            mean += W[i, r] / counts[i]
            W[i, r] = 0.0
        x[r] -= p[0] * (mean / m)
    for i in range(m):
        counts[i] = 0
        restart[i] = c[RESTARTS] == 1
    return ADVANCE, 1.0


@kernel(small=True, allocates=False)
def _enough(counts, batch):  # type: ignore[no-untyped-def]
    """Say whether (1/m sum 1/B_i)^-1 >= S / m, that is sum 1/B_i <= m^2 / S."""
    m, total = counts.shape[0], 0.0
    for i in range(m):
        if counts[i] == 0:
            return False
        total += 1.0 / counts[i]
    return total * batch <= m * m * (1.0 + 1e-12)  # whole counts of equal workers meet it with equality


def _init(batch: int, stop: bool, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    return state(x0, [step_size], workers=workers, numbers=[batch, int(stop)] + [0] * workers)


def malenia(batch: int, *, stop: bool = True) -> Method:
    r"""Return Malenia SGD: collect B_i gradients of each worker at one point, and average worker by worker.

    .. math::
        x \leftarrow x - \alpha \, \frac1m \sum_{i=1}^m \frac{1}{B_i} \sum_{b=1}^{B_i} g_{ib}(x)
        \quad\text{as soon as}\quad \Big(\frac1m \sum_{i=1}^m \frac{1}{B_i}\Big)^{-1} \ge \frac{S}{m}

    so that fast workers do not outweigh slow ones. What a gradient weighs is known at the end of its round
    only: the log counts 1 for each. With one worker: mini-batch SGD with batch S.

    Parameters
    ----------
    batch : int
        S.
    stop : bool
        Abort the unfinished jobs at the end of a round; otherwise their gradients are dropped when they
        arrive.

    References
    ----------
    Tyurin, Richtárik (2023), arXiv 2305.12387.

    Examples
    --------
    >>> malenia(8).restarts, malenia(8, stop=False).name
    (True, 'malenia-ignore')
    """
    stop = _checks.flag("stop", stop)
    init = partial(_init, _checks.size("batch", batch), stop)
    return Method(
        "malenia" if stop else "malenia-ignore", init, arrive, restarts=stop, provenance="arXiv 2305.12387",
        summary="rounds at one point, averaged worker by worker, so that all workers count alike",
    )  # fmt: skip


METHODS["malenia"] = lambda m: malenia(m)
