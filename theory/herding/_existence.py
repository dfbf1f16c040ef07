"""Good orders and good signs exist, and good signs lead to good orders (H6 to H8)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from theory._checks import integer_at_least, nonnegative, nonnegative_array, positive


def steinitz_bound(d: int, B: float = 1.0) -> float:
    r"""Bound the herding error of the best order (H6).

    .. math:: \min_\pi \max_k \|S_k\| \le d B

    Assumes vectors that sum to 0 with ||z_j|| <= B, any norm. Grinberg and Sevastyanov's order attains it.

    Provenance: proved here, note ``H6-steinitz-order``. See Grinberg, Sevastyanov, 1980.

    Examples
    --------
    >>> steinitz_bound(3, 2.0)
    6.0
    """
    return integer_at_least("d", d, 1) * nonnegative("B", B)


def herding_lower_bound(norms: ArrayLike) -> float:
    r"""Bound the herding error of one list from below, for every order (H6).

    .. math:: H \ge \tfrac12 \max_j \|z_j\|

    Assumes one worker: z at step k is the difference of two prefix sums.

    Provenance: proved here, note ``H6-steinitz-order``. See Harvey, Samadi, COLT 2014 (herding as a Steinitz
    problem).

    Examples
    --------
    >>> herding_lower_bound([1.0, 3.0, 2.0])
    1.5
    """
    return float(nonnegative_array("norms", norms).max() / 2.0)


def prefix_signing_bound(d: int, B: float = 1.0) -> float:
    r"""Bound the signed sums of the best signs (H7).

    .. math:: \min_\epsilon \max_k \|R_k\| \le 2 d B

    Assumes ||z_j|| <= B, any norm, any sum. Barany and Grinberg's signs attain it.

    Provenance: proved here, note ``H7-prefix-signs``. See Barany, Grinberg, 1981.

    Examples
    --------
    >>> prefix_signing_bound(3)
    6.0
    """
    return 2.0 * integer_at_least("d", d, 1) * nonnegative("B", B)


def transference_rounds(initial: float, balance: float, excess: float) -> int:
    r"""Return how many reorders reach a herding error of A + excess (H8).

    .. math::
        T = \Bigl\lceil \log_2 \frac{H_0 - A}{\text{excess}} \Bigr\rceil_+
        \ \Longrightarrow \ H_T \le A + \text{excess}

    Assumes a signing rule whose signed sums stay within A for EVERY order of the vectors. As orders are
    finitely many, some order then has H <= A: a bound on signing is a bound on herding.

    Provenance: proved here, note ``H8-transference``. See Harvey, Samadi, COLT 2014.

    Parameters
    ----------
    excess : float
        Excess over A that is tolerated, > 0.

    Examples
    --------
    >>> transference_rounds(18.0, 2.0, 1.0)
    4
    """
    distance = nonnegative("initial", initial) - nonnegative("balance", balance)
    tolerated = positive("excess", excess)
    return max(0, math.ceil(math.log2(distance / tolerated))) if distance > tolerated else 0
