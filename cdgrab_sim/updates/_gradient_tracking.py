"""Gradient tracking: neighbours average gradients too, so that all of them arrive at one point."""

from __future__ import annotations

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.graphs import Graph
from cdgrab_sim.updates._mixing import exchange, mixing_update, take_mean
from cdgrab_sim.updates._registry import UPDATES


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move along the tracked gradients; S holds them, the last gradients, and room for an exchange."""
    m, d = g.shape
    tracked, last, room = it.S[:m], it.S[m : 2 * m], it.S[2 * m :]
    for i in range(m):
        for q in range(d):
            tracked[i, q] += g[i, q] - last[i, q]
            last[i, q] = g[i, q]
    exchange(tracked, room, it.c, it.p)
    for i in range(m):
        for q in range(d):
            it.X[i, q] -= alpha * tracked[i, q]
    exchange(it.X, room, it.c, it.p)
    take_mean(it.x, it.X)


@UPDATES.register
def gradient_tracking(*, graph: Graph | str = "ring") -> Update:
    r"""Gradient tracking, with random reshuffling GT-RR: y_i follows the mean gradient.

    .. math::

        y_i \leftarrow \sum_l W_{il} (y_l + g_l - g_l^-), \qquad
        x_i \leftarrow \sum_l W_{il} (x_l - \alpha y_l)

    with g_l^- the gradient of the step before, and y = g^- = 0 at first. The mean of the y_i is the mean of
    the gradients at every step. Two exchanges a step. What is recorded is the mean of the x_i; with full
    gradients the workers agree in the end, at any constant step that converges.

    Parameters
    ----------
    graph : Graph or str
        A record, or a registered name, on the workers there are.

    References
    ----------
    Huang, Li, Pu, "Distributed Random Reshuffling Methods with Improved Convergence", arXiv 2306.12037
    (GT-RR; the recurrence recalled).

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]], [[[3.0]]]], [[[0.0]], [[4.0]]])
    >>> run = cg.simulate(problem, "ig", epochs=200, step_size=0.25, update=gradient_tracking(graph="ring"))
    >>> run.x.round(12).tolist()
    [[1.0]]
    """
    return mixing_update("gradient-tracking", step, graph, tables=3, provenance="arXiv 2306.12037, recalled")
