"""SCAFFOLD: local steps whose drift is corrected by the mean gradients of the round before."""

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
    """Move ``X[i]`` along g[i] less its control variate, and x at the end of a round.

    Rows of S: the server's moves, room for a sum, the control variates of the workers, and the sums of
    their gradients in this round.
    """
    m, d = g.shape
    controls, sums = it.S[2 : 2 + m], it.S[2 + m :]
    for i in range(m):
        for q in range(d):
            it.X[i, q] -= alpha * (g[i, q] - controls[i, q])
            sums[i, q] += g[i, q]
    add_mean(it.S[0], it.S[1], alpha, g)
    if ends(it.c):
        mean = it.S[1]
        for q in range(d):
            mean[q] = 0.0
        add_mean(mean, controls[0], 1.0, sums)
        for i in range(m):
            for q in range(d):
                controls[i, q] = (sums[i, q] - mean[q]) / it.c[1]
                sums[i, q] = 0.0
        move(it.x, it.X, it.p[0], it.S[0])


@UPDATES.register
def scaffold(*, steps: int | None = 4, server_step: float = 1.0) -> Update:
    r"""SCAFFOLD: each worker subtracts what its gradients differed from the mean in the last round.

    .. math::

        x_i &\leftarrow x, \qquad
        x_i \leftarrow x_i - \alpha (g_i - h_i) \text{ at } x_i \quad (H \text{ times}) \\
        h_i &\leftarrow \bar g_i - \frac1m \sum_l \bar g_l, \qquad
        x \leftarrow x + s \Bigl( \frac1m \sum_i x_i - x \Bigr)

    with the mean gradient g-bar_i of worker i in the round, and h = 0 at first. In the paper's letters h_i
    is c_i - c, by its option II. The h_i sum to zero; with full gradients the fixed point is the minimiser,
    which that of `local` is not.

    Parameters
    ----------
    steps : int, optional
        H. None: n of them, an epoch where the batch is 1.
    server_step : float
        s > 0; 1 is the average.

    References
    ----------
    Karimireddy, Kale, Mohri, Reddi, Stich, Suresh, "SCAFFOLD: Stochastic Controlled Averaging for Federated
    Learning", arXiv 1910.06378, Algorithm 1 (recalled).

    Examples
    --------
    Minima 0 and 3, curvatures 1 and 2, so that f is least at 2. Local steps alone end elsewhere:

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]], [[[2.0]]]], [[[0.0]], [[6.0]]])
    >>> ways = (scaffold(steps=4), cg.updates.local(steps=4))
    >>> how = {"epochs": 400, "step_size": 0.1}
    >>> [round(float(cg.simulate(problem, "ig", update=way, **how).x[0, 0]), 6) for way in ways]
    [2.0, 1.895751]
    """
    H = None if steps is None else _checks.size("steps", steps)
    scale = _checks.real("server_step", server_step, above=0.0)

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        m = problem.m
        return iterates(x0, (scale,), points=m, vectors=2 + 2 * m, counters=(0, H or problem.n))

    source = "arXiv 1910.06378, Algorithm 1, recalled"
    return Update(
        "scaffold", init, step, each=True, settings={"steps": H, "server_step": scale}, provenance=source
    )
