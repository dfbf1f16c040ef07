"""Local steps: every worker moves by itself, and now and then all of them average (FedAvg)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.updates._iterates import iterates
from cdgrab_sim.updates._registry import UPDATES
from cdgrab_sim.updates._rounds import ends, move


@kernel(small=True)
def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
    """Move ``X[i]`` along g[i], and x at the end of a round.

    ``S[0]`` collects the moves of the server, ``S[1]`` has room for a sum; c holds the steps since the last
    round and of a round, p the server's step, then m times the weight of every worker.
    """
    m, d = g.shape
    moved, total, X, share = it.S[0], it.S[1], it.X, 1.0 / m
    for q in range(d):
        total[q] = 0.0
    for i in range(m):
        w = it.p[1 + i]
        for q in range(d):
            X[i, q] -= alpha * g[i, q]
            total[q] += w * g[i, q]
    for q in range(d):
        moved[q] += alpha * (share * total[q])
    if ends(it.c):
        move(it.x, X, it.p[0], moved)


_SOURCE = "arXiv 1602.05629, Algorithm 1, recalled; with reshuffling arXiv 2110.10342, read"


@UPDATES.register
def local(
    *, steps: int | None = 4, server_step: float = 1.0, weights: Sequence[float] | None = None
) -> Update:
    r"""Local steps: a round is H steps of every worker by itself, and an average.

    .. math::

        x_i &\leftarrow x, \qquad x_i \leftarrow x_i - \alpha g_i \text{ at } x_i \quad (H \text{ times}) \\
        x &\leftarrow x + s \Bigl( \sum_i w_i x_i - x \Bigr)

    H = 1 is plain SGD bit for bit. With H = n this is FedRR, with ``server_step`` s beside it Nastya. Rounds
    need not end with epochs: what is recorded is the server's x, as the last round left it.

    Parameters
    ----------
    steps : int, optional
        H. None: n of them, an epoch where the batch is 1.
    server_step : float
        s > 0; 1 is the average.
    weights : sequence of m floats, optional
        w, positive, of sum 1; 1 / m by default.

    Raises
    ------
    ValueError
        For weights that do not sum to 1, or are not one for each worker (when the run starts).

    Notes
    -----
    Workers with n_i < n examples are rows filled up with examples of no gradient. Then an epoch of worker i
    is n_i steps, and equal weights make all examples count alike. The weights n_i / N of FedAvg count those
    of large workers twice: an average of epochs is no average of steps (Wang et al., arXiv 2007.07481).

    References
    ----------
    McMahan, Moore, Ramage, Hampson, Aguera y Arcas, "Communication-Efficient Learning of Deep Networks from
    Decentralized Data", arXiv 1602.05629, Algorithm 1; with reshuffling Yun, Rajput, Sra, arXiv 2110.10342;
    FedRR: Mishchenko, Khaled, Richtarik, arXiv 2102.06704.

    Examples
    --------
    Two workers, f_1 = x^2 / 2 and f_2 = x^2, two local steps of 1/4 from 1: (9/16 + 1/4) / 2.

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]] * 2, [[[2.0]]] * 2], [[[0.0]] * 2] * 2)
    >>> how = {"epochs": 1, "step_size": 0.25, "x0": [1.0], "update": local(steps=2)}
    >>> cg.simulate(problem, "ig", **how).x.tolist()
    [[0.40625]]
    """
    H = None if steps is None else _checks.size("steps", steps)
    scale = _checks.real("server_step", server_step, above=0.0)
    w = None if weights is None else _weights(weights)
    settings = {"steps": H, "server_step": scale, "weights": None if w is None else w.tolist()}

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        m = problem.m
        if w is not None and len(w) != m:
            raise ValueError(f"weights: expected one for each of m = {m} workers; got {len(w)}")
        shares = np.ones(m) if w is None else m * w
        return iterates(x0, (scale, *shares), points=m, vectors=2, counters=(0, H or problem.n))

    alike = w is None  # else a weight belongs to its worker
    return Update("local", init, step, each=True, stateless=alike, settings=settings, provenance=_SOURCE)


def _weights(weights: Sequence[float]) -> FloatArray:
    w = np.array(_checks.floats("weights", weights, 1))
    if (w <= 0.0).any() or abs(w.sum() - 1.0) > 1e-12 * len(w):
        raise ValueError(
            f"weights: expected positive numbers of sum 1; got {w.tolist()}; divide by their sum"
        )
    return w
