"""SAGA: SAG without its bias."""

from __future__ import annotations

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.updates._iterates import iterates
from cdgrab_sim.updates._registry import UPDATES


@kernel(small=True)
def take(it: Iterates, out: FloatArray, g: FloatArray, alpha: float, i: int, j: int, u: FloatArray) -> None:
    """Add g - h, and put g into the table, whose rows follow ``S[0]``, their sum before this step.

    ``S[1]`` is by how much the sum changes; c[0] is n.
    """
    h = it.S[2 + i * it.c[0] + j]
    for q in range(g.shape[0]):
        change = g[q] - h[q]
        out[q] += change
        it.S[1, q] += change
        h[q] = g[q]


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move along g and the mean of the table as it was."""
    share = 1.0 / (it.S.shape[0] - 2)
    for q in range(it.x.shape[0]):
        it.x[q] -= alpha * (g[q] + share * it.S[0, q])
        it.S[0, q] += it.S[1, q]
        it.S[1, q] = 0.0


@UPDATES.register
def saga() -> Update:
    r"""SAGA: what the gradients of a step differ from their last ones by, beside the mean of the table.

    .. math::

        x \leftarrow x - \alpha \Bigl( \frac1m \sum_i \bigl( \nabla f_{ij}(x) - h_{ij} \bigr)
            + \frac1{mn} \sum_{i,l} h_{il} \Bigr), \qquad h_{ij} \leftarrow \nabla f_{ij}(x)

    at the example j of worker i; a batch averages the first sum. The table starts at 0 and takes m n d
    numbers. An ordering's weights multiply the differences alone, so that draws with weights 1/(n p_j) are
    unbiased. An example that a batch holds twice counts once.

    References
    ----------
    Defazio, Bach, Lacoste-Julien, "SAGA: A Fast Incremental Gradient Method With Support for Non-Strongly
    Convex Composite Objectives", arXiv 1407.0202 (recalled).

    Examples
    --------
    Two examples x^2 / 2 from 1 with alpha = 1: the first step is that of SGD, to 0. There the gradient is 0,
    and the table's mean, which holds 1 and 0, leads to -1/2.

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]] * 2], [[[0.0]] * 2])
    >>> cg.simulate(problem, "ig", epochs=1, step_size=1.0, x0=[1.0], update=saga()).x.tolist()
    [[-0.5]]
    """

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        return iterates(x0, vectors=2 + problem.m * problem.n, counters=(problem.n,))

    return Update("saga", init, step, take, provenance="arXiv 1407.0202, recalled; rates proved here")
