"""Are two methods different? Every seed is a pair, and signs are flipped in all ways."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks

_MOST = 20  # pairs; 2^20 sign patterns


def paired_test(a: ArrayLike, b: ArrayLike) -> float:
    r"""Return the exact two-sided p-value of "a and b differ by chance", for paired positive values.

    With r the log ratios of the pairs, the share of sign patterns that move their sum at least as far:

    .. math::

        p = 2^{-R} \, \# \Big\{ \epsilon \in \{\pm 1\}^R :
            \Big| \sum_k \epsilon_k r_k \Big| \ge \Big| \sum_k r_k \Big| \Big\}

    The smallest possible value is 2^(1 - R): 0.03 for six pairs.

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
    ratios = np.log(a / b)
    sums = np.abs(np.array(list(product((1.0, -1.0), repeat=len(a)))) @ ratios)
    return float(np.mean(sums >= abs(ratios.sum()) * (1.0 - 1e-12)))
