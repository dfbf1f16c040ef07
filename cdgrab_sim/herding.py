"""Herding errors: how far the prefix sums of centred vectors wander."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cdgrab_sim._types import FloatArray

NORMS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "inf": lambda a: np.abs(a).max(axis=-1),
    "l2": lambda a: np.sqrt((a * a).sum(axis=-1)),
}


def stream_errors(stream: FloatArray, mean: FloatArray, norms: tuple[str, ...]) -> dict[str, float]:
    r"""Return the parallel herding error of a stream of gradients, in each norm.

    .. math:: \max_k \Big\| \sum_{l \le k} \sum_i (G_{l,i} - \bar g) \Big\|

    Parameters
    ----------
    stream : array (n, m, d)
    mean : array (d,)
        What the gradients are centred with.
    norms : tuple of {"inf", "l2"}

    Examples
    --------
    >>> stream_errors(np.array([[[1.0]], [[1.0]], [[-2.0]]]), np.zeros(1), ("inf",))
    {'inf': 2.0}
    """
    prefixes = np.cumsum(stream.sum(axis=1) - stream.shape[1] * mean, axis=0)
    return {norm: float(NORMS[norm](prefixes).max()) for norm in norms}
