"""Ringleader ASGD: a table of gradients, and rounds in which every worker makes one update."""

from __future__ import annotations

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, STAY, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state

FILLED, UPDATED = 0, 1  # of c: workers in the table, and workers that have made their update of this round


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Put the gradient into the table of this round or of the next; step if the worker's update is due.

    The table's sums stand in W[:m] and the next one's in W[m:], their counts in c; S[0] is the sum of the
    means in the table.
    """
    m = restart.shape[0]
    counts, following, updated = c[2 : 2 + m], c[2 + m : 2 + 2 * m], c[2 + 2 * m :]
    if updated[worker]:
        following[worker] += 1
        for r in range(x.shape[0]):
            W[m + worker, r] += G[0, r]
        return STAY, 1.0
    c[FILLED] += counts[worker] == 0
    counts[worker] += 1
    for r in range(x.shape[0]):
        before = W[worker, r] / max(counts[worker] - 1, 1)
        W[worker, r] += G[0, r]
        S[0, r] += W[worker, r] / counts[worker] - before
    if c[FILLED] < m:
        return STAY, 1.0
    for r in range(x.shape[0]):
        x[r] -= p[0] * (S[0, r] / m)
    updated[worker] = 1
    c[UPDATED] += 1
    if c[UPDATED] == m:
        _next_round(S, W, c, m)
    return ADVANCE, 1.0


@kernel(small=True, allocates=False)
def _next_round(S, W, c, m):  # type: ignore[no-untyped-def]
    """Make the table of the next round that of this one."""
    counts, following, updated = c[2 : 2 + m], c[2 + m : 2 + 2 * m], c[2 + 2 * m :]
    S[0] = 0.0
    c[FILLED] = c[UPDATED] = 0
    for i in range(m):
        counts[i], following[i], updated[i] = following[i], 0, 0
        c[FILLED] += counts[i] > 0
        for r in range(S.shape[1]):
            W[i, r], W[m + i, r] = W[m + i, r], 0.0
            S[0, r] += W[i, r] / max(counts[i], 1)


def _init(x0: FloatArray, workers: int, step_size: float) -> MethodState:
    return state(x0, [step_size], server=1, workers=2 * workers, numbers=[0] * (2 + 3 * workers))


def ringleader() -> Method:
    r"""Return Ringleader ASGD: every worker makes one update a round, with the mean of a table.

    .. math::
        x \leftarrow x - \alpha \, \frac1m \sum_{i=1}^m \bar g_i, \qquad
        \bar g_i = \frac{1}{b_i} \sum_{b=1}^{b_i} g_{ib}

    1. Gradients enter the table until every worker is in it; workers go on from the same point.
    2. The gradient that completes it makes the first update, and the first gradient that comes from each of
       the other workers enters the table and makes the next one. What comes from workers that have had their
       update enters the table of the next round.

    No job is thrown away or kept waiting, and a round has m updates, so that delays stay below 2 m. What a
    gradient weighs is not known when it comes: the log counts 1 for each. With one worker: SGD.

    References
    ----------
    Maranjyan, Richtárik (2025), arXiv 2509.22860; the two phases are recalled.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> shards = cg.problems.quadratic(m=4, n=8, d=2)
    >>> options = {"workers": 4, "job_times": [1, 2, 3, 9], "updates": 400, "step_size": 0.01}
    >>> run = cg.simulate_async(shards, ringleader(), **options)
    >>> len(run.delays) <= 8, bool((run.dropped == 0).all())
    (True, True)
    """
    return Method(
        "ringleader", _init, arrive, provenance="arXiv 2509.22860, phases recalled",
        summary="a table of gradients; every worker makes one update a round, with its mean",
    )  # fmt: skip


METHODS["ringleader"] = lambda m: ringleader()
