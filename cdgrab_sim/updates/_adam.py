"""Adam: steps in units of the gradient's own size, coordinate by coordinate."""

from __future__ import annotations

import math

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.updates._iterates import iterates
from cdgrab_sim.updates._registry import UPDATES


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move by corrected moments: ``S[0]`` and ``S[1]``, their decays' powers in p[3:], settings in p[:3]."""
    beta1, beta2, tiny, x, mean, square = it.p[0], it.p[1], it.p[2], it.x, it.S[0], it.S[1]
    it.p[3] *= beta1
    it.p[4] *= beta2
    first, second = 1.0 - it.p[3], 1.0 - it.p[4]
    for q in range(x.shape[0]):
        mean[q] = beta1 * mean[q] + (1.0 - beta1) * g[q]
        square[q] = beta2 * square[q] + (1.0 - beta2) * (g[q] * g[q])
        x[q] -= alpha * ((mean[q] / first) / (math.sqrt(square[q] / second) + tiny))


def checked(beta1: float, beta2: float, eps: float) -> dict[str, float]:
    """Return the settings of Adam and its kin, refused where they mean nothing."""
    return {
        "beta1": _checks.share("beta1", beta1, "[0, 1)"),
        "beta2": _checks.share("beta2", beta2, "[0, 1)"),
        "eps": _checks.real("eps", eps, above=0.0),
    }


@UPDATES.register
def adam(*, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8) -> Update:
    r"""Adam: running means of gradients and of their squares, corrected for their start at zero.

    For the updates t = 1, 2, ... and coordinate by coordinate:

    .. math::

        \hat m &\leftarrow \beta_1 \hat m + (1 - \beta_1) g, \qquad
        \hat v \leftarrow \beta_2 \hat v + (1 - \beta_2) g^2 \\
        x &\leftarrow x - \alpha \frac{\hat m / (1 - \beta_1^t)}{\sqrt{\hat v / (1 - \beta_2^t)} + \epsilon}

    Parameters
    ----------
    beta1, beta2 : float
        In [0, 1).
    eps : float
        Epsilon > 0.

    References
    ----------
    Kingma, Ba, "Adam: A Method for Stochastic Optimization", arXiv 1412.6980, Algorithm 1.

    Examples
    --------
    The first step is alpha in every coordinate, whatever the gradient:

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[4.0]]]], [[[0.0]]])
    >>> run = cg.simulate(problem, "ig", epochs=1, step_size=0.5, x0=[3.0], update=adam())
    >>> run.x.round(6).tolist()
    [[2.5]]
    """
    settings = checked(beta1, beta2, eps)

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        return iterates(x0, (*settings.values(), 1.0, 1.0), vectors=2)

    source = "arXiv 1412.6980, Algorithm 1, recalled"
    return Update("adam", init, step, stateless=True, settings=settings, provenance=source)
