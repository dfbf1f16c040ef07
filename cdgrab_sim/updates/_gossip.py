"""Gossip: every worker steps, and averages with its neighbours."""

from __future__ import annotations

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.graphs import Graph
from cdgrab_sim.updates._mixing import exchange, mixing_update, take_mean
from cdgrab_sim.updates._registry import UPDATES
from cdgrab_sim.updates._rounds import ends


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move ``X[i]`` along g[i], and average with the neighbours at the end of a round."""
    for i in range(g.shape[0]):
        for q in range(g.shape[1]):
            it.X[i, q] -= alpha * g[i, q]
    if ends(it.c):
        exchange(it.X, it.S, it.c, it.p)
    take_mean(it.x, it.X)


@UPDATES.register
def gossip(*, graph: Graph | str = "ring", mixing: int = 1) -> Update:
    r"""Gossip: decentralized SGD; with random reshuffling D-RR.

    .. math:: x_i \leftarrow \sum_l W_{il} (x_l - \alpha g_l), \qquad g_l \text{ at } x_l

    or, with ``mixing`` = H, H steps without a word between two such exchanges. What is recorded is the mean
    of the x_i. On the complete graph this is plain SGD. At a constant step the workers do not agree in the
    end: with full gradients of a shared Hessian, their offset is that of the note N2.

    Parameters
    ----------
    graph : Graph or str
        A record, such as ``cg.graphs.from_edges(...)``, or a registered name, on the workers there are.
    mixing : int
        H >= 1.

    Raises
    ------
    ValueError
        For a graph of another number of workers (when the run starts).

    References
    ----------
    Huang, Li, Milzarek, Pu, Qiu, "Distributed Random Reshuffling over Networks", arXiv 2112.15287, Algorithm
    1, whose published code mixes with (1 + W) / 2.

    Examples
    --------
    Two workers with minima 0 and 4, f_i = (x - b_i)^2 / 2, alpha = 1/2: the mean goes half the way to 2.

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]], [[[1.0]]]], [[[0.0]], [[4.0]]])
    >>> cg.simulate(problem, "ig", epochs=1, step_size=0.5, update=gossip(graph="complete")).x.tolist()
    [[1.0]]
    """
    every = _checks.size("mixing", mixing)
    return mixing_update(
        "gossip",
        step,
        graph,
        tables=1,
        every=every,
        settings=[("mixing", every)],
        provenance="arXiv 2112.15287, Algorithm 1, recalled",
    )
