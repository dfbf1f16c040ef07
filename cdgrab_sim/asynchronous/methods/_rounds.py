"""Rounds: gradients computed at one point are collected, then applied together."""

from __future__ import annotations

from functools import partial

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, STAY, WAIT, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state

BATCH, COUNT, WAITS, RESTARTS, ANY_AGE = range(5)  # of c


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Collect the gradient if it is of this round, or of any; apply the mean when the batch is full."""
    if k_r < k and not c[ANY_AGE]:
        return STAY, 0.0
    d, batch = x.shape[0], c[BATCH]
    for r in range(d):
        S[0, r] += G[0, r]
    c[COUNT] += 1
    if c[COUNT] < batch:
        return (WAIT if c[WAITS] else STAY), 1.0
    for r in range(d):
        x[r] -= p[0] * (S[0, r] / batch)
        S[0, r] = 0.0
    c[COUNT] = 0
    if c[RESTARTS]:
        for i in range(restart.shape[0]):
            restart[i] = True
    return ADVANCE, 1.0


def _init(
    batch: int | None,
    waits: bool,
    restarts: bool,
    x0: FloatArray,
    workers: int,
    step_size: float,
    any_age: bool = False,
) -> MethodState:
    size = workers if batch is None else batch
    if waits and size > workers:
        raise ValueError(f"k: expected at most as many arrivals as workers, {workers}; got {size}; lower it")
    return state(x0, [step_size], server=1, numbers=[size, 0, int(waits), int(restarts), int(any_age)])


def mini_batch() -> Method:
    r"""Return synchronous SGD: a round waits for every worker.

    .. math:: x \leftarrow x - \alpha \, \frac1m \sum_{i=1}^m g_i

    With one worker: SGD.
    """
    return Method(
        "mini-batch", partial(_init, None, True, True), arrive, restarts=True, provenance="textbook",
        summary="synchronous SGD: a round waits for every worker",
    )  # fmt: skip


def first_k(k: int) -> Method:
    r"""Return synchronous SGD that waits for the first k workers and aborts the jobs of the others.

    .. math:: x \leftarrow x - \alpha \, \frac1k \sum_{i \text{ among the first } k} g_i

    With one worker: SGD.

    Parameters
    ----------
    k : int
        At most the number of workers.

    References
    ----------
    Backup workers: Chen, Pan, Monga, Bengio, Jozefowicz (2016), arXiv 1604.00981.
    """
    init = partial(_init, _checks.size("k", k), True, True)
    return Method(
        "first-k", init, arrive, restarts=True, provenance="arXiv 1604.00981",
        summary="synchronous SGD that waits for the first k workers and aborts the others",
    )  # fmt: skip


def rennala(batch: int, *, stop: bool = True) -> Method:
    r"""Return Rennala SGD: collect S gradients at one point, then step.

    .. math:: x \leftarrow x - \alpha \, \frac1S \sum_{s=1}^S g_s(x)

    With one worker: mini-batch SGD with batch S.

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
    """
    stop = _checks.flag("stop", stop)
    init = partial(_init, _checks.size("batch", batch), False, stop)
    name, rest = ("rennala", "aborted") if stop else ("rennala-ignore", "dropped when they arrive")
    return Method(
        name, init, arrive, restarts=stop, provenance="arXiv 2305.12387",
        summary=f"a batch of gradients at one point, then a step; late ones are {rest}",
    )  # fmt: skip


def buffered(size: int) -> Method:
    r"""Return asynchronous SGD with a buffer: every B arrivals, of whatever age, make one step.

    .. math:: x \leftarrow x - \alpha \, \frac1B \sum_{b=1}^B g_b

    Workers never wait and nothing is dropped. With one worker: mini-batch SGD with batch B.

    Parameters
    ----------
    size : int
        B.

    References
    ----------
    FedBuff without local steps: Nguyen, Malik, Zhan, Yousefpour, Rabbat, Malek, Huba (2021), arXiv
    2106.06639; recalled.
    """
    init = partial(_init, _checks.size("size", size), False, False, any_age=True)
    return Method(
        "buffered", init, arrive, provenance="arXiv 2106.06639, recalled",
        summary="every B arrivals, of whatever age, make one step",
    )  # fmt: skip


METHODS["buffered"] = lambda m: buffered(max(1, m // 2))
METHODS["mini-batch"] = lambda m: mini_batch()
METHODS["first-k"] = lambda m: first_k(max(1, (3 * m) // 4))
METHODS["rennala"] = lambda m: rennala(m)
METHODS["rennala-ignore"] = lambda m: rennala(m, stop=False)
