"""Compressed gradients, with or without memory of what was not sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cdgrab_sim import _checks, compressors
from cdgrab_sim._records import Iterates, Update
from cdgrab_sim._types import FloatArray
from cdgrab_sim.compressors._compressor import AnyCompressor
from cdgrab_sim.updates._messages import sending
from cdgrab_sim.updates._registry import UPDATES


def _forgetting(apply: Any) -> Callable[..., None]:
    def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
        """Move along the mean of the messages; ``S[0]`` is one message, ``S[1]`` their sum."""
        m, d = g.shape
        q, total = it.S[0], it.S[1]
        for r in range(d):
            total[r] = 0.0
        for i in range(m):
            apply(q, g[i], u[i], it.p[0])
            for r in range(d):
                total[r] += q[r]
        share = 1.0 / m
        for r in range(d):
            it.x[r] -= alpha * (share * total[r])

    return step


def _remembering(apply: Any) -> Callable[..., None]:
    def step(it: Iterates, g: FloatArray, alpha: float, u: FloatArray) -> None:
        """Move along the mean of the messages, and keep in ``S[2 + i]`` what worker i has not sent."""
        m, d = g.shape
        q, total, left = it.S[0], it.S[1], it.S[2:]
        for r in range(d):
            total[r] = 0.0
        for i in range(m):
            for r in range(d):
                left[i, r] += alpha * g[i, r]
            apply(q, left[i], u[i], it.p[0])
            for r in range(d):
                left[i, r] -= q[r]
                total[r] += q[r]
        share = 1.0 / m
        for r in range(d):
            it.x[r] -= share * total[r]

    return step


@UPDATES.register
def compressed(*, compressor: AnyCompressor = "rand-k", error_feedback: bool = False) -> Update:
    r"""Compressed gradients: Q-RR under random reshuffling; with error feedback nothing is lost for ever.

    .. math:: x \leftarrow x - \frac\alpha m \sum_i Q(g_i)

    With ``error_feedback``, worker i remembers in e_i, 0 at first, what it has not sent:

    .. math::

        q_i = Q(e_i + \alpha g_i), \qquad e_i \leftarrow e_i + \alpha g_i - q_i, \qquad
        x \leftarrow x - \frac1m \sum_i q_i

    so that x - mean e moves by plain steps, whatever Q is. Messages of an unbiased Q leave a floor
    alpha omega / (2 m) times the mean square of the gradients at x_star, whatever the order (note C2).

    Parameters
    ----------
    compressor : Compressor, str or mapping
        A record, such as ``cg.compressors.rand_k(k=2)``, or a registered name, which means its defaults.
    error_feedback : bool

    Raises
    ------
    ValueError
        For a compressor that keeps more coordinates than there are (when the run starts).

    References
    ----------
    Q-RR: Sadiev, Malinovsky, Gorbunov, Sokolov, Khaled, Burlachenko, Richtarik, arXiv 2206.07021, Algorithm
    1. Error feedback: Karimireddy, Rebjock, Stich, Jaggi, arXiv 1901.09847, Algorithm 2 (recalled).

    Examples
    --------
    One worker at (1, 2), f = |x|^2 / 2, alpha = 1/2. Top-1 sends 1 of the second coordinate; with memory, the
    first one waits, with 1/2 of the first step and 1/2 of the second, and then is sent as a whole.

    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0, 0.0], [0.0, 1.0]]] * 2], [[[0.0, 0.0]] * 2])
    >>> how = {"epochs": 1, "step_size": 0.5, "x0": [1.0, 2.0]}
    >>> for memory in (False, True):
    ...     update = compressed(compressor="top-k", error_feedback=memory)
    ...     cg.simulate(problem, "ig", update=update, **how).x.tolist()
    [[0.5, 1.0]]
    [[0.0, 1.0]]
    """
    made, remembers = compressors.make(compressor), _checks.flag("error_feedback", error_feedback)
    return sending(
        "compressed",
        _remembering if remembers else _forgetting,
        made,
        rows=lambda problem: 2 + (problem.m if remembers else 0),
        stateless=not remembers,
        settings={"error_feedback": remembers},
        provenance="code of arXiv 2206.07021, read; error feedback arXiv 1901.09847, recalled",
    )
