"""Orders that are found with all vectors at hand: greedy herding, and one with a proof."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.herding._constructions import move_to_an_end, relation
from cdgrab_sim.herding._vectors import as_table, scaled
from cdgrab_sim.orderings import _herding


def greedy_order(z: ArrayLike) -> IntArray:
    r"""Return the order of greedy herding: take the vector that leaves the shortest sum, again and again.

    .. math:: \pi_i(k) = \arg\min_{j \text{ left}} \| s + z_{ij} \|_2, \qquad s \leftarrow s + z_{i, \pi_i(k)}

    for the steps k = 1, ..., n and within a step for the workers i = 1, ..., m; s is the sum of all workers'
    vectors so far, and the first of equals is taken. Vectors should sum to zero. O(m d n^2) time. No bound of
    order 1 is known for it; on random vectors it is far below a random order.

    Parameters
    ----------
    z : array (n, d) or (m, n, d)

    Returns
    -------
    int array (n,) or (m, n)

    References
    ----------
    Lu, Meng, De Sa, "A General Analysis of Example-Selection for Stochastic Gradient Descent", ICLR 2022.

    Examples
    --------
    >>> greedy_order([[2.0], [1.0], [-1.0], [-2.0]])
    array([1, 2, 0, 3])
    """
    pi = _herding.greedy_order(scaled(as_table(z))[0])
    return pi[0] if np.ndim(z) == 2 else pi


def steinitz_order(z: ArrayLike) -> IntArray:
    r"""Return an order whose prefix sums stay below d times the longest vector, in every norm at once.

    .. math:: \max_k \Big\| \sum_{l \le k} z_{\pi(l)} \Big\| \le d \max_j \| z_j \|

    by the construction of Grinberg and Sevastyanov. O(n^2 d^3) time: n up to a few hundred.

    Parameters
    ----------
    z : array (n, d)
        Vectors with sum zero, up to rounding.

    Returns
    -------
    int array (n,)

    Raises
    ------
    ValueError
        For vectors of several workers, or with another sum.

    References
    ----------
    Grinberg, Sevastyanov, "Value of the Steinitz constant", 1980; no arXiv version.

    Examples
    --------
    >>> z = [[1.0], [1.0], [-1.0], [-1.0]]
    >>> float(abs(np.array(z)[steinitz_order(z)].cumsum()).max())
    1.0
    """
    table = scaled(_checks.floats("z", z, 2))[0]
    total = np.cumsum(table, axis=0)[-1]
    if np.abs(total).max() > 1e-9 * len(table):
        raise ValueError("z: expected vectors with sum zero; got another sum; subtract their mean")
    return _steinitz(table)


def _steinitz(z: FloatArray) -> IntArray:
    """Keep weights in [0, 1] of the k vectors left, with sum of weight z equal to 0 and sum of weights k - d.

    Shrink them to the sum k - 1 - d and go on to a vertex of these conditions: at most d + 1 weights are
    strictly inside, so one is 0, and its vector takes position k.
    """
    n, d = z.shape
    left, weights, last = list(range(n)), np.zeros(n), []
    weights[:] = (n - d) / n if n > d else 0.0
    conditions = np.vstack((z.T / (np.abs(z).max() or 1.0), np.ones(n)))
    while len(left) > d + 1:
        k = len(left)
        weights[left] *= (k - 1 - d) / (k - d)
        inside = [j for j in left if 0.0 < weights[j] < 1.0]
        while len(inside) > d + 1:
            some = inside[: d + 2]
            move_to_an_end(weights, some, relation(conditions[:, some]), low=0.0)
            inside = [j for j in inside if 0.0 < weights[j] < 1.0]
        out = min(left, key=lambda j: weights[j])
        left.remove(out)
        last.append(out)
    return np.array(left + last[::-1], dtype=np.int64)
