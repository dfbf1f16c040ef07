"""Orders that are equal: seeds that were forgotten, shared, or met again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from hashlib import blake2b
from math import comb, lgamma, log

import numpy as np
from numpy.typing import NDArray

from cdgrab_sim._types import IntArray
from cdgrab_sim.audit._finding import Finding


def equal_by_chance(pairs: int, distinct: int, equal: int) -> float:
    r"""Bound the chance of so many equal pairs among independent random orders.

    .. math:: P(X \ge c) \le \frac{E X}{c} \le \frac{\text{pairs}}{c \, u!}

    A random order equals a given one with probability 1 / u!, or less, where u of its examples are distinct:
    each arrangement of a multiset is as likely as any other, and there are at least u! of them.

    Returns
    -------
    float
        The logarithm of the bound.

    Examples
    --------
    Both of two orders of three examples:

    >>> import math
    >>> round(math.exp(-equal_by_chance(1, 3, 1)), 12)
    6.0
    """
    return min(0.0, log(pairs) - log(equal) - lgamma(distinct + 1)) if equal else 0.0


class Seeds:
    """Compares all orders of all ranks with each other."""

    def __init__(self) -> None:
        self._who: dict[bytes, list[tuple[int, int]]] = defaultdict(list)  # (epoch, rank) by order
        self._epochs, self._ranks, self._distinct = 0, 1, 1 << 62

    def look(self, places: Sequence[IntArray], distinct: Sequence[int]) -> None:
        """Remember the orders of an epoch, and how many of their examples are distinct."""
        for i, place in enumerate(places):
            self._who[blake2b(place.data, digest_size=16).digest()].append((self._epochs, i))
        self._epochs, self._ranks = self._epochs + 1, len(places)
        self._distinct = min(self._distinct, *distinct)

    def fresh(self) -> NDArray[np.bool_]:
        """Return which orders (epochs, ranks) came for the first time."""
        found = np.zeros((self._epochs, self._ranks), dtype=bool)
        found[tuple(zip(*(who[0] for who in self._who.values()), strict=True))] = True
        return found

    def findings(self) -> list[Finding]:
        """Return which orders were equal."""
        T, m = self._epochs, self._ranks
        same_rank, same_epoch, other, lags = 0, 0, 0, Counter[int]()
        for who in self._who.values():
            if len(who) > 1:
                by_rank, by_epoch = (Counter(pair[k] for pair in who) for k in (1, 0))
                rank, epoch = (sum(comb(c, 2) for c in some.values()) for some in (by_rank, by_epoch))
                same_rank, same_epoch = same_rank + rank, same_epoch + epoch
                other += comb(len(who), 2) - rank - epoch
                lags.update(_lags(who))
        every = comb(T * m, 2)
        within, across = m * comb(T, 2), T * comb(m, 2)
        lag = f", first after {min(lags)} of them" if lags else ""
        kinds = (
            ("the same order in several epochs", same_rank, within, lag),
            ("the same order on several ranks", same_epoch, across, ""),
            ("orders of other ranks and epochs again", other, every - within - across, ""),
        )
        return [
            Finding(
                fault,
                f"{equal} of {pairs} pairs{more}" if equal else "none",
                equal_by_chance(max(1, pairs), self._distinct, equal),
            )
            for fault, equal, pairs, more in kinds
        ]


def _lags(who: list[tuple[int, int]]) -> list[int]:
    """Return how many epochs lie between an order and the next time that its rank shows it."""
    last: dict[int, int] = {}
    found = []
    for t, i in who:
        if i in last:
            found.append(t - last[i])
        last[i] = t
    return found
