"""SARAH: the gradient is followed along the path by differences of neighbouring points."""

from __future__ import annotations

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.updates._anchors import anchored_update
from cdgrab_sim.updates._registry import UPDATES


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Add the difference of the gradients g, at x and at the point before, to v, which is ``S[1]``; move."""
    for q in range(it.x.shape[0]):
        it.S[1, q] += g[0, q] - g[1, q]
        it.S[0, q] = it.x[q]
        it.x[q] -= alpha * it.S[1, q]


@UPDATES.register
def sarah(*, epochs: int = 1) -> Update:
    r"""SARAH: v is the full gradient every few epochs, and follows the path in between.

    .. math::

        v &\leftarrow \nabla f(x), \quad y \leftarrow x \ \text{at the beginning} \\
        v &\leftarrow v + \frac1m \sum_i \bigl( \nabla f_{ij}(x) - \nabla f_{ij}(y) \bigr), \qquad
        y \leftarrow x, \qquad x \leftarrow x - \alpha v

    at the example j of worker i, in any order. The first difference is 0, so that the first step is one of
    gradient descent; the next beginning is at the last iterate. Unlike that of `svrg`, v is biased.

    Parameters
    ----------
    epochs : int
        From one full gradient to the next.

    References
    ----------
    Nguyen, Liu, Scheinberg, Takac, "SARAH: A Novel Method for Machine Learning Problems Using Stochastic
    Recursive Gradient", arXiv 1703.00102 (recalled; there the next beginning is a random iterate).

    Examples
    --------
    f = x^2 / 2 for two examples: all gradients are that of f, and steps are those of gradient descent.

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]] * 2], [[[0.0]] * 2])
    >>> cg.simulate(problem, "rr", epochs=1, step_size=0.5, x0=[1.0], update=sarah()).x.tolist()
    [[0.25]]
    """
    return anchored_update("sarah", step, epochs, "arXiv 1703.00102, recalled")
