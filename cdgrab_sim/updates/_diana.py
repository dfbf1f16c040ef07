"""DIANA: what is compressed is the difference from what the server expects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cdgrab_sim import _checks, compressors
from cdgrab_sim._kernels.jit import closed
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.compressors._compressor import AnyCompressor
from cdgrab_sim.updates._iterates import iterates
from cdgrab_sim.updates._messages import checked_rate, numbers, plain_step, shift_rate
from cdgrab_sim.updates._registry import UPDATES

SHIFTS = ("example", "worker")


def _shifted(apply: Any) -> Callable[..., None]:
    def take(
        it: Iterates, out: FloatArray, g: FloatArray, alpha: float, i: int, j: int, u: FloatArray
    ) -> None:
        """Send Q(g - h); ``S[0]`` is the message, ``S[1]`` the difference, and the shifts follow.

        c says how far it is to the shift of the next worker, and of the next example; p[1] is their rate.
        """
        q, difference, h = it.S[0], it.S[1], it.S[2 + i * it.c[0] + j * it.c[1]]
        for r in range(g.shape[0]):
            difference[r] = g[r] - h[r]
        apply(q, difference, u, it.p[0])
        for r in range(g.shape[0]):
            out[r] += h[r] + q[r]
            h[r] += it.p[1] * q[r]

    return take


@UPDATES.register
def diana(
    *, compressor: AnyCompressor = "rand-k", shifts: str = "example", rate: float | None = None
) -> Update:
    r"""DIANA: gradients are sent as differences from shifts, which learn them; DIANA-RR with one per example.

    .. math::

        q_i = Q(g_i - h_{ij}), \qquad x \leftarrow x - \frac\alpha m \sum_i (h_{ij} + q_i), \qquad
        h_{ij} \leftarrow h_{ij} + a q_i

    at the example j of worker i; with shifts per worker, h_i is one for all of its examples. The shifts start
    at 0. Once those of examples have converged, the floor is that of the order, without compression (C3).

    Parameters
    ----------
    compressor : Compressor, str or mapping
        A record, or a registered name, which means its defaults. With a contraction, shifts per worker and
        a = 1 this is EF21.
    shifts : {"example", "worker"}
        One for each example takes m n d numbers.
    rate : float, optional
        a in (0, 1]; by default 1 / (1 + omega), and 1 for a contraction.

    Raises
    ------
    ValueError
        For a compressor that keeps more coordinates than there are (when the run starts), or a rate outside
        (0, 1].

    Notes
    -----
    The code published with the paper draws one permutation before its loop and never again, and keeps shifts
    by position: shuffle-once, not DIANA-RR. Here shifts belong to examples, and orders are the ordering's.

    References
    ----------
    Sadiev et al., arXiv 2206.07021, Algorithm 3; DIANA: Mishchenko, Gorbunov, Takac, Richtarik, arXiv
    1901.09269; EF21: Richtarik, Sokolov, Fatkhullin, arXiv 2106.05203 (recalled).

    Examples
    --------
    f = x^2 / 2 in one coordinate: nothing is left out, and this is gradient descent.

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]]], [[[0.0]]])
    >>> cg.simulate(problem, "ig", epochs=2, step_size=0.5, x0=[1.0], update=diana()).x.tolist()
    [[0.25]]
    """
    made = compressors.make(compressor)
    by_example = _checks.choice("shifts", shifts, SHIFTS) == "example"
    given = checked_rate(rate)

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        made.check(problem.d)
        places = (problem.n, 1) if by_example else (1, 0)
        parameters = (made.size, shift_rate(made, problem.d, given))
        return iterates(x0, parameters, vectors=2 + problem.m * places[0], counters=places)

    settings = {"compressor": made.describe(), "shifts": shifts, "rate": given}
    take = closed(_shifted, made.apply)
    source = "code of arXiv 2206.07021, read; EF21 arXiv 2106.05203, recalled"
    how: dict[str, Any] = {"draws": numbers(made), "settings": settings, "provenance": source}
    return Update("diana", init, plain_step, take, **how)
