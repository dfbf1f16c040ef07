"""Hypothesis strategies: vectors of every kind that has broken a rule before, orders, signs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from cdgrab_sim import _checks
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray
from theory.balancing import greedy_worst_case

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy


def hypothesis() -> Any:
    """Return Hypothesis, which only those need who draw examples."""
    try:
        import hypothesis.extra.numpy
    except ImportError as error:
        raise ImportError(
            "cdgrab_sim.testing: expected Hypothesis to be installed; got none; "
            "pip install 'cdgrab-sim[testing]'"
        ) from error
    return hypothesis


def _gaussian(rng: Generator, n: int, d: int) -> FloatArray:
    return np.asarray(rng.standard_normal((n, d)), dtype=np.float64)


def _sphere(rng: Generator, n: int, d: int) -> FloatArray:
    z = rng.standard_normal((n, d))
    return np.asarray(z / np.linalg.norm(z, axis=1, keepdims=True))


def _signs(rng: Generator, n: int, d: int) -> FloatArray:
    return np.asarray(2.0 * rng.integers(2, size=(n, d)) - 1.0, dtype=np.float64)


def _low_rank(rng: Generator, n: int, d: int) -> FloatArray:
    return rng.standard_normal((n, 1)) * rng.standard_normal((1, d))


def _duplicated(rng: Generator, n: int, d: int) -> FloatArray:
    return rng.standard_normal((2, d))[rng.integers(2, size=n)]


def _adversarial(rng: Generator, n: int, d: int) -> FloatArray:
    return greedy_worst_case(n, d) if d > 1 else np.ones((n, 1))


def _whole(rng: Generator, n: int, d: int) -> FloatArray:
    return rng.integers(-3, 4, size=(n, d)).astype(np.float64)


# name -> draw(rng, n, d): what `vectors` can be asked for.
KINDS: dict[str, Callable[[Generator, int, int], FloatArray]] = {
    "gaussian": _gaussian,
    "sphere": _sphere,
    "signs": _signs,
    "low rank": _low_rank,
    "duplicated": _duplicated,
    "adversarial": _adversarial,  # each vector orthogonal to the sum that the greedy rule has then
    "whole": _whole,  # ties, zeros and exact sums
}


def vectors(
    kinds: Sequence[str] = tuple(KINDS),
    n: SearchStrategy[int] | None = None,
    d: SearchStrategy[int] | None = None,
    m: SearchStrategy[int] | None = None,
) -> SearchStrategy[FloatArray]:
    """Draw vectors (n, d) of some kind, or (m, n, d) if a strategy for m is given.

    Parameters
    ----------
    kinds : sequence of str
        Names from `KINDS`.
    n, d, m : strategies of int, optional
        1 to 12 vectors of 1 to 4 dimensions by default.

    Examples
    --------
    >>> vectors(kinds=["signs"]).validate()
    """
    st = hypothesis().strategies
    chosen = [_checks.choice("kind", name, KINDS) for name in _checks.listed("kinds", kinds)]
    names = st.sampled_from(chosen)
    steps = st.integers(1, 12) if n is None else n
    dimensions = st.integers(1, 4) if d is None else d
    seeds = st.integers(0, 2**16)

    @st.composite  # type: ignore[untyped-decorator]
    def drawn(draw: DrawFn) -> FloatArray:
        kind, shape = KINDS[draw(names)], (draw(steps), draw(dimensions))
        if m is None:
            return kind(stream(draw(seeds), Role.DATA), *shape)
        return np.array([kind(stream(draw(seeds), Role.DATA), *shape) for _ in range(draw(m))])

    return drawn()  # type: ignore[no-any-return]


def whole(shape: tuple[int, ...]) -> SearchStrategy[FloatArray]:
    """Vectors with small whole entries, which shrink entry by entry: ties and zeros are common.

    Parameters
    ----------
    shape : tuple of int

    Examples
    --------
    >>> whole((2, 3)).validate()
    """
    shape = tuple(_checks.size("shape", length) for length in _checks.listed("shape", shape))
    numpy, st = hypothesis().extra.numpy, hypothesis().strategies
    entries = numpy.arrays(np.int64, shape, elements=st.integers(-3, 3))
    return entries.map(lambda a: a.astype(np.float64))  # type: ignore[no-any-return]


def orders(m: int, n: int) -> SearchStrategy[Any]:
    """Orders (m, n), a permutation in each row.

    Parameters
    ----------
    m, n : int

    Examples
    --------
    >>> orders(2, 3).validate()
    """
    st = hypothesis().strategies
    m, n = _checks.sizes(m=m, n=n)
    row = st.permutations(range(n))
    return st.lists(row, min_size=m, max_size=m).map(np.array)  # type: ignore[no-any-return]


def signs(*shape: int) -> SearchStrategy[Any]:
    """Arrays of signs +1 and -1.

    Parameters
    ----------
    *shape : int

    Examples
    --------
    >>> signs(2, 3).validate()
    """
    shape = tuple(_checks.size("shape", length) for length in shape)
    numpy, st = hypothesis().extra.numpy, hypothesis().strategies
    return numpy.arrays(np.int64, shape, elements=st.sampled_from([-1, 1]))  # type: ignore[no-any-return]
