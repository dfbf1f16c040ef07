"""SVRG: gradients as differences from those at an anchor, whose full gradient is known."""

from __future__ import annotations

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.updates._anchors import anchored_update
from cdgrab_sim.updates._registry import UPDATES


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move along the difference of the gradients g at x and at the anchor, and the full one, ``S[1]``."""
    for q in range(it.x.shape[0]):
        it.x[q] -= alpha * ((g[0, q] - g[1, q]) + it.S[1, q])


@UPDATES.register
def svrg(*, epochs: int = 1) -> Update:
    r"""SVRG: the anchor y moves to x every few epochs, and costs a pass over all examples there.

    .. math::

        y \leftarrow x \ \text{at the beginning}, \qquad
        x \leftarrow x - \alpha \Bigl( \frac1m \sum_i \bigl( \nabla f_{ij}(x) - \nabla f_{ij}(y) \bigr)
            + \nabla f(y) \Bigr)

    at the example j of worker i, in any order; the anchor is the last iterate. No table is kept: gradients at
    y are computed again, so that E epochs with one pass cost 2 E + 1 gradients per example. The pass is not
    shown to the ordering. An ordering's weights multiply the differences alone.

    Parameters
    ----------
    epochs : int
        E >= 1, from one anchor to the next.

    References
    ----------
    Johnson, Zhang, "Accelerating Stochastic Gradient Descent using Predictive Variance Reduction", NeurIPS
    2013, no arXiv version (option I, recalled).

    Examples
    --------
    f = x^2 / 2 for two examples: all gradients are that of f, and steps are those of gradient descent.

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]] * 2], [[[0.0]] * 2])
    >>> cg.simulate(problem, "rr", epochs=1, step_size=0.5, x0=[1.0], update=svrg()).x.tolist()
    [[0.25]]
    """
    return anchored_update("svrg", step, epochs, "Johnson, Zhang, NeurIPS 2013, recalled")
