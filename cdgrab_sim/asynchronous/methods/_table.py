"""Gradient tables: steps along the mean of every worker's last gradient."""

from __future__ import annotations

from functools import partial

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state

SEEN, RULE = 0, 1  # of c: workers in the table; then which
PLAIN, ADAPTIVE = 0, 1  # rules of the step
# Of p: the sum of the steps so far, and what it was when each job, and each gradient in the table, was read.
SPENT, READS = 2, 3


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Replace the worker's gradient in the table W, whose sum is S[0], and step along the mean."""
    m, known = restart.shape[0], c[2:]
    c[SEEN] += known[worker] == 0
    known[worker] = 1
    pending, taken = p[READS : READS + m], p[READS + m :]
    taken[worker] = pending[worker]
    step = p[0] if c[RULE] == PLAIN else _step(c, p, known, taken)
    p[SPENT] += step
    pending[worker] = p[SPENT]
    for r in range(x.shape[0]):
        S[0, r] += G[0, r] - W[worker, r]
        W[worker, r] = G[0, r]
        x[r] -= step * (S[0, r] / c[SEEN])
    return ADVANCE, 1.0


@kernel(small=True, allocates=False)
def _step(c, p, known, taken):  # type: ignore[no-untyped-def]
    """Return a step that, with those since the oldest gradient in the table was read, is at most p[0]."""
    oldest = p[SPENT]
    for i in range(known.shape[0]):
        if known[i] and taken[i] < oldest:
            oldest = taken[i]
    return p[1] * max(0.0, p[0] - (p[SPENT] - oldest))


def _init(rule: int, share: float, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    numbers, reads = [0, rule] + [0] * workers, [0.0] * (2 * workers)
    return state(x0, [step_size, share, 0.0, *reads], server=1, workers=workers, numbers=numbers)


def gradient_table() -> Method:
    r"""Return the gradient table: SAGA's idea with a row for each worker.

    .. math:: G_i \leftarrow g, \qquad x \leftarrow x - \alpha \, \frac1m \sum_{i=1}^m G_i

    over the workers that have arrived. All workers weigh alike, however fast. With one worker: SGD.

    References
    ----------
    As the baseline of Wang et al., DuDe-ASGD, arXiv 2405.16966; recalled.

    Examples
    --------
    >>> gradient_table().name
    'gradient-table'
    """
    return Method(
        "gradient-table", partial(_init, PLAIN, 1.0), arrive, provenance="arXiv 2405.16966, recalled",
        summary="steps along the mean of every worker's last gradient",
    )  # fmt: skip


def delay_adaptive_table(share: float = 0.9) -> Method:
    r"""Return PIAG with steps that adapt to the delay of the oldest gradient in the table.

    .. math::
        x \leftarrow x - \gamma_k \, \frac1m \sum_{i=1}^m G_i, \qquad
        \gamma_k = a \, \max\Big(0, \alpha - \sum_{t = k - \tau_k}^{k - 1} \gamma_t\Big)

    so that the steps since the oldest gradient was read never sum to more than alpha. With one worker: SGD
    with step a alpha.

    Parameters
    ----------
    share : float
        a in (0, 1).

    References
    ----------
    Wu, Magnússon, Feyzmahdavian, Johansson (2022), arXiv 2202.08550, Adaptive 1; recalled.

    Examples
    --------
    >>> delay_adaptive_table().name
    'piag-adaptive'
    """
    share = _checks.share("share", share, "(0, 1)")
    return Method(
        "piag-adaptive", partial(_init, ADAPTIVE, share), arrive, provenance="arXiv 2202.08550, recalled",
        summary="a gradient table whose steps adapt to its oldest gradient",
    )  # fmt: skip


METHODS["gradient-table"] = lambda m: gradient_table()
METHODS["piag-adaptive"] = lambda m: delay_adaptive_table()
