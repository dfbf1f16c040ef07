"""Pairwise independent orders: two random numbers in place of a shuffle."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from cdgrab_sim._records import Ordering
from cdgrab_sim._types import IntArray
from cdgrab_sim.orderings._orders import drawn
from cdgrab_sim.orderings._registry import ORDERINGS


def prime_from(n: int) -> int:
    """Return the least prime that is at least n.

    Examples
    --------
    >>> [prime_from(n) for n in (1, 7, 8, 90)]
    [2, 7, 11, 97]
    """
    p = max(2, n)
    while any(p % factor == 0 for factor in range(2, int(p**0.5) + 1)):
        p += 1
    return p


@ORDERINGS.register
def pairwise() -> Ordering:
    r"""Pairwise independent orders of a prime number of examples, drawn with two numbers.

    .. math:: \pi(k) = a k + c \bmod p, \qquad a \in \{1, \dots, p-1\}, \quad c \in \{0, \dots, p-1\}

    with p the least prime that is at least n; what is no example is left out. For n = p the mean squares of
    prefixes, and the floors on a shared Hessian, are those of random reshuffling (theory/notes, R11).

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> order = cg.herding.order(np.zeros((7, 1)), pairwise())
    >>> len(set(np.diff(order) % 7))
    1
    """

    def draw(m: int, n: int, rng: Generator) -> IntArray:
        p = prime_from(n)
        u = rng.random((m, 2, 1))  # worker by worker, so that row i does not depend on m
        a, c = 1 + (u[:, 0] * (p - 1)).astype(np.int64), (u[:, 1] * p).astype(np.int64)
        rows = (a * np.arange(p) + c) % p
        return np.ascontiguousarray(rows[rows < n].reshape(m, n))

    return drawn("pairwise", draw, provenance="textbook; R11 proved here")
