"""Addressable random streams: one integer seed, and every draw has a place of its own.

A stream is a PCG64 generator named by (seed, role, index) and placed at an epoch:

    SeedSequence(seed, spawn_key=(role, index))  ->  PCG64  ->  advance(epoch * JUMP)

JUMP is 2**128 (the period of PCG64) over the golden ratio: any two of the first 2**60 epochs lie more than
2**64 draws apart. A power of two will not do: steps of 2**64 leave the lower half of the generator's state
as it is, and what the epochs draw in one place is then a regular sequence, with a line in its spectrum.

Within an epoch rows are drawn in worker order. So what worker i sees is the i-th row of an endless table: it
depends neither on m nor on what other epochs, orderings or replicates drew. Seed 0 is a seed like any other.
"""

from __future__ import annotations

from enum import IntEnum

from numpy.random import PCG64, Generator, SeedSequence

from cdgrab_sim import _checks

_JUMP = 0x9E3779B97F4A7C15F39CC0605CEDC835  # odd; the distance that PCG64.jumped uses
_ASIDE = 0x6A09E667F3BCC908B2FB1366EA957D3F  # odd; 2**128 times the square root of 2, less 1


class Role(IntEnum):
    """What a stream is for; its number is part of the stream's address and never changes."""

    DATA = 0  # index: the field of the problem
    ORDER = 1  # index: the replicate
    START = 2  # x0; index: the replicate
    REPETITION = 3  # seeds of repetitions; index: the repetition
    SIGN = 4  # the coins of sign rules; index: the replicate
    CASE = 5  # instances of checked statements; index: the statement, epoch: the case
    UPDATE = 6  # the uniform numbers of updates; index: the replicate
    GRAPH = 8  # edges of random graphs, and who talks in randomized gossip; index: 0 and 1
    THINNING = 9  # the signs of kernel halving
    COHORT = 10  # who takes part, epoch: the round, or the meta-epoch; index: the replicate


class Stream:
    """The stream of one (seed, role, index), which :meth:`at` places at the start of an epoch."""

    def __init__(self, seed: int, role: Role, index: int = 0) -> None:
        seed = _checks.integer("seed", seed, low=0)
        self._bits = PCG64(SeedSequence(seed, spawn_key=(int(role), index)))
        self._start = self._bits.state
        self._generator = Generator(self._bits)

    def at(self, epoch: int) -> Generator:
        """Return the generator, placed at the start of `epoch`; what was drawn before does not matter."""
        self._bits.state = self._start
        self._bits.advance(epoch * _JUMP)
        return self._generator


def stream(seed: int, role: Role, index: int = 0, epoch: int = 0) -> Generator:
    """Return a new generator at one address.

    Parameters
    ----------
    seed : int
        Nonnegative integer, the only entropy.
    role : Role
        What the draws are for.
    index : int
        Replicate, or field of a problem's data.
    epoch : int

    Examples
    --------
    >>> a = stream(0, Role.ORDER, epoch=3).integers(100, size=4)
    >>> longer = stream(0, Role.ORDER, epoch=3).integers(100, size=8)
    >>> bool((a == longer[:4]).all())
    True
    """
    return Stream(seed, role, index).at(epoch)


def subseeds(seed: int, count: int) -> list[int]:
    """Return seeds for independent repetitions, the first ones the same for every count.

    Examples
    --------
    >>> subseeds(0, 2) == subseeds(0, 3)[:2]
    True
    """
    children = (SeedSequence(seed, spawn_key=(Role.REPETITION, r)) for r in range(count))
    return [int(child.generate_state(1, "uint64")[0] >> 1) for child in children]  # fits 63 bits


def beside(rng: Generator) -> Generator:
    """Return a generator for draws that leave those of `rng` alone: far from it and from every epoch of it.

    Parameters
    ----------
    rng : Generator
        At the start of an epoch, of the kind that :class:`Stream` hands out.

    Examples
    --------
    >>> first, second = stream(0, Role.ORDER), stream(0, Role.ORDER)
    >>> coins = beside(first).random(4)
    >>> bool(first.random() == second.random())
    True
    """
    bits = PCG64()
    bits.state = dict(rng.bit_generator.state)  # type: ignore[assignment]
    bits.advance(_ASIDE)  # no multiple of _JUMP, nor of a power of two
    return Generator(bits)
