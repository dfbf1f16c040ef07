"""Ordered momentum: late gradients enter with the weight they would have had if they had come in time.

The paper of that name on data-dependent delays, arXiv 2605.02043, is known here by its abstract and
introduction only. These are reconstructions, labelled as such in `Method.provenance`:

* ``anytime``: AnyTime averaging, weights by the index at issue, plus the correction that makes the final
  state independent of the order of arrival;
* ``heavy-ball``: OrMo (arXiv 2407.19234), which puts gradients into buckets of m by their index at issue;
* ``mu-squared``: corrected momentum at each worker and AnyTime averaging at the server (arXiv 2501.09621
  without Byzantine workers).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, Method, MethodState
from cdgrab_sim.asynchronous._regions import Region, project
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state

# of c
REGION, CORRECT, TOTAL = 0, 1, 1  # a kind of Region; the second step of AnyTime; all gradients of mu-squared
BUCKET, EARLY = 0, 1

_UNVERIFIED = "reconstruction of arXiv 2605.02043, unverified"


@kernel(small=True, allocates=False)
def anytime(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Step the iterate w = S[0] with the weight of the index at issue; average it into x."""
    seen, then = (k + 1) * (k + 2) / 2, (k_r + 1) * (k_r + 2) / 2
    eta, shown = p[0] * (k_r + 1), (seen - then) / seen
    for r in range(x.shape[0]):
        move = eta * G[0, r]
        S[0, r] -= move
        if c[CORRECT]:
            x[r] -= move * shown
    _average(x, S, c[REGION], k)
    return ADVANCE, 1.0


@kernel(small=True, allocates=False)
def heavy_ball(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Add the gradient to the momentum u = S[0] as if it had come with its bucket."""
    m, alpha, beta = restart.shape[0], p[0], p[1]
    if c[EARLY] == 0 and c[BUCKET] < (k + m - 1) // m:
        _next_bucket(x, S, c, beta)
    late = float(c[BUCKET] - (k_r + m - 1) // m)
    kept = alpha * math.pow(beta, late)
    shown = alpha * ((1.0 - math.pow(beta, late + 1.0)) / (1.0 - beta))
    for r in range(x.shape[0]):
        S[0, r] += kept * G[0, r]
        x[r] -= shown * G[0, r]
    if c[EARLY] == 1 and c[BUCKET] < (k + m) // m:
        _next_bucket(x, S, c, beta)
    return ADVANCE, 1.0


@kernel(small=True, allocates=False)
def _next_bucket(x, S, c, beta):  # type: ignore[no-untyped-def]
    """Let the momentum decay, and step along it."""
    for r in range(x.shape[0]):
        x[r] -= beta * S[0, r]
        S[0, r] *= beta
    c[BUCKET] += 1


@kernel(small=True, allocates=False)
def mu_squared(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Correct the worker's momentum W[m + worker]; step w = S[0] along the mean over all gradients so far."""
    m, eta = restart.shape[0], p[0] * (k + 1)
    counts = c[2:]  # gradients of each worker
    counts[worker] += 1
    c[TOTAL] += 1
    keep = 1.0 - 1.0 / counts[worker]
    for r in range(x.shape[0]):
        W[m + worker, r] = G[0, r] + keep * (W[m + worker, r] - G[1, r])
        W[worker, r] = y[r]
        mean = 0.0 * x[r]
        for i in range(m):
            mean += (counts[i] / c[TOTAL]) * W[m + i, r]
        S[0, r] -= eta * mean
    _average(x, S, c[REGION], k)
    return ADVANCE, 1.0


@kernel(small=True, allocates=False)
def _average(x, S, region, k):  # type: ignore[no-untyped-def]
    """Project the iterate w = S[0] onto the region with bounds S[1:], and average it into x."""
    seen = (k + 1) * (k + 2) / 2
    if region:
        project(S[0], region, S[1:])
    for r in range(x.shape[0]):
        x[r] = (seen * x[r] + (k + 2) * S[0, r]) / (seen + (k + 2))


def _init_anytime(
    correct: bool, region: Region | None, x0: FloatArray, workers: int, step_size: float
) -> MethodState:
    return _projected_state(region, x0, [step_size], numbers=[0, int(correct)])


def _projected_state(
    region: Region | None, x0: FloatArray, parameters: list[float], **sizes: Any
) -> MethodState:
    """Return the state of a method whose iterate S[0] is projected onto a region."""
    made = state(x0, parameters, server=3, **sizes)
    made.S[0] = x0
    if region is not None:
        made.c[REGION] = region.kind
        made.S[1:] = region.bounds(len(x0))
    return made


def _init_heavy_ball(
    momentum: float, early: bool, x0: FloatArray, workers: int, step_size: float
) -> MethodState:
    return state(x0, [step_size, momentum], server=1, numbers=[0, int(early)])


def _init_mu_squared(region: Region | None, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    numbers = [0] * (2 + workers)
    made = _projected_state(region, x0, [step_size], workers=2 * workers, numbers=numbers)
    made.W[:workers] = x0
    return made


def ordered_anytime(*, correct: bool = True) -> Method:
    r"""Return ordered AnyTime SGD: a gradient read at counter j keeps the weight j + 1, however late.

    .. math::
        w \leftarrow w - \eta (j + 1) g, \qquad
        x \leftarrow x - \eta (j + 1) g \, \frac{A_k - A_j}{A_k}, \qquad
        x \leftarrow \frac{A_k x + (k + 2) w}{A_{k+1}}, \qquad A_i = \frac{(i + 1)(i + 2)}{2}

    The state depends on the gradients that have arrived and not on the order in which they came. With one
    worker: AnyTime SGD. A projection acts on w, and with one the order of arrival matters. A reconstruction:
    the formulas are not confirmed by the paper.

    Parameters
    ----------
    correct : bool
        Make the second step, without which the order of arrival matters.

    References
    ----------
    AnyTime: Cutkosky (2019), arXiv 1903.00974. Reconstruction of Dahan, Reshef, Goldstein, Levy, arXiv
    2605.02043.
    """
    correct = _checks.flag("correct", correct)

    def projected(region: Region | None) -> Method:
        init = partial(_init_anytime, correct, region)
        return Method(
            "ordered-momentum-anytime", init, anytime, provenance=_UNVERIFIED, projected=projected,
            summary="AnyTime averaging; a gradient keeps the weight of its index at issue",
        )  # fmt: skip

    return projected(None)


def ordered_heavy_ball(momentum: float = 0.9, *, early: bool = False) -> Method:
    r"""Return ordered heavy ball, OrMo: bucket ceil(j / m) for a gradient read at counter j.

    .. math::
        u \leftarrow u + \alpha \beta^e g, \qquad
        x \leftarrow x - \alpha \frac{1 - \beta^{e+1}}{1 - \beta} g, \qquad
        e = b - \lceil j / m \rceil

    and when the bucket b of the server advances, x <- x - beta u, u <- beta u. With one worker: heavy ball;
    with `early`, Nesterov's form. The update formulas are recalled; the order invariance that defines the
    method is tested.

    Parameters
    ----------
    momentum : float
        beta in [0, 1).
    early : bool
        The bucket advances before the worker reads, not when the next gradient arrives. The papers leave
        this open.

    References
    ----------
    Shi, Yang, Li (2024), arXiv 2407.19234.
    """
    momentum = _checks.share("momentum", momentum, "[0, 1)")
    init = partial(_init_heavy_ball, momentum, _checks.flag("early", early))
    source = f"arXiv 2407.19234, formulas recalled; as {_UNVERIFIED}"
    return Method(
        "ordered-momentum-heavy-ball", init, heavy_ball, provenance=source,
        summary="OrMo: late gradients enter the momentum as if they had come with their bucket",
    )  # fmt: skip


def ordered_mu_squared() -> Method:
    r"""Return asynchronous mu^2-SGD: two gradients per example correct the worker's momentum.

    .. math::
        d_i \leftarrow g(y) + \Big(1 - \frac{1}{s_i}\Big) (d_i - g(q_i)), \qquad
        w \leftarrow w - \eta (k + 1) \sum_i \frac{s_i}{\sum_l s_l} d_i

    with s_i the gradients of worker i so far, q_i the point it read before y, and x the AnyTime average of w.
    With one worker: mu^2-SGD. Costs O(m d) per arrival.

    References
    ----------
    Dahan, Levy (2025), arXiv 2501.09621, without Byzantine workers: our specialisation.
    """
    source = f"arXiv 2501.09621, specialised; as {_UNVERIFIED}"

    def projected(region: Region | None) -> Method:
        init = partial(_init_mu_squared, region)
        return Method(
            "ordered-momentum-mu-squared", init, mu_squared, second_gradient=True, provenance=source,
            projected=projected,
            summary="two gradients for each example correct the worker's momentum",
        )  # fmt: skip

    return projected(None)


METHODS["ordered-momentum-anytime"] = lambda m: ordered_anytime()
METHODS["ordered-momentum-heavy-ball"] = lambda m: ordered_heavy_ball()
METHODS["ordered-momentum-mu-squared"] = lambda m: ordered_mu_squared()
