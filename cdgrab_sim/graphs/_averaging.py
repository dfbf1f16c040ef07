"""Averages by talking in pairs: one random edge at a time."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.graphs._graph import Graph


class Averaging(NamedTuple):
    """Where workers stand after so many talks.

    Attributes
    ----------
    x : array (m, d)
        Their vectors in the end.
    error : array (steps + 1,)
        The squared distances from the mean before and after every talk, summed over the workers.
    """

    x: FloatArray
    error: FloatArray


def pairs(graph: Graph) -> IntArray:
    """Return the edges (E, 2), each once."""
    rows = np.repeat(np.arange(graph.m), np.diff(graph.start))
    first = (rows < graph.near) & (graph.weights > 0.0)
    return np.column_stack([rows[first], graph.near[first]])


def connectivity(graph: Graph) -> float:
    """Return the second smallest eigenvalue of the Laplacian: degrees less adjacency."""
    edges, laplacian = pairs(graph), np.zeros((graph.m, graph.m))
    for i, j in edges:
        laplacian[[i, j], [i, j]] += 1.0
        laplacian[[i, j], [j, i]] -= 1.0
    return float(np.linalg.eigvalsh(laplacian)[1])


def randomized(graph: Graph, x: ArrayLike, *, steps: int, seed: int = 0) -> Averaging:
    r"""Average by randomized gossip: the two ends of a random edge take their mean.

    .. math:: x_i, x_l \leftarrow \tfrac12 (x_i + x_l), \qquad
        E |x - \bar x|^2 \le \Bigl(1 - \frac{a}{2 |E|}\Bigr)^k |x_0 - \bar x|^2

    with a the algebraic connectivity of the graph, the second smallest eigenvalue of its Laplacian.

    Parameters
    ----------
    graph : Graph
        Its weights do not matter here.
    x : array (m, d)
    steps : int
        Edges that are drawn, with replacement.
    seed : int

    Returns
    -------
    Averaging

    References
    ----------
    Boyd, Ghosh, Prabhakar, Shah, "Randomized gossip algorithms", 2006 (recalled).

    Examples
    --------
    >>> from cdgrab_sim import graphs
    >>> randomized(graphs.ring(m=2), [[0.0], [4.0]], steps=1).x.tolist()
    [[2.0], [2.0]]
    """
    given, edges, drawn = _started(graph, x, steps, seed)
    errors = [_error(given)]
    for i, j in edges[drawn]:
        given[i] = given[j] = 0.5 * (given[i] + given[j])
        errors.append(_error(given))
    return Averaging(given, np.array(errors))


def accelerated(graph: Graph, x: ArrayLike, *, steps: int, seed: int = 0) -> Averaging:
    r"""Average by accelerated randomized gossip: accelerated Kaczmarz steps on x_i = x_l.

    With theta = a / 2, a the algebraic connectivity, and r = sqrt(theta) / E:

    .. math::

        y &= \frac{r}{1 + r} v + \frac{1}{1 + r} x, \qquad
        p = \tfrac12 (y_i - y_l)(\delta_i - \delta_l) \\
        x &\leftarrow y - p, \qquad v \leftarrow (1 - r) v + r y - \theta^{-1/2} p

    Errors fall like (1 - r)^k, where those of `randomized` fall like (1 - theta / E)^k.

    Parameters
    ----------
    graph : Graph
    x : array (m, d)
    steps : int
    seed : int
        Draws the edges of `randomized`.

    Returns
    -------
    Averaging

    References
    ----------
    Loizou, Rabbat, Richtarik, "Provably Accelerated Randomized Gossip Algorithms", arXiv 1810.13084; the
    constant parameters follow from those of Liu, Wright, arXiv 1310.4680 (recalled, and checked in note N5).

    Examples
    --------
    >>> from cdgrab_sim import graphs
    >>> ring, x = graphs.ring(m=32), np.arange(32.0)[:, None]
    >>> fast, slow = (average(ring, x, steps=20_000).error[-1] for average in (accelerated, randomized))
    >>> bool(fast < 1e-6 * slow)
    True
    """
    given, edges, drawn = _started(graph, x, steps, seed)
    theta = 0.5 * connectivity(graph)
    rate, length = math.sqrt(theta) / len(edges), 1.0 / math.sqrt(theta)
    errors, ahead = [_error(given)], given.copy()
    for i, j in edges[drawn]:
        y = (rate * ahead + given) / (1.0 + rate)
        half = 0.5 * (y[i] - y[j])
        ahead *= 1.0 - rate
        ahead += rate * y
        ahead[i] -= length * half
        ahead[j] += length * half
        y[i] -= half
        y[j] += half
        given = y
        errors.append(_error(given))
    return Averaging(given, np.array(errors))


def _started(graph: Graph, x: ArrayLike, steps: int, seed: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Return a copy of the vectors, the edges, and which of them are drawn."""
    _checks.instance("graph", graph, Graph, "a Graph, such as graphs.ring(m=8)")
    given, edges = np.array(_checks.floats("x", x, 2)), pairs(graph)
    if len(given) != graph.m:
        raise ValueError(f"x: expected one row for each of m = {graph.m} workers; got {len(given)}")
    if not len(edges):
        raise ValueError(f"graph {graph.name!r}: expected edges to talk over; got none")
    rng = stream(_checks.integer("seed", seed, low=0), Role.GRAPH, 1)
    return given, edges, rng.integers(len(edges), size=_checks.size("steps", steps))


def _error(x: FloatArray) -> float:
    return float(((x - x.mean(axis=0)) ** 2).sum())
