"""AdamW: Adam with a weight decay of its own."""

from __future__ import annotations

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.updates import _adam
from cdgrab_sim.updates._iterates import iterates
from cdgrab_sim.updates._registry import UPDATES

_adam_step = _adam.step


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Shrink x, then step as Adam does; p[5] is the weight decay."""
    shrink = alpha * it.p[5]
    for q in range(it.x.shape[0]):
        it.x[q] -= shrink * it.x[q]
    _adam_step(it, g, alpha, u)


@UPDATES.register
def adamw(
    *, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8, weight_decay: float = 0.01
) -> Update:
    r"""Adam whose weight decay does not pass through the moments.

    .. math:: x \leftarrow (1 - \alpha \lambda) x, \qquad \text{then a step of Adam}

    with g as it was before the decay. The decay is scaled by alpha, as in PyTorch; the paper's schedule
    multiplier eta_t is alpha over its initial value.

    Parameters
    ----------
    beta1, beta2 : float
        In [0, 1).
    eps : float
        Epsilon > 0.
    weight_decay : float
        lambda >= 0.

    References
    ----------
    Loshchilov, Hutter, "Decoupled Weight Decay Regularization", arXiv 1711.05101, Algorithm 2.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[4.0]]]], [[[0.0]]])
    >>> how = {"epochs": 1, "step_size": 0.5, "x0": [4.0]}
    >>> cg.simulate(problem, "ig", update=adamw(weight_decay=0.25), **how).x.round(6).tolist()
    [[3.0]]
    """
    decay = _checks.real("weight_decay", weight_decay, low=0.0)
    settings = _adam.checked(beta1, beta2, eps)

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        return iterates(x0, (*settings.values(), 1.0, 1.0, decay), vectors=2)

    source = "arXiv 1711.05101, Algorithm 2, and PyTorch, recalled"
    return Update(
        "adamw", init, step, stateless=True, settings=settings | {"weight_decay": decay}, provenance=source
    )
