"""DIANA-NASTYA: local passes, of which the difference from a learned shift is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cdgrab_sim import _checks, compressors
from cdgrab_sim._records import Iterates, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.compressors._compressor import AnyCompressor
from cdgrab_sim.updates._messages import checked_rate, sending, shift_rate
from cdgrab_sim.updates._registry import UPDATES
from cdgrab_sim.updates._rounds import ends, move


def _shifted(apply: Any) -> Callable[..., None]:
    def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
        """Move as Q-NASTYA does, with messages about the differences from shifts, in the last m rows of S."""
        m, d = g.shape
        q, total, sums, h = it.S[0], it.S[1], it.S[2 : 2 + m], it.S[2 + m :]
        for i in range(m):
            for r in range(d):
                it.X[i, r] -= alpha * g[i, r]
                sums[i, r] += g[i, r]
        if ends(it.c):
            share = 1.0 / it.c[1]
            for i in range(m):
                for r in range(d):
                    sums[i, r] = share * sums[i, r] - h[i, r]
                apply(q, sums[i], u[i], it.p[0])
                for r in range(d):
                    total[r] += h[i, r] + q[r]
                    h[i, r] += it.p[2] * q[r]
                    sums[i, r] = 0.0
            move(it.x, it.X, it.p[1] / m, total)

    return step


@UPDATES.register
def diana_nastya(
    *,
    compressor: AnyCompressor = "rand-k",
    server_step_size: float = 0.1,
    steps: int | None = None,
    rate: float | None = None,
) -> Update:
    r"""DIANA-NASTYA: Q-NASTYA with a shift for every worker, which learns its mean gradient.

    .. math::

        d_i = Q\Bigl( \frac{x - x_i}{\alpha H} - h_i \Bigr), \qquad
        x \leftarrow x - \eta \, \frac1m \sum_i (h_i + d_i), \qquad h_i \leftarrow h_i + a d_i

    after the same local steps as in `q_nastya`. With the identity this is `nastya`.

    Parameters
    ----------
    compressor : Compressor, str or mapping
        A record, or a registered name, which means its defaults.
    server_step_size : float
        eta > 0.
    steps : int, optional
        H. None: n of them, an epoch where the batch is 1.
    rate : float, optional
        a in (0, 1]; by default 1 / (1 + omega), and 1 for a contraction.

    References
    ----------
    Sadiev et al., arXiv 2206.07021, Algorithm 4.

    Examples
    --------
    Compressed to one of two coordinates, it still finds the minimiser:

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.quadratic(m=4, n=2, d=2, sigma=0.0, heterogeneity=1.0)
    >>> how = {"epochs": 600, "step_size": 1e-4, "update": diana_nastya(server_step_size=0.02)}
    >>> bool(cg.simulate(problem, "rr", **how).distance[0, -1] < 1e-2)
    True
    """
    made, eta = compressors.make(compressor), _checks.real("server_step_size", server_step_size, above=0.0)
    H = None if steps is None else _checks.size("steps", steps)
    given = checked_rate(rate)
    return sending(
        "diana-nastya",
        _shifted,
        made,
        rows=lambda problem: 2 + 2 * problem.m,
        parameters=lambda problem: (eta, shift_rate(made, problem.d, given)),
        counters=lambda problem: (0, H or problem.n),
        points=True,
        settings={"server_step_size": eta, "steps": H, "rate": given},
        provenance="code of arXiv 2206.07021, read",
    )
