"""CompressedScaffnew: local steps with control variates, and every coordinate sent by a few workers."""

from __future__ import annotations

from cdgrab_sim._records import Update
from cdgrab_sim.updates._registry import UPDATES
from cdgrab_sim.updates._tamuna import masked_update


@UPDATES.register
def compressed_scaffnew(*, probability: float = 0.5, s: int = 2) -> Update:
    r"""CompressedScaffnew: Scaffnew in which each coordinate is sent by s of the m workers.

    .. math::

        \hat x_i &= x_i - \alpha (g_i - h_i), \qquad
        \text{with probability } p: \quad x_i \leftarrow \bar x = \frac1s \sum_l C_l \hat x_l, \quad
        h_i \leftarrow h_i + \frac{p \chi}{\alpha} C_i (\bar x - \hat x_i)

    with the masks and the chi of `tamuna`, of which this is the case that all workers take part. s = m is
    `scaffnew`. About s d / m numbers are sent by each worker.

    Parameters
    ----------
    probability : float
        p in (0, 1].
    s : int
        2..m.

    Raises
    ------
    ValueError
        For an s larger than m (when the run starts).

    References
    ----------
    Condat, Agarsky, Richtarik, "Provably Doubly Accelerated Federated Learning: The First Theoretically
    Successful Combination of Local Training and Communication Compression", arXiv 2210.13277 (recalled).

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.from_hessians([[[[1.0]]], [[[2.0]]]], [[[0.0]], [[6.0]]])
    >>> how = {"epochs": 800, "step_size": 0.25, "update": compressed_scaffnew()}
    >>> cg.simulate(problem, "ig", **how).x.round(6).tolist()
    [[2.0]]
    """
    settings: dict[str, int | float | None] = {"probability": probability, "s": s}
    return masked_update("compressed-scaffnew", probability, s, None, settings, "arXiv 2210.13277, recalled")
