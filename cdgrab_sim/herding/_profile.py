"""Profiles of orders: the norms of all prefix sums, step by step, and what random orders have instead."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._kernels.sums import dots_twin
from cdgrab_sim._types import FloatArray
from cdgrab_sim.herding._vectors import as_stream, as_table, rescaled, scaled
from cdgrab_sim.problems._linear_terms import example_sums

MEASURES = ("inf", "l1", "l2")


def norms(vectors: FloatArray, norm: str) -> FloatArray:
    """Return the norm of every vector (..., d)."""
    if norm == "inf":
        return np.asarray(np.abs(vectors).max(axis=-1))
    if norm == "l1":
        return np.asarray(np.cumsum(np.abs(vectors), axis=-1)[..., -1])
    return np.asarray(np.sqrt(dots_twin(vectors, vectors)))


def profile_of(stream: FloatArray, norm: str) -> FloatArray:
    """Return the norms (n,) of the sums of a stream (n, m, d) after each step.

    Examples
    --------
    >>> profile_of(np.array([[[1.0]], [[1.0]], [[-2.0]]]), "l1")
    array([1., 2., 0.])
    """
    _, m, d = stream.shape
    return norms(np.cumsum(stream.reshape(-1, d), axis=0)[m - 1 :: m], norm)


def profile(z: ArrayLike, pi: ArrayLike, norm: str = "inf") -> FloatArray:
    r"""Return the norms of all prefix sums of an order, k = 1, ..., n: their largest is the herding error.

    .. math:: \Big\| \sum_{l \le k} \sum_{i=1}^m z_{i, \pi_i(l)} \Big\|

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
    pi : int array (n,) or (m, n)
        One order serves all workers.
    norm : {"inf", "l1", "l2"}

    Returns
    -------
    array (n,)

    Examples
    --------
    >>> profile([[1.0], [1.0], [-2.0]], [0, 2, 1])
    array([1., 1., 0.])
    """
    norm, (stream, exponent) = _checks.choice("norm", norm, MEASURES), ordered(z, pi)
    return rescaled(profile_of(stream, norm), exponent)


def worker_errors(z: ArrayLike, pi: ArrayLike, norm: str = "inf") -> FloatArray:
    r"""Return each worker's own herding error; their sum bounds the parallel one.

    .. math:: H_i = \max_k \Big\| \sum_{l \le k} z_{i, \pi_i(l)} \Big\|

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
    pi : int array (n,) or (m, n)
    norm : {"inf", "l1", "l2"}

    Returns
    -------
    array (m,)

    Examples
    --------
    >>> worker_errors([[[1.0], [-1.0]], [[-2.0], [2.0]]], [0, 1])
    array([1., 2.])
    """
    norm, (stream, exponent) = _checks.choice("norm", norm, MEASURES), ordered(z, pi)
    errors = [profile_of(stream[:, i : i + 1], norm).max() for i in range(stream.shape[1])]
    return rescaled(np.array(errors), exponent)


def random_profile(z: ArrayLike) -> FloatArray:
    r"""Return the root mean square 2-norms of the prefix sums under independent random orders, exactly.

    .. math:: E \| S_k \|_2^2 = \frac{k (n - k)}{n - 1} \sum_{i=1}^m \sigma_i^2
        + \frac{k^2}{n^2} \Big\| \sum_{i,j} z_{ij} \Big\|_2^2

    with sigma_i^2 the mean squared distance of worker i's vectors from their mean. What `profile` in the
    2-norm is to be compared with.

    Parameters
    ----------
    z : array (n, d) or (m, n, d)

    Returns
    -------
    array (n,)

    Notes
    -----
    Derived: drawn without replacement, two of worker i's vectors have covariance -Sigma_i / (n - 1).

    Examples
    --------
    >>> random_profile([[1.0], [-1.0]])
    array([1., 0.])
    """
    table, exponent = scaled(as_table(z))
    n = table.shape[1]
    sums = example_sums(table)
    apart = table - (sums / n)[:, None]
    variance = float((apart * apart).sum()) / n
    together = sums.sum(axis=0)
    k = np.arange(1, n + 1)
    squares = variance * (k * (n - k) / max(1, n - 1)) + (k / n) ** 2 * float((together * together).sum())
    return rescaled(np.sqrt(squares), exponent)


def along(table: FloatArray, pi: ArrayLike) -> FloatArray:
    """Return the stream (n, m, d) of vectors (m, n, d) in the orders `pi`."""
    rows = _checks.orders("pi", pi, *table.shape[:2])
    return as_stream(np.take_along_axis(table, rows[:, :, None], axis=1))


def ordered(z: ArrayLike, pi: ArrayLike) -> tuple[FloatArray, int]:
    """Return the stream of vectors in their orders, scaled, and the exponent of the scale."""
    table, exponent = scaled(as_table(z))
    return along(table, pi), exponent
