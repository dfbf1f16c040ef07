"""STORM: every worker corrects its momentum with a second gradient of the same example."""

from __future__ import annotations

from functools import partial

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state

SEEN = 0  # of c: workers that have a momentum; then which


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Correct the worker's momentum W[m + worker]; step along the mean of all, with their sum in S[0]."""
    m, alpha, a, known = restart.shape[0], p[0], p[1], c[1:]
    first = known[worker] == 0
    c[SEEN] += first
    known[worker] = 1
    for r in range(x.shape[0]):
        before = W[m + worker, r]
        kept = 0.0 if first else (1.0 - a) * (before - G[1, r])
        W[m + worker, r] = G[0, r] + kept
        W[worker, r] = y[r]
        S[0, r] += W[m + worker, r] - before
        x[r] -= alpha * (S[0, r] / c[SEEN])
    return ADVANCE, 1.0


def _init(a: float, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    made = state(x0, [step_size, a], server=1, workers=2 * workers, numbers=[0] * (1 + workers))
    made.W[:workers] = x0
    return made


def storm(a: float = 0.1) -> Method:
    r"""Return asynchronous STORM: recursive momentum at each worker, and a step along their mean.

    .. math::
        d_i \leftarrow g(y) + (1 - a) (d_i - g(q_i)), \qquad
        x \leftarrow x - \alpha \, \frac1m \sum_{i=1}^m d_i

    with both gradients of one example, and q_i the point that worker i read before y. The mean is over the
    workers that have arrived. With one worker: STORM.

    Parameters
    ----------
    a : float
        In (0, 1]; 1 is the mean of the last gradients.

    References
    ----------
    Cutkosky, Orabona (2019), arXiv 1905.10018, one worker and constant a; the asynchronous form made here.

    Examples
    --------
    >>> storm().second_gradient
    True
    """
    a = _checks.share("a", a, "(0, 1]")
    return Method(
        "storm", partial(_init, a), arrive, second_gradient=True,
        provenance="arXiv 1905.10018; the asynchronous form made here",
        summary="two gradients for each example correct the worker's momentum, with a constant weight",
    )  # fmt: skip


METHODS["storm"] = lambda m: storm()
