"""Rescaled ASGD: a worker's steps are as long as its jobs take, so that all workers count alike."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._types import FloatArray
from cdgrab_sim.asynchronous._records import ADVANCE, Method, MethodState, positive_times
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):  # type: ignore[no-untyped-def]
    """Apply the gradient with the weight of its worker, given in p[1:] or told by the counts so far."""
    if p.shape[0] > 1:
        weight = p[1 + worker]
    else:
        c[worker] += 1
        weight = (k + 1) / (c[worker] * restart.shape[0])
    step = p[0] * weight
    for r in range(x.shape[0]):
        x[r] -= step * G[0, r]
    return ADVANCE, weight


def _init(times: FloatArray | None, x0: FloatArray, workers: int, step_size: float) -> MethodState:
    if times is None:
        return state(x0, [step_size], numbers=[0] * workers)
    if times.shape != (workers,):
        raise ValueError(
            f"times: expected one for each of {workers} workers; got shape {times.shape}; or give none"
        )
    weights = times * (np.sum(1.0 / times) / workers)
    return state(x0, [step_size, *np.where(np.isfinite(times), weights, 0.0)])


def rescaled(times: ArrayLike | None = None) -> Method:
    r"""Return Rescaled ASGD: steps in proportion to the time that the worker takes.

    .. math:: x \leftarrow x - \alpha \, w_i \, g, \qquad w_i = s_i \, \frac1m \sum_{l=1}^m \frac{1}{s_l}

    so that a unit of time gives each worker the same weight, and a mean step is alpha. Without `times`, the
    server estimates them by its own counter: w_i = (k + 1) / (m N_i), with N_i the gradients of worker i so
    far. With one worker: SGD.

    Parameters
    ----------
    times : array (workers,), optional
        s_i, mean job times.

    References
    ----------
    Mahran, Maranjyan, Richtárik (2026), arXiv 2605.13434, abstract; weights from counts made here.

    Examples
    --------
    Shards of a fast and a slow worker count alike:

    >>> import cdgrab_sim as cg
    >>> shards = cg.problems.quadratic(m=2, n=8, d=2)
    >>> options = {"workers": 2, "job_times": [1, 4], "updates": 500, "step_size": 0.01}
    >>> run = cg.simulate_async(shards, rescaled([1, 4]), **options)
    >>> run.weight.sum(axis=1).tolist()
    [250.0, 250.0]
    """
    known = None if times is None else positive_times("times", np.atleast_1d(np.asarray(times)))
    return Method(
        "rescaled", partial(_init, known), arrive, provenance="arXiv 2605.13434, abstract",
        summary="steps in proportion to the worker's job times, so that all workers count alike",
    )  # fmt: skip


METHODS["rescaled"] = lambda m: rescaled()
