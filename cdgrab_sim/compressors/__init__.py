"""Compressors, or what a worker sends instead of a vector: those registered here are known by name.

A compressor Q is unbiased, with a relative variance omega, or a contraction:

    E Q(v) = v,  E |Q(v) - v|^2 <= omega |v|^2      or      |Q(v) - v|^2 <= (1 - delta) |v|^2

Both numbers are proved in the note C1 of ``theory/notes``. Messages are counted in bits, with 32 for a
number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cdgrab_sim.compressors._compressor import COMPRESSORS, AnyCompressor
from cdgrab_sim.compressors._compressor import Compressor as Compressor
from cdgrab_sim.compressors._rounding import natural as natural
from cdgrab_sim.compressors._rounding import qsgd as qsgd
from cdgrab_sim.compressors._rounding import sign as sign
from cdgrab_sim.compressors._sparse import identity as identity
from cdgrab_sim.compressors._sparse import rand_k as rand_k
from cdgrab_sim.compressors._sparse import top_k as top_k

COMPRESSORS.arrange()

__all__ = ["COMPRESSORS", "Compressor", "make", *COMPRESSORS.functions]


def __dir__() -> list[str]:
    return __all__


def make(compressor: AnyCompressor, **arguments: Any) -> Compressor:
    """Return a compressor from a record, from what describes it, or from a registered name and its arguments.

    Examples
    --------
    >>> make("rand-k", k=2).omega(6)
    2.0
    >>> make({"name": "rand-k", "k": 2}).describe()
    {'name': 'rand-k', 'k': 2}
    """
    if isinstance(compressor, Mapping):
        described = dict(compressor)
        return COMPRESSORS.make(described.pop("name", ""), **described, **arguments)
    return COMPRESSORS.make(compressor, **arguments)
