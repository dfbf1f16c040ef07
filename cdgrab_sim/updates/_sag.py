"""SAG: steps along the mean of the last gradients of all examples."""

from __future__ import annotations

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.updates._iterates import iterates
from cdgrab_sim.updates._registry import UPDATES


@kernel(small=True)
def take(it: Iterates, out: FloatArray, g: FloatArray, alpha: float, i: int, j: int, u: FloatArray) -> None:
    """Put g into the table, whose rows follow ``S[0]``, their sum; c[0] is n."""
    h = it.S[1 + i * it.c[0] + j]
    for q in range(g.shape[0]):
        it.S[0, q] += g[q] - h[q]
        h[q] = g[q]


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move along the mean of the table."""
    share = 1.0 / (it.S.shape[0] - 1)
    for q in range(it.x.shape[0]):
        it.x[q] -= alpha * (share * it.S[0, q])


@UPDATES.register
def sag() -> Update:
    r"""SAG: the mean of the last gradient of every example, in a table of m n of them; in cyclic order, IAG.

    .. math::

        h_{ij} \leftarrow \nabla f_{ij}(x) \ \text{at the examples of the step}, \qquad
        x \leftarrow x - \frac{\alpha}{mn} \sum_{i,l} h_{il}

    The table starts at 0, and examples that were never seen count in the mean. There is no noise in the long
    run, whatever the order. On quadratics its mean-square rate is exact (M2): reshuffling is slower than
    draws at alpha = 1/(16 L), faster at 1/(3 L). An ordering's weights do not matter: the table is summed
    as it is.

    References
    ----------
    Schmidt, Le Roux, Bach, "Minimizing Finite Sums with the Stochastic Average Gradient", arXiv 1309.2388;
    in cyclic order Blatt, Hero, Gauchman, "A Convergent Incremental Gradient Method with a Constant Step
    Size", SIAM J. Optim. 18, 2007, no arXiv version (recalled).

    Examples
    --------
    Two examples x^2 / 2 from 1 with alpha = 1: the first step goes half of the way, as the second example
    has not been seen; then the table holds 1 and 1/2.

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]] * 2], [[[0.0]] * 2])
    >>> cg.simulate(problem, "ig", epochs=1, step_size=1.0, x0=[1.0], update=sag()).x.tolist()
    [[-0.25]]
    """

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        return iterates(x0, vectors=1 + problem.m * problem.n, counters=(problem.n,))

    return Update("sag", init, step, take, provenance="arXiv 1309.2388, recalled; rates proved here")
