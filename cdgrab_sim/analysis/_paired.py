"""Are two methods different? Every seed is a pair, and signs are flipped in all ways."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from math import prod

from numpy.typing import ArrayLike

from cdgrab_sim import _checks

_MOST = 20  # pairs; 2^20 sign patterns


def paired_test(a: ArrayLike, b: ArrayLike) -> float:
    r"""Return the exact two-sided p-value of "a and b differ by chance", for paired positive values.

    With r the log ratios of the pairs, the share of sign patterns that move their sum at least as far:

    .. math::

        p = 2^{-R} \, \# \Big\{ \epsilon \in \{\pm 1\}^R :
            \Big| \sum_k \epsilon_k r_k \Big| \ge \Big| \sum_k r_k \Big| \Big\}

    The smallest possible value is 2^(1 - R): 0.03 for six pairs. Sums are compared as products of fractions,
    exactly, and count as equal where the rounding of `a` and `b` to floats could make the difference.

    Parameters
    ----------
    a, b : array (R,)
        Positive values, one pair per seed, R <= 20.

    Examples
    --------
    >>> paired_test([1.0, 2.0, 3.0], [2.0, 4.0, 7.0])
    0.25
    """
    a, b = _checks.floats("a", a, 1), _checks.floats("b", b, 1)
    if a.shape != b.shape or len(a) > _MOST:
        raise ValueError(f"a, b: expected pairs, at most {_MOST}; got shapes {a.shape} and {b.shape}")
    if min(a.min(), b.min()) <= 0.0:
        raise ValueError(f"a, b: expected numbers > 0; got {min(a.min(), b.min())}")
    ratios = [Fraction(x) / Fraction(y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    tie = 1 + Fraction(2 * len(ratios), 2**53)
    if prod(ratios) < 1:
        ratios = [1 / ratio for ratio in ratios]
    if prod(ratios) <= tie:
        return 1.0
    # Flipping the pairs of a set moves the sum as far on the same side if their product is at most 1, and
    # every such pattern has its mirror image on the other side.
    half = len(ratios) // 2
    few, most = _products(ratios[:half]), _products(ratios[half:])
    count = sum(bisect_right(most, tie / product) for product in few)
    return min(1.0, 2.0 * count / 2.0 ** len(ratios))


def _products(ratios: Sequence[Fraction]) -> list[Fraction]:
    """Return the products of all subsets, sorted."""
    found = [Fraction(1)]
    for ratio in ratios:
        found += [ratio * product for product in found]
    return sorted(found)
