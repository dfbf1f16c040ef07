"""Rules that weight a gradient by its delay tau = k - k_r: shrink it, drop it, or abort its job."""

from __future__ import annotations

from functools import partial

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, STAY, Method, MethodState
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state

RULE, THRESHOLD, COUNTS_DROPPED = 0, 1, 2  # of c; the last: the counter advances on a dropped gradient too
SHRINK, LIMIT = 0, 1  # rules
STEP, CEILING = 0, 1  # of p


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Weight the gradient by its delay and apply it."""
    tau, threshold = k - k_r, c[THRESHOLD]
    if c[RULE] == SHRINK:
        weight = threshold / max(threshold, tau)
    else:
        weight = 1.0 if tau <= threshold else min(1.0, p[CEILING] / (p[STEP] * tau))
    if weight == 0.0:
        return (ADVANCE if c[COUNTS_DROPPED] else STAY), 0.0
    step = p[STEP] * weight
    for r in range(x.shape[0]):
        x[r] -= step * G[0, r]
    return ADVANCE, weight


@kernel(small=True, allocates=False)
def abort(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Apply the gradient and abort the jobs whose delay reaches the threshold."""
    threshold, reads = c[0], c[1:]  # then the counters that the jobs read
    for r in range(x.shape[0]):
        x[r] -= p[STEP] * G[0, r]
    reads[worker] = k + 1
    for i in range(restart.shape[0]):
        if k + 1 - reads[i] >= threshold:
            restart[i] = True
            reads[i] = k + 1
    return ADVANCE, 1.0


def _init(
    rule: int,
    threshold: int | None,
    advance: bool,
    ceiling: float,
    x0: FloatArray,
    workers: int,
    step_size: float,
) -> MethodState:
    limit = workers if threshold is None else threshold
    return state(x0, [step_size, ceiling], numbers=[rule, limit, int(advance)])


def _init_abort(threshold: int, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    return state(x0, [step_size], numbers=[threshold] + [0] * workers)


def delay_adaptive() -> Method:
    r"""Return asynchronous SGD whose steps shrink in proportion to the delay.

    .. math:: x \leftarrow x - \alpha \, \min(1, m / \tau) \, g

    With one worker: SGD.

    References
    ----------
    Mishchenko, Bach, Even, Woodworth (2022), arXiv 2206.07638; the rule of their experiments.
    """
    init = partial(_init, SHRINK, None, True, 0.0)
    return Method(
        "delay-adaptive", init, arrive, provenance="arXiv 2206.07638",
        summary="steps shrink in proportion to the delay",
    )  # fmt: skip


def delay_capped(smoothness: float) -> Method:
    r"""Return asynchronous SGD that caps the steps of old gradients only.

    .. math::
        x \leftarrow x - \alpha_\tau \, g, \qquad
        \alpha_\tau = \alpha \text{ for } \tau \le m, \quad
        \min\big(\alpha, \tfrac{1}{4 L \tau}\big) \text{ for } \tau > m

    With one worker: SGD.

    Parameters
    ----------
    smoothness : float
        L.

    References
    ----------
    Koloskova, Stich, Jaggi (2022), arXiv 2206.08307.
    """
    smoothness = _checks.real("smoothness", smoothness, above=0.0)
    init = partial(_init, LIMIT, None, True, 1.0 / (4.0 * smoothness))
    return Method(
        "delay-capped", init, arrive, provenance="arXiv 2206.08307",
        summary="the steps of old gradients are capped",
    )  # fmt: skip


def drop_by_age(threshold: int | None = None, *, advance: bool = True) -> Method:
    r"""Return asynchronous SGD that drops gradients with a delay above a threshold.

    .. math:: x \leftarrow x - \alpha \, 1\{\tau \le \tau_{\max}\} \, g

    With one worker: SGD.

    Parameters
    ----------
    threshold : int, optional
        tau_max >= 1; m by default.
    advance : bool
        The counter advances on a dropped gradient too.

    References
    ----------
    Koloskova, Stich, Jaggi (2022), arXiv 2206.08307, who allow step size 0 for old gradients.
    """
    limit = None if threshold is None else _checks.size("threshold", threshold)
    init = partial(_init, LIMIT, limit, _checks.flag("advance", advance), 0.0)
    return Method(
        "drop-by-age", init, arrive, provenance="arXiv 2206.08307",
        summary="gradients with a delay above a threshold are dropped",
    )  # fmt: skip


def ringmaster(threshold: int, *, stop: bool = False) -> Method:
    r"""Return Ringmaster ASGD: only gradients with a delay below R are applied.

    .. math:: x \leftarrow x - \alpha \, 1\{\tau < R\} \, g, \qquad k \leftarrow k + 1\{\tau < R\}

    With one worker: SGD.

    Parameters
    ----------
    threshold : int
        R >= 1.
    stop : bool
        Abort a job the moment its delay reaches R, instead of discarding its gradient when it arrives.

    References
    ----------
    Maranjyan, Tyurin, Richtárik (2025), arXiv 2501.16168.
    """
    R = _checks.size("threshold", threshold)
    if _checks.flag("stop", stop):
        return Method(
            "ringmaster-stop", partial(_init_abort, R), abort, restarts=True, provenance="arXiv 2501.16168",
            summary="jobs are aborted the moment their delay reaches a threshold",
        )  # fmt: skip
    return Method(
        "ringmaster", partial(_init, LIMIT, R - 1, False, 0.0), arrive, provenance="arXiv 2501.16168",
        summary="only gradients with a delay below a threshold are applied and counted",
    )  # fmt: skip


METHODS["delay-adaptive"] = lambda m: delay_adaptive()
METHODS["drop-by-age"] = lambda m: drop_by_age()
METHODS["ringmaster"] = lambda m: ringmaster(2 * m)
METHODS["ringmaster-stop"] = lambda m: ringmaster(2 * m, stop=True)
