"""How far the prefix sums of a stream wander: one kernel behind every herding error and discrepancy."""

from __future__ import annotations

import math

import numpy as np

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._kernels.sums import dot, dot_twin
from cdgrab_sim._types import FloatArray

NORMS = ("inf", "l2")


def _largest_twin(
    largest: FloatArray, prefix: FloatArray, centre: FloatArray, after_every_worker: bool, G: FloatArray
) -> None:
    _, m, d = G.shape
    with np.errstate(all="ignore"):  # a stream that diverges gives inf or NaN, not a warning
        terms = (G - centre).reshape(-1, d)
        sums = np.cumsum(np.concatenate((prefix[None], terms)), axis=0)[1:]
        prefix[:] = sums[-1]
        looked_at = sums if after_every_worker else sums[m - 1 :: m]
        squares = [dot_twin(one, one) for one in looked_at]
        largest[0] = np.maximum(largest[0], np.abs(looked_at).max())
        largest[1] = np.maximum(largest[1], np.max(squares))


@kernel(twin=_largest_twin)
def largest_prefix(
    largest: FloatArray, prefix: FloatArray, centre: FloatArray, after_every_worker: bool, G: FloatArray
) -> None:
    """Raise `largest` (largest entry, largest squared 2-norm) to those of the prefix sums of one chunk."""
    steps, m, d = G.shape
    for r in range(steps):
        for i in range(m):
            for p in range(d):
                prefix[p] += G[r, i, p] - centre[p]
            if not after_every_worker and i < m - 1:
                continue
            top, square = 0.0, dot(prefix, prefix)
            for p in range(d):
                top = max(top, abs(prefix[p]))
            if np.isnan(square):  # a comparison would lose it
                top = square
            # written so that NaN enters, and stays: a prefix sum that is NaN once is NaN from then on
            if not top <= largest[0]:
                largest[0] = top
            if not square <= largest[1]:
                largest[1] = square


class LargestPrefix:
    r"""The largest norm of the prefix sums of a stream that comes chunk by chunk.

    .. math:: \max_k \Big\| \sum_{l \le k} \sum_{i \le m} (G_{l,i} - c) \Big\|

    Parameters
    ----------
    d : int
    centre : array (d,), optional
        What is subtracted from each vector; nothing by default.
    after_every_worker : bool
        Take the maximum over the partial sums inside a step as well.
    """

    def __init__(self, d: int, centre: FloatArray | None = None, *, after_every_worker: bool = False) -> None:
        self._largest, self._prefix = np.zeros(2), np.zeros(d)
        self._centre = np.zeros(d) if centre is None else centre
        self._after_every_worker = after_every_worker

    def see(self, G: FloatArray) -> None:
        """Go on with the chunk G (steps, m, d)."""
        largest_prefix(self._largest, self._prefix, self._centre, self._after_every_worker, G)

    def norm(self, norm: str) -> float:
        """Return the largest norm up to now, "inf" or "l2"."""
        return float(self._largest[0]) if norm == "inf" else math.sqrt(self._largest[1])


def stream_errors(stream: FloatArray, mean: FloatArray, norms: tuple[str, ...]) -> dict[str, float]:
    """Return the parallel herding error of a stream of gradients, in each norm.

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
    largest = LargestPrefix(len(mean), mean)
    largest.see(stream)
    return {norm: largest.norm(norm) for norm in norms}
