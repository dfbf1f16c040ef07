"""Nesterov's momentum: the gradient looks ahead."""

from __future__ import annotations

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.updates._iterates import iterates
from cdgrab_sim.updates._registry import UPDATES


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move along g + momentum * velocity; the velocity is ``S[0]``, p holds momentum and weight decay."""
    momentum, weight_decay, v, x = it.p[0], it.p[1], it.S[0], it.x
    for q in range(x.shape[0]):
        steepest = g[q] + weight_decay * x[q]
        v[q] = momentum * v[q] + steepest
        x[q] -= alpha * (steepest + momentum * v[q])


@UPDATES.register
def nesterov(*, momentum: float = 0.9, weight_decay: float = 0.0) -> Update:
    r"""Nesterov's momentum, written at the point where gradients are taken.

    .. math:: v \leftarrow \beta v + g + \lambda x, \qquad
        x \leftarrow x - \alpha (g + \lambda x + \beta v)

    With y the iterates of Nesterov's own form and w = -alpha v, x = y + beta w is the point ahead.

    Parameters
    ----------
    momentum : float
        beta >= 0.
    weight_decay : float
        lambda >= 0.

    References
    ----------
    Nesterov, 1983; the change of variables in Sutskever, Martens, Dahl, Hinton, ICML 2013, no arXiv version;
    the recurrence is that of PyTorch's SGD with ``nesterov=True`` (recalled).

    Examples
    --------
    One example, f(x) = x^2 / 2: with beta = 1/2 and alpha = 1/4 from x = 1, v = 1 and x = 1 - (1 + 1/2)/4.

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]]], [[[0.0]]])
    >>> how = {"epochs": 1, "step_size": 0.25, "x0": [1.0], "update": nesterov(momentum=0.5)}
    >>> cg.simulate(problem, "ig", **how).x.tolist()
    [[0.625]]
    """
    beta = _checks.real("momentum", momentum, low=0.0)
    decay = _checks.real("weight_decay", weight_decay, low=0.0)

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        return iterates(x0, (beta, decay), vectors=1)

    settings = {"momentum": beta, "weight_decay": decay}
    source = "Nesterov, 1983, in PyTorch's form, recalled; rates of linear updates proved here"
    return Update("nesterov", init, step, stateless=True, settings=settings, provenance=source)
