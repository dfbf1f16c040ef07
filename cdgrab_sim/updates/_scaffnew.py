"""Scaffnew (ProxSkip): a coin decides after every step whether the workers communicate."""

from __future__ import annotations

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.updates._iterates import iterates
from cdgrab_sim.updates._registry import UPDATES
from cdgrab_sim.updates._rounds import add_mean, move


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move ``X[i]`` along g[i] less its control variate; with probability p[0] all of them average.

    Rows of S: the server's moves, room for a sum, the control variates. The coin is worker 0's.
    """
    m, d = g.shape
    controls = it.S[2:]
    for i in range(m):
        for q in range(d):
            it.X[i, q] -= alpha * (g[i, q] - controls[i, q])
    add_mean(it.S[0], it.S[1], alpha, g)
    if u[0, 0] < it.p[0]:
        scale = it.p[0] / alpha
        for i in range(m):
            for q in range(d):
                controls[i, q] += scale * ((it.x[q] - it.S[0, q]) - it.X[i, q])
        move(it.x, it.X, 1.0, it.S[0])


@UPDATES.register
def scaffnew(*, probability: float = 0.25) -> Update:
    r"""Scaffnew: local steps with control variates, of a random number that all workers share.

    .. math::

        \hat x_i &= x_i - \alpha (g_i - h_i), \qquad
        x_i \leftarrow \frac1m \sum_l \hat x_l \text{ with probability } p, \text{ else } \hat x_i \\
        h_i &\leftarrow h_i + \frac p\alpha (x_i - \hat x_i)

    with h = 0 at first, so that the h_i always sum to zero. With full gradients and alpha <= 1/L the error
    falls by max(1 - alpha mu, 1 - p^2) per step: p = 1/sqrt(kappa) communications a step cost nothing.
    p = 1 is plain SGD bit for bit. What is recorded is x as the last communication left it.

    Parameters
    ----------
    probability : float
        p in (0, 1].

    References
    ----------
    Mishchenko, Malinovsky, Stich, Richtarik, "ProxSkip: Yes! Local Gradient Steps Provably Lead to
    Communication Acceleration! Finally!", arXiv 2202.09357, Algorithm 2 and Theorem 3.6 (recalled).

    Examples
    --------
    Minima 0 and 3, curvatures 1 and 2: f is least at 2.

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]], [[[2.0]]]], [[[0.0]], [[6.0]]])
    >>> run = cg.simulate(problem, "ig", epochs=800, step_size=0.25, update=scaffnew(probability=0.5))
    >>> run.x.round(6).tolist()
    [[2.0]]
    """
    p = _checks.share("probability", probability, "(0, 1]")

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        m = problem.m
        return iterates(x0, (p,), points=m, vectors=2 + m)

    source = "arXiv 2202.09357, Algorithm 2, recalled"
    return Update("scaffnew", init, step, each=True, draws=1, settings={"probability": p}, provenance=source)
