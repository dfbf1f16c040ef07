"""Herding errors of given orders, and the order that signs ask for."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.herding._profile import MEASURES, along, ordered, profile, profile_of
from cdgrab_sim.herding._vectors import as_table, rescaled


def error(z: ArrayLike, pi: ArrayLike, norm: str = "inf") -> float:
    r"""Return the parallel herding error, checked once per step, after all workers.

    .. math:: \max_{1 \le k \le n} \Big\| \sum_{l \le k} \sum_{i=1}^m z_{i, \pi_i(l)} \Big\|

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
    pi : int array (n,) or (m, n)
        One order serves all workers.
    norm : {"inf", "l1", "l2"}

    References
    ----------
    arXiv 2302.00845, whose figure of random vectors shows this error in the inf-norm.

    Examples
    --------
    >>> z = [[1.0], [1.0], [-2.0]]
    >>> error(z, [0, 1, 2]), error(z, [0, 2, 1])
    (2.0, 1.0)
    """
    return float(profile(z, pi, norm).max())


def error_after_every_worker(z: ArrayLike, pi: ArrayLike, norm: str = "inf") -> float:
    r"""Return the herding error of the single sequence in which the workers of a step follow each other.

    .. math::

        \max_{k, i} \Big\| \sum_{l < k} \sum_{a=1}^m z_{a, \pi_a(l)} + \sum_{a \le i} z_{a, \pi_a(k)} \Big\|

    It looks at m times as many sums as `error` does and is never smaller.

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
    pi : int array (n,) or (m, n)
    norm : {"inf", "l1", "l2"}

    Examples
    --------
    Two workers who cancel each other within a step:

    >>> z = [[[1.0], [1.0]], [[-1.0], [-1.0]]]
    >>> error(z, [0, 1]), error_after_every_worker(z, [0, 1])
    (0.0, 1.0)
    """
    norm, (stream, exponent) = _checks.choice("norm", norm, MEASURES), ordered(z, pi)
    one_by_one = stream.reshape(-1, 1, stream.shape[2])
    return float(rescaled(profile_of(one_by_one, norm).max(), exponent))


def prefix_sums(z: ArrayLike, pi: ArrayLike) -> FloatArray:
    r"""Return the walk of the prefix sums over all workers, from the origin on.

    .. math:: S_k = \sum_{l \le k} \sum_{i=1}^m z_{i, \pi_i(l)}, \qquad k = 0, \dots, n

    Its largest norm is the herding error, to the last bit.

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
    pi : int array (n,) or (m, n)

    Returns
    -------
    array (n + 1, d)

    Examples
    --------
    >>> prefix_sums([[1.0], [1.0], [-2.0]], [0, 2, 1])[:, 0]
    array([ 0.,  1., -1.,  0.])
    """
    stream = along(as_table(z), pi)
    _, m, d = stream.shape
    sums: FloatArray = np.cumsum(np.concatenate((np.zeros((1, d)), stream.reshape(-1, d))), axis=0)
    return sums[::m]


def reorder(eps: ArrayLike) -> IntArray:
    r"""Return the order that signs ask for: positions with +1 as they come, then those with -1 backwards.

    For vectors with sum zero, in any norm,

    .. math:: H_{new} \le \tfrac12 \big( H_{old} + \max_k \| \textstyle\sum_{l \le k} \epsilon_l z_l \| \big).

    The new order of a worker is ``pi[reorder(eps)]``.

    Parameters
    ----------
    eps : array (n,) or (m, n)
        Signs +1 and -1; each worker is reordered by itself.

    Returns
    -------
    int array of the same shape

    References
    ----------
    Lu, Guo, De Sa, arXiv 2205.10733, after Harvey and Samadi (COLT 2014).

    Examples
    --------
    >>> reorder([1, -1, -1, 1])
    array([0, 3, 2, 1])
    """
    signs = _checks.signs("eps", eps)
    k = np.arange(signs.shape[-1])
    return np.argsort(np.where(signs > 0, k, 2 * len(k) - k), axis=-1)
