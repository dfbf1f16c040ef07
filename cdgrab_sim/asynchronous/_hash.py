"""Random numbers that are addressed, not drawn: a stateless hash of (seed, stream, worker, number).

Events come in an order that depends on the method, so a generator shared by the events would give every
method other examples and other times. Here job `number` of a worker has its own place:

    u = SplitMix64(key of (seed, stream, worker), number),   0 < u < 1, a multiple of 2**-53

so that methods compared on one seed see the same examples and the same job times (common random numbers).
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence
from numpy.typing import NDArray

from cdgrab_sim._kernels.jit import kernel

_GOLDEN = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_MASK = (1 << 64) - 1
_ROLE = 1000  # apart from the roles of :mod:`cdgrab_sim._rng`


class HashStream(IntEnum):
    """What a number is for; part of its address, and never changed."""

    EXAMPLE = 0
    TIME = 1
    TIME_SECOND = 2  # the second uniform of a normal
    CONTROL = 3  # permutes job times across examples
    CLOCK = 4  # traces of workers that come and go
    ASSIGNMENT = 5  # which worker gets the next job


def _mixed(z: Any) -> Any:
    z = ((z ^ (z >> 30)) * _FIRST) & _MASK
    z = ((z ^ (z >> 27)) * _SECOND) & _MASK
    return z ^ (z >> 31)


@kernel(small=True, allocates=False)
def uniform(key: np.uint64, number: int) -> float:
    """Return number `number` of the sequence of `key`, strictly between 0 and 1.

    Fifty-two bits and a half: with fifty-three the largest value would round to 1. Python's own integers are
    cut to 64 bits, which machine code does by itself; those of NumPy would warn.
    """
    z = (int(key) + _GOLDEN * int(np.uint64(number + 1))) & _MASK
    z = ((z ^ (z >> 30)) * _FIRST) & _MASK
    z = ((z ^ (z >> 27)) * _SECOND) & _MASK
    z = z ^ (z >> 31)
    return float((z >> 12) + 0.5) * 2.0**-52


def worker_keys(seed: int, workers: int) -> NDArray[np.uint64]:
    """Return the keys of all streams, shape (streams, workers); those of worker i do not depend on m.

    Examples
    --------
    >>> bool((worker_keys(0, 3) == worker_keys(0, 5)[:, :3]).all())
    True
    """
    keys = np.empty((len(HashStream), workers), dtype=np.uint64)
    places = np.arange(1, workers + 1, dtype=np.uint64) * np.uint64(_GOLDEN)  # arrays wrap without a warning
    for stream in HashStream:
        base = SeedSequence(seed, spawn_key=(_ROLE, int(stream))).generate_state(1, "uint64")[0]
        keys[stream] = _mixed(base + places)
    return keys


def clock_stream(seed: int, worker: int) -> SeedSequence:
    """Return the entropy of a worker's trace of rates."""
    return SeedSequence(seed, spawn_key=(_ROLE, int(HashStream.CLOCK), worker))


def assignment_key(seed: int) -> int:
    """Return the key of the draws that assign jobs to workers, in 63 bits."""
    entropy = SeedSequence(seed, spawn_key=(_ROLE, int(HashStream.ASSIGNMENT)))
    return int(entropy.generate_state(1, "uint64")[0] >> np.uint64(1))


def control(seed: int) -> Generator:
    """Return the generator of the control that permutes job times across examples."""
    return Generator(PCG64(SeedSequence(seed, spawn_key=(_ROLE, int(HashStream.CONTROL)))))
