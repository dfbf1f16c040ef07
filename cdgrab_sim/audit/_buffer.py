"""Small shuffle buffers: nothing comes much too early."""

from __future__ import annotations

from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim._types import IntArray
from cdgrab_sim.audit._finding import Finding


def early_by_chance(n: int, buffer: int) -> float:
    r"""Return the chance that a random order could have come out of a shuffle buffer.

    A buffer of B examples lets nothing come out B places early: pi(k) < k + B. There are B choices for each
    of the first n - B places, whatever came before, and B! for the rest:

    .. math:: P\bigl(\pi(k) < k + B \text{ for all } k\bigr) = \frac{B^{n-B} B!}{n!}

    Returns
    -------
    float
        Its logarithm.

    Examples
    --------
    Of the orders of three examples, a buffer of two cannot give those that begin with the last:

    >>> import math
    >>> round(6 * math.exp(early_by_chance(3, 2)), 12)
    4.0
    """
    size = min(n, buffer)
    return lgamma(size + 1) + (n - size) * log(max(1, size)) - lgamma(n + 1)


class Buffer:
    """Measures how early examples come, in the order of the data, on each rank by itself."""

    def __init__(self) -> None:
        self._sizes: list[tuple[int, int]] = []  # examples of an order, and how many it needs

    def look(self, places: list[IntArray]) -> None:
        """Look at the orders of an epoch."""
        for place in places:
            early = int((place - np.arange(len(place))).max()) + 1 if len(place) else 1
            self._sizes.append((len(place), early))

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Forget all orders but some, given as (epochs, ranks)."""
        self._sizes = [one for one, kept in zip(self._sizes, which.ravel(), strict=True) if kept]

    def findings(self) -> list[Finding]:
        """Return the smallest buffer that all orders could have come out of."""
        longest, size = np.max([(1, 1), *self._sizes], axis=0).tolist()
        log_p = sum(early_by_chance(n, size) for n, _ in self._sizes)
        return [Finding("a small shuffle buffer", f"one of {size} of {longest} would do", min(0.0, log_p))]
