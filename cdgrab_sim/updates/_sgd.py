"""Plain SGD: a heavy ball without momentum."""

from __future__ import annotations

from cdgrab_sim import _checks
from cdgrab_sim._records import Update
from cdgrab_sim.updates._heavy_ball import heavy_ball_update
from cdgrab_sim.updates._registry import UPDATES


@UPDATES.register
def sgd(*, weight_decay: float = 0.0) -> Update:
    r"""Step along the negative mean gradient.

    .. math:: x \leftarrow x - \alpha (g + \lambda x)

    Parameters
    ----------
    weight_decay : float
        lambda >= 0.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> run, same = (
    ...     cg.simulate("skewed", "rr", epochs=2, step_size=1e-3, **how) for how in ({}, {"update": sgd()})
    ... )
    >>> bool((run.x == same.x).all())
    True
    """
    decay = _checks.real("weight_decay", weight_decay, low=0.0)
    return heavy_ball_update("sgd", {"weight_decay": decay}, "textbook; rates proved here")
