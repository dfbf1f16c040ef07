"""How the herding error moves from one epoch to the next while the iterates move too (T4, T7, T8).

The reordering lemma halves the herding error of static vectors up to the balancing bound. Gradients are not
static: they are balanced along the epoch and judged at its end, which costs a multiple of the distance
travelled.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least, nonnegative, nonnegative_array, positive
from theory.convergence._epochs import capped_step


def cd_grab_herding_bound(
    H: float, balance: float, grad_norm: float, alpha: float, L: float, m: int, n: int
) -> float:
    r"""Bound the herding error of the next epoch's order at its start, coordinated pair balancing (T4).

    .. math::
        H_{t+1} \le \frac{H_t}{2} + \frac{A_t}{2m} + \frac32 \alpha n L \bigl(n \|\nabla f(x_t)\| + H_t\bigr)

    Assumes every f_ij is L-smooth; alpha n L <= 1/2; A_t = max_j ||running pair sum after pair j|| of the
    live gradients of epoch t; signs by any rule; n even or odd.

    Provenance: proved here, note ``T4-cd-grab-herding``. Plays the part of the herding lemma behind Theorem 1
    of arXiv:2302.00845.

    Examples
    --------
    >>> cd_grab_herding_bound(H=4.0, balance=8.0, grad_norm=0.0, alpha=0.01, L=1.0, m=4, n=10)
    3.6
    """
    m, n = integer_at_least("m", m, 1), integer_at_least("n", n, 1)
    alpha = capped_step(alpha, n, L, 1 / 2, "T4")
    H, balance = nonnegative("H", H), nonnegative("balance", balance)
    travelled = n * nonnegative("grad_norm", grad_norm) + H
    return H / 2 + balance / (2 * m) + 1.5 * alpha * n * L * travelled


def grab_herding_bound(
    H: float, balance: float, L: float, n: int, moved: float, moved_sum: float, mean_error: float
) -> float:
    r"""Bound the herding error of the next epoch's order under GraB on one worker with a stale mean (T7).

    .. math::
        H_{t+1} \le \frac{H_t + A_t}{2} + \frac{nL}{4} \|x_{t+1} - x_t\|
                    + \frac L2 \sum_{k<n} \|x_{t+1} - x_k\| + \frac n2 \|\nabla f(x_{t+1}) - c_t\|

    Assumes every f_j is L-smooth; epoch t balances grad f_{pi(k)}(x_{k-1}) - c_t with one vector c_t for the
    whole epoch; A_t = max_k ||running signed sum|| of these; signs by any rule; any step size.

    Provenance: proved here, note ``T7-grab-herding``. Plays the part of the herding lemma of
    arXiv:2205.10733.

    Parameters
    ----------
    moved : float
        ||x_{t+1} - x_t||.
    moved_sum : float
        sum_{k<n} ||x_{t+1} - x_k||, over the points where the gradients of epoch t were taken.
    mean_error : float
        ||grad f(x_{t+1}) - c_t||, the error of the stale mean.

    Examples
    --------
    >>> grab_herding_bound(H=4.0, balance=2.0, L=1.0, n=4, moved=0.0, moved_sum=0.0, mean_error=0.5)
    4.0
    """
    L, n = positive("L", L), integer_at_least("n", n, 1)
    static = (nonnegative("H", H) + nonnegative("balance", balance)) / 2
    motion = n * L / 4 * nonnegative("moved", moved) + L / 2 * nonnegative("moved_sum", moved_sum)
    return static + motion + n / 2 * nonnegative("mean_error", mean_error)


def independent_herding_bound(errors: ArrayLike) -> float:
    r"""Bound the parallel herding error of workers that order their examples independently (T8).

    .. math:: H \le \frac1m \sum_i H_i

    Assumes nothing; equality when all workers hold identical data in identical orders. No gain in m is
    proved.

    Provenance: proved here, note ``T8-independent-herding``; the triangle inequality. The baseline ID-GraB of
    arXiv:2302.00845.

    Parameters
    ----------
    errors : array_like, shape (m,)
        Each worker's own herding error, about its own mean.

    Examples
    --------
    >>> independent_herding_bound([1.0, 3.0])
    2.0
    """
    return float(np.mean(nonnegative_array("errors", errors)))


def independent_herding_heuristic(H1: float, m: int) -> float:
    r"""Return the typical parallel herding error of workers that order independently (T8, not a bound).

    .. math:: H \approx H_1 / \sqrt m

    Assumes the workers' prefixes behave like independent centred vectors of norm H_1.

    Provenance: proved here under that assumption (the root mean square), note ``T8-independent-herding``.
    That workers behave so is not proved: a reference line, not a bound.

    Examples
    --------
    >>> independent_herding_heuristic(3.0, m=9)
    1.0
    """
    return nonnegative("H1", H1) / math.sqrt(integer_at_least("m", m, 1))
