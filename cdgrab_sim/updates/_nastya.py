"""Nastya: an epoch of small local steps, then one step of the server along their mean."""

from __future__ import annotations

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.updates._iterates import iterates
from cdgrab_sim.updates._registry import UPDATES
from cdgrab_sim.updates._rounds import add_mean, ends, move


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move ``X[i]`` along g[i], and x by p[0] times the mean gradient of a round, which ``S[0]`` sums."""
    for i in range(g.shape[0]):
        for q in range(g.shape[1]):
            it.X[i, q] -= alpha * g[i, q]
    add_mean(it.S[0], it.S[1], 1.0, g)
    if ends(it.c):
        move(it.x, it.X, it.p[0] / it.c[1], it.S[0])


@UPDATES.register
def nastya(*, server_step_size: float = 0.1, steps: int | None = None) -> Update:
    r"""Nastya: the server's step has a size of its own, whatever that of the local steps is.

    .. math::

        x_i &\leftarrow x, \qquad x_i \leftarrow x_i - \alpha g_i \text{ at } x_i \quad (H \text{ times}) \\
        x &\leftarrow x - \eta \, \frac1m \sum_i \frac{x - x_i}{\alpha H}

    The quotient is the mean of the round's gradients, and is summed as such: it stays exact as alpha -> 0,
    where this is gradient descent with step eta. eta = alpha H is FedRR (`local`).

    Parameters
    ----------
    server_step_size : float
        eta > 0.
    steps : int, optional
        H. None: n of them, an epoch where the batch is 1.

    References
    ----------
    Malinovsky, Mishchenko, Richtarik, "Server-Side Stepsizes and Sampling Without Replacement Provably Help
    in Federated Optimization", arXiv 2201.11066 (the recurrence recalled).

    Examples
    --------
    f = x^2 / 2 for two examples, alpha = 1/2 from 1: gradients 1 and 1/2, and eta = 1/3 of their mean 3/4.

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]] * 2], [[[0.0]] * 2])
    >>> how = {"epochs": 1, "step_size": 0.5, "x0": [1.0], "update": nastya(server_step_size=1 / 3)}
    >>> cg.simulate(problem, "ig", **how).x.tolist()
    [[0.75]]
    """
    eta = _checks.real("server_step_size", server_step_size, above=0.0)
    H = None if steps is None else _checks.size("steps", steps)

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        return iterates(x0, (eta,), points=problem.m, vectors=2, counters=(0, H or problem.n))

    source = "arXiv 2201.11066, recalled"
    settings = {"server_step_size": eta, "steps": H}
    return Update("nastya", init, step, each=True, stateless=True, settings=settings, provenance=source)
