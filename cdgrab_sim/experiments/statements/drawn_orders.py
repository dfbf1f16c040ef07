"""Orders that data loaders draw (R8 to R11): closed forms by enumeration, and what `simulate` uses."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from cdgrab_sim import orderings
from cdgrab_sim._records import Ordering
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.experiments.statements._instances import centred, vectors
from cdgrab_sim.experiments.statements._statement import Measured, difference, identity, mean
from cdgrab_sim.experiments.statements.random_orders import used_orders
from theory import quadratics
from theory import random_orders as theory


def _moments(z: FloatArray, orders: IntArray) -> FloatArray:
    """Return the mean squares (n,) of the prefixes over equally likely orders (orders, n)."""
    sums = np.cumsum(z[orders], axis=1)
    squares: FloatArray = np.mean(np.sum(sums**2, axis=2), axis=0)
    return squares


def _blockwise(q: int, b: int, g: int) -> Iterator[list[int]]:
    """Yield the orders of q blocks of b, g of them shuffled together, as often as they come."""
    for order in itertools.permutations(range(q)):
        groups = [[b * block + j for block in order[k : k + g] for j in range(b)] for k in range(0, q, g)]
        for parts in itertools.product(*map(itertools.permutations, groups)):
            yield [j for part in parts for j in part]


def _buffered(n: int, B: int) -> Iterator[list[int]]:
    """Yield what comes out of a buffer of B for every choice of slots; all choices are equally likely."""
    sizes = [min(B, n - k) for k in range(n)]
    for slots in itertools.product(*map(range, sizes)):
        held, out = list(range(B)), []
        for coming, slot in enumerate(slots, start=B):
            out.append(held.pop(slot))
            held += [coming] if coming < n else []
        yield out


def _in_rounds(q: int, b: int) -> Iterator[list[int]]:
    """Yield the orders of rounds of q strata of b."""
    inside = itertools.product(itertools.permutations(range(b)), repeat=q)
    rounds = list(itertools.product(itertools.permutations(range(q)), repeat=b))
    for own in inside:
        for order in rounds:
            yield [b * h + own[h][t] for t in range(b) for h in order[t]]


@identity("R8", "second moments of blocks, by enumeration", cases=6, tol=1e-12)
def of_blocks(rng: Generator, number: int) -> Measured:
    q, b, g = ((3, 2, 1), (2, 3, 1), (1, 4, 1), (4, 1, 1), (2, 2, 2), (4, 2, 2))[number % 6]
    z = centred(vectors(rng, number, q * b, 2))
    return difference(
        _moments(z, np.array(list(_blockwise(q, b, g)))), theory.block_second_moment(z, b, g), 1.0
    )


@identity("R9", "second moments of a shuffle buffer, by enumeration", cases=8, tol=1e-12)
def of_buffers(rng: Generator, number: int) -> Measured:
    n, B = ((5, 1), (5, 2), (6, 3), (5, 4), (5, 5), (2, 1), (2, 2), (7, 2))[number % 8]
    z = centred(vectors(rng, number, n, 2))
    return difference(_moments(z, np.array(list(_buffered(n, B)))), theory.buffer_second_moment(z, B), 1.0)


@identity("R10", "second moments of stratified rounds, by enumeration", cases=5, tol=1e-12)
def of_strata(rng: Generator, number: int) -> Measured:
    q, b = ((2, 3), (3, 2), (1, 4), (4, 1), (2, 2))[number % 5]
    z = centred(vectors(rng, number, q * b, 2))
    return difference(_moments(z, np.array(list(_in_rounds(q, b)))), theory.strata_second_moment(z, q), 1.0)


@identity(
    "R11", "second moments and floors of pairwise independent orders, by enumeration", cases=5, tol=1e-12
)
def of_pairs(rng: Generator, number: int) -> Measured:
    n = (3, 5, 7, 11, 13)[number % 5]
    z, orders = centred(vectors(rng, number, n, 2)), theory.pairwise_orders(n)
    rate, decay = np.array([0.3, 1.0]), 1.0 - 0.2 * np.array([0.3, 1.0])
    weights = 0.2 * rate * decay ** np.arange(n - 1, -1, -1)[:, None]
    moved = np.sum(weights * z[orders], axis=1)
    noise = quadratics.epoch_noise_covariance("rr", 0.2, rate, n, 1, z.T @ z / n)
    return [
        difference(_moments(z, orders), theory.prefix_second_moment(n, 1, float((z**2).sum() / n)), 1.0),
        difference(moved.T @ moved / len(orders), noise),
    ]


def _drawn(number: int, z: FloatArray) -> tuple[Ordering, FloatArray]:
    made = (
        (orderings.blocks(size=3), theory.block_second_moment(z, 3)),
        (orderings.corgipile(size=2, merged=3), theory.block_second_moment(z, 2, 3)),
        (orderings.buffer(size=5), theory.buffer_second_moment(z, 5)),
        (orderings.stratified(strata=4), theory.strata_second_moment(z, 4)),
    )
    return made[number % len(made)]


@mean("R8", "second moments in the orders of blocks, corgipile, buffer and stratified", cases=8, margin=0.08)
def in_use(rng: Generator, number: int) -> Measured:
    z = centred(vectors(rng, number, 12, 2) + 3.0 * np.linspace(-1.0, 1.0, 12)[:, None] ** 3)
    ordering, expected = _drawn(number, z)
    orders = used_orders(ordering, 1, 12, 2000, int(rng.integers(2**31)))[:, 0]
    return _moments(z, orders).mean() / expected.mean()
