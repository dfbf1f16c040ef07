"""The shuffle buffer of streams: a random one of those at hand is shown, and the next takes its place."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Ordering
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.orderings._orders import drawn
from cdgrab_sim.orderings._registry import ORDERINGS


@kernel
def pour(pi: IntArray, held: IntArray, u: FloatArray) -> None:
    """Write the orders (m, n) that come out of a buffer `held` (B,); u (m, n) chooses, uniform on [0, 1)."""
    m, n = pi.shape
    for i in range(m):
        size = min(len(held), n)
        for k in range(size):
            held[k] = k
        coming = size
        for k in range(n):
            slot = int(u[i, k] * size)
            pi[i, k] = held[slot]
            if coming < n:
                held[slot] = coming
                coming += 1
            else:
                size -= 1
                held[slot] = held[size]


@ORDERINGS.register
def buffer(*, size: int = 16) -> Ordering:
    r"""Shuffle buffer of a stream, such as `shuffle` of tf.data and of iterable datasets.

    The first B examples fill a buffer. At every step a random one of it is shown, and the next of the stream
    takes its place; at the end of the stream the buffer is emptied in random order.

    .. math:: \pi(k) < k + B

    B = 1 is the order of the data, B >= n random reshuffling. On sorted data a small buffer repairs next to
    nothing (theory/notes, R9).

    Parameters
    ----------
    size : int
        B, examples in the buffer.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> order = cg.herding.order(np.zeros((64, 1)), buffer(size=4))
    >>> bool((order < np.arange(64) + 4).all())
    True
    """
    B = _checks.size("size", size)

    def draw(m: int, n: int, rng: Generator) -> IntArray:
        pi = np.empty((m, n), dtype=np.int64)
        pour(pi, np.empty(min(B, n), dtype=np.int64), rng.random((m, n)))
        return pi

    return drawn("buffer", draw, provenance="textbook; R9 proved here")
