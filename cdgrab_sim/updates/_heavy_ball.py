"""Heavy ball: a velocity that gradients push."""

from __future__ import annotations

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.updates._iterates import iterates
from cdgrab_sim.updates._registry import UPDATES


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move along the velocity ``S[0]``; p holds momentum and weight decay."""
    momentum, weight_decay, v, x = it.p[0], it.p[1], it.S[0], it.x
    if momentum == 0.0 and weight_decay == 0.0:
        for q in range(x.shape[0]):
            v[q] = g[q]
            x[q] -= alpha * v[q]
    else:
        for q in range(x.shape[0]):
            v[q] = momentum * v[q] + (g[q] + weight_decay * x[q])
            x[q] -= alpha * v[q]


_SOURCE = "Polyak, 1964, in PyTorch's form, recalled; rates of linear updates proved here"


def heavy_ball_update(name: str, settings: dict[str, float], provenance: str) -> Update:
    """Return the update, which the walk has built in, under a name of its own."""
    momentum, weight_decay = settings.get("momentum", 0.0), settings["weight_decay"]

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        return iterates(x0, (momentum, weight_decay), vectors=1)

    fused = momentum, weight_decay
    return Update(name, init, step, stateless=True, settings=settings, fused=fused, provenance=provenance)


@UPDATES.register
def heavy_ball(*, momentum: float = 0.9, weight_decay: float = 0.0) -> Update:
    r"""Heavy ball: the step is a fading sum of all gradients.

    .. math:: v \leftarrow \beta v + g + \lambda x, \qquad x \leftarrow x - \alpha v

    Gradients are not damped by 1 - beta: at the same alpha steps are 1 / (1 - beta) times those of SGD.

    Parameters
    ----------
    momentum : float
        beta >= 0.
    weight_decay : float
        lambda >= 0.

    References
    ----------
    Polyak, "Some methods of speeding up the convergence of iteration methods", 1964, in the form of PyTorch's
    SGD with its defaults (recalled).

    Examples
    --------
    >>> heavy_ball(momentum=0.5).describe()
    {'name': 'heavy-ball', 'momentum': 0.5, 'weight_decay': 0.0}
    """
    beta = _checks.real("momentum", momentum, low=0.0)
    decay = _checks.real("weight_decay", weight_decay, low=0.0)
    return heavy_ball_update("heavy-ball", {"momentum": beta, "weight_decay": decay}, _SOURCE)
