"""Exact diffusion: every worker takes back what the last exchange changed."""

from __future__ import annotations

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.graphs import Graph
from cdgrab_sim.updates._mixing import exchange, mixing_update, take_mean
from cdgrab_sim.updates._registry import UPDATES


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move, correct and average; S holds the last points before an exchange, and room for one."""
    m, d = g.shape
    last, room = it.S[:m], it.S[m:]
    for i in range(m):
        for q in range(d):
            moved = it.X[i, q] - alpha * g[i, q]
            it.X[i, q] += moved - last[i, q]
            last[i, q] = moved
    exchange(it.X, room, it.c, it.p)
    take_mean(it.x, it.X)


@UPDATES.register
def exact_diffusion(*, graph: Graph | str = "ring", lazy: bool = True) -> Update:
    r"""Exact diffusion, with random reshuffling ED-RR: one exchange a step, and no offset.

    .. math::

        \psi_i = x_i - \alpha g_i, \qquad
        x_i \leftarrow \sum_l W_{il} (\psi_l + x_l - \psi_l^-), \qquad \psi^- \leftarrow \psi

    with psi^- = x_0 at first. What is recorded is the mean of the x_i; with full gradients the workers agree
    in the end, at any constant step that converges.

    Parameters
    ----------
    graph : Graph or str
        A record, or a registered name, on the workers there are.
    lazy : bool
        Weights (1 + W) / 2: an eigenvalue of W at or below -1/3, such as that of an even ring, would not
        converge.

    References
    ----------
    Huang, Li, Pu, "Distributed Random Reshuffling Methods with Improved Convergence", arXiv 2306.12037
    (ED-RR; the recurrence recalled); exact diffusion: Yuan, Ying, Zhao, Sayed, arXiv 1702.05122.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]], [[[3.0]]]], [[[0.0]], [[4.0]]])
    >>> run = cg.simulate(problem, "ig", epochs=200, step_size=0.25, update=exact_diffusion())
    >>> run.x.round(12).tolist()
    [[1.0]]
    """
    slow = _checks.flag("lazy", lazy)
    settings = [("lazy", slow)]
    return mixing_update(
        "exact-diffusion",
        step,
        graph,
        tables=2,
        at_start=True,
        lazy=slow,
        settings=settings,
        provenance="arXiv 2306.12037, recalled",
    )
