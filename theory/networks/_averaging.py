"""Averages by talking in pairs (N5)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from theory._checks import integer_at_least
from theory._spectral import Array


def connectivity(m: int, edges: ArrayLike) -> float:
    r"""Return the algebraic connectivity: the second smallest eigenvalue of the Laplacian (N5).

    .. math:: \Lambda = \sum_{(i,l) \in E} (\delta_i - \delta_l)(\delta_i - \delta_l)'

    Assumes nothing; it is 0 where the graph is not connected.

    Provenance: proved here, note ``N5-randomized-gossip``; textbook (Fiedler).

    Parameters
    ----------
    edges : array_like, shape (E, 2)
        Pairs of workers.

    Examples
    --------
    >>> round(connectivity(3, [[0, 1], [1, 2]]), 12)
    1.0
    """
    return float(np.linalg.eigvalsh(_laplacian(m, edges))[1])


def randomized_gossip_moments(m: int, edges: ArrayLike, x: ArrayLike, steps: int) -> Array:
    r"""Return E |x - xbar|^2 after every one of so many random talks, exactly (N5).

    .. math:: E x x' \leftarrow \frac{1}{|E|} \sum_{(i,l)} P_{il} \, E x x' \, P_{il}, \qquad
        P_{il} = I - \tfrac12 (\delta_i - \delta_l)(\delta_i - \delta_l)'

    It falls by at least 1 - a / (2 |E|) at every step, a the :func:`connectivity`.

    Assumes edges drawn uniformly, with replacement.

    Provenance: proved here, note ``N5-randomized-gossip``; textbook (Boyd, Ghosh, Prabhakar, Shah).

    Parameters
    ----------
    edges : array_like, shape (E, 2)
        Pairs of workers.
    x : array_like, shape (m,)
        The start.

    Returns
    -------
    ndarray, shape (steps + 1,)
        From the start on.

    Examples
    --------
    >>> randomized_gossip_moments(2, [[0, 1]], [0.0, 2.0], 1)
    array([2., 0.])
    """
    pairs, start = np.asarray(edges, dtype=np.int64), np.asarray(x, dtype=np.float64)
    off = start - start.mean()
    M, found = np.outer(off, off), [float(off @ off)]
    talks = [_laplacian(m, [pair]) for pair in pairs]
    for _ in range(integer_at_least("steps", steps, 0)):
        M = np.mean([(np.eye(m) - 0.5 * e) @ M @ (np.eye(m) - 0.5 * e) for e in talks], axis=0)
        found.append(float(np.trace(M)))
    return np.array(found)


def accelerated_gossip_rate(m: int, edges: ArrayLike) -> float:
    r"""Return the factor of accelerated randomized gossip per talk (N5).

    .. math:: E \Psi' \le (1 - r) \Psi, \qquad r = \frac{\sqrt{a / 2}}{|E|}, \qquad
        \Psi = |v - \bar x|^2_{(\Lambda / 2)^+} + \frac{2}{a} |x - \bar x|^2

    Assumes a connected graph.

    Provenance: proved here, note ``N5-randomized-gossip``. Loizou, Rabbat, Richtarik, arXiv:1810.13084.

    Parameters
    ----------
    edges : array_like, shape (E, 2)
        Pairs of workers.

    Examples
    --------
    >>> round(accelerated_gossip_rate(2, [[0, 1]]), 12)
    0.0
    """
    return 1.0 - math.sqrt(0.5 * connectivity(m, edges)) / len(np.asarray(edges))


def _laplacian(m: int, edges: ArrayLike) -> Array:
    laplacian = np.zeros((integer_at_least("m", m, 2), m))
    for i, j in np.asarray(edges, dtype=np.int64):
        laplacian[[i, j], [i, j]] += 1.0
        laplacian[[i, j], [j, i]] -= 1.0
    return laplacian
