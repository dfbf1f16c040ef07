"""Blocks of neighbours in random order, shuffled inside one by one or several at a time."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from cdgrab_sim import _checks
from cdgrab_sim._records import Ordering
from cdgrab_sim._types import IntArray
from cdgrab_sim.orderings._orders import drawn
from cdgrab_sim.orderings._registry import ORDERINGS


def block_orders(m: int, n: int, size: int, merged: int, rng: Generator) -> IntArray:
    """Draw orders (m, n) of blocks, `merged` of which are shuffled together; the last may be short."""
    q = -(-n // size)
    u = rng.random((m, q + n))  # worker by worker, so that row i does not depend on m
    rank = np.argsort(np.argsort(u[:, :q], axis=1), axis=1) // merged
    group = rank[:, np.arange(n) // size]
    return np.argsort(group + u[:, q:], axis=1)


@ORDERINGS.register
def blocks(*, size: int = 8) -> Ordering:
    """Block reshuffling: blocks of neighbours come in random order, and are shuffled inside.

    What reading in blocks costs on data that is sorted, and does not cost where it is not, is R8.

    Parameters
    ----------
    size : int
        Examples of a block.

    References
    ----------
    theory/notes, R8.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> order = cg.herding.order(np.zeros((12, 1)), blocks(size=4))
    >>> [len(set(block // 4)) for block in order.reshape(3, 4)]
    [1, 1, 1]
    """
    b = _checks.size("size", size)
    return drawn(
        "blocks", lambda m, n, rng: block_orders(m, n, b, 1, rng), provenance="textbook; R8 proved here"
    )


@ORDERINGS.register
def blocks_reversed(*, size: int = 8) -> Ordering:
    r"""Blocks with reversal: block reshuffling whose every other epoch reverses the one before.

    .. math:: \pi^0, \quad \operatorname{reverse}(\pi^0), \quad \pi^2, \quad \dots

    Parameters
    ----------
    size : int
        Examples of a block.

    References
    ----------
    Blocks and paired reversal are the two parts of the order found in arXiv 2604.00260 (abstract read).

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> first, second = (cg.herding.order(np.zeros((12, 1)), blocks_reversed(), t) for t in (0, 1))
    >>> bool((second == first[::-1]).all())
    True
    """
    b = _checks.size("size", size)
    return drawn(
        "blocks-reversed",
        lambda m, n, rng: block_orders(m, n, b, 1, rng),
        reverse=True,
        provenance="arXiv 2604.00260, read in abstract; R8 proved here",
    )


@ORDERINGS.register
def corgipile(*, size: int = 8, merged: int = 4) -> Ordering:
    """CorgiPile: random blocks fill a buffer, whose examples are shuffled together.

    Parameters
    ----------
    size : int
        Examples of a block.
    merged : int
        Blocks of a buffer.

    References
    ----------
    Xu et al., "Stochastic Gradient Descent without Full Data Shuffle", arXiv 2206.05830; theory/notes, R8.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> order = cg.herding.order(np.zeros((16, 1)), corgipile(size=4, merged=2))
    >>> [len(set(buffer // 4)) for buffer in order.reshape(2, 8)]
    [2, 2]
    """
    b, g = _checks.size("size", size), _checks.size("merged", merged)
    return drawn(
        "corgipile",
        lambda m, n, rng: block_orders(m, n, b, g, rng),
        provenance="arXiv 2206.05830, recalled; R8 proved here",
    )
