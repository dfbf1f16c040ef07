"""Q-NASTYA: local passes, of which a compressed mean gradient is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cdgrab_sim import _checks, compressors
from cdgrab_sim._records import Iterates, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.compressors._compressor import AnyCompressor
from cdgrab_sim.updates._messages import sending
from cdgrab_sim.updates._registry import UPDATES
from cdgrab_sim.updates._rounds import ends, move


def _compressing(apply: Any) -> Callable[..., None]:
    def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
        """Move ``X[i]`` along g[i]; at the end of a round, x along the messages about their sums.

        S holds a message, the sum of all, and the gradients of the round, summed by worker.
        """
        m, d = g.shape
        q, total, sums = it.S[0], it.S[1], it.S[2:]
        for i in range(m):
            for r in range(d):
                it.X[i, r] -= alpha * g[i, r]
                sums[i, r] += g[i, r]
        if ends(it.c):
            share = 1.0 / it.c[1]
            for i in range(m):
                for r in range(d):
                    sums[i, r] *= share
                apply(q, sums[i], u[i], it.p[0])
                for r in range(d):
                    total[r] += q[r]
                    sums[i, r] = 0.0
            move(it.x, it.X, it.p[1] / m, total)

    return step


@UPDATES.register
def q_nastya(
    *,
    compressor: AnyCompressor = "rand-k",
    server_step_size: float = 0.1,
    steps: int | None = None,
) -> Update:
    r"""Q-NASTYA: a round of small local steps, then a step of the server along compressed means.

    .. math::

        x_i &\leftarrow x, \qquad x_i \leftarrow x_i - \alpha g_i \text{ at } x_i \quad (H \text{ times}) \\
        x &\leftarrow x - \eta \, \frac1m \sum_i Q\Bigl( \frac{x - x_i}{\alpha H} \Bigr)

    With the identity this is `nastya`. One message per worker and round.

    Parameters
    ----------
    compressor : Compressor, str or mapping
        A record, or a registered name, which means its defaults.
    server_step_size : float
        eta > 0.
    steps : int, optional
        H. None: n of them, an epoch where the batch is 1.

    Notes
    -----
    The code published with the paper takes the local gradients at x instead of x_i, so that its local step
    size changes nothing: with equal batches it is compressed gradient descent.

    References
    ----------
    Sadiev et al., arXiv 2206.07021, Algorithm 2.

    Examples
    --------
    f = x^2 / 2 for two examples, alpha = 1/2 from 1: gradients 1 and 1/2, and eta = 1/3 of their mean 3/4.

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]] * 2], [[[0.0]] * 2])
    >>> how = {"epochs": 1, "step_size": 0.5, "x0": [1.0], "update": q_nastya(server_step_size=1 / 3)}
    >>> cg.simulate(problem, "ig", **how).x.tolist()
    [[0.75]]
    """
    made, eta = compressors.make(compressor), _checks.real("server_step_size", server_step_size, above=0.0)
    H = None if steps is None else _checks.size("steps", steps)
    return sending(
        "q-nastya",
        _compressing,
        made,
        rows=lambda problem: 2 + problem.m,
        parameters=lambda problem: (eta,),
        counters=lambda problem: (0, H or problem.n),
        points=True,
        stateless=True,
        settings={"server_step_size": eta, "steps": H},
        provenance="code of arXiv 2206.07021, read",
    )
