"""Graphs by name."""

from __future__ import annotations

import contextlib
import math

import numpy as np

from cdgrab_sim import _checks
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import IntArray
from cdgrab_sim.graphs._graph import GRAPHS, Graph, from_edges, workers


def _steps(m: int, steps: list[int]) -> IntArray:
    """Return the edges from every worker to those so many places further round."""
    here = np.arange(m)
    edges = [np.column_stack([here, (here + step) % m]) for step in steps if step % m]
    return np.concatenate(edges) if edges else np.zeros((0, 2), dtype=np.int64)


@GRAPHS.register
def ring(*, m: int) -> Graph:
    r"""Ring: every worker with two neighbours.

    .. math:: \lambda_2 = \frac{1 + 2 \cos(2 \pi / m)}{3} \qquad (m \ge 3)

    Examples
    --------
    >>> 1.0 - ring(m=9).gap
    0.84402962874...
    """
    m = workers(m)
    return from_edges(m, _steps(m, [1]), name="ring")


@GRAPHS.register
def torus(*, m: int) -> Graph:
    """Torus: rows and columns of workers, both closed; as square as m allows, a ring where m is prime.

    Examples
    --------
    >>> torus(m=9).edges
    36
    """
    m = workers(m)
    width = max(a for a in range(1, math.isqrt(m) + 1) if m % a == 0)
    row, column = np.divmod(np.arange(m), width)
    right = row * width + (column + 1) % width
    below = (row + 1) % (m // width) * width + column
    pairs = np.concatenate([np.column_stack([np.arange(m), to]) for to in (right, below)])
    return from_edges(m, pairs[pairs[:, 0] != pairs[:, 1]], name="torus")


@GRAPHS.register
def star(*, m: int) -> Graph:
    r"""Star: worker 0 with all others.

    .. math:: \lambda_2 = 1 - \frac1m \qquad (m \ge 3)

    Examples
    --------
    >>> round(star(m=8).gap, 12)
    0.125
    """
    m = workers(m)
    others = np.arange(1, m)
    return from_edges(m, np.column_stack([np.zeros_like(others), others]), name="star")


@GRAPHS.register
def complete(*, m: int) -> Graph:
    """Complete graph: W = 1 1' / m, everybody with everybody, which is a server.

    Examples
    --------
    >>> complete(m=2).W
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    m = workers(m)
    return from_edges(m, np.column_stack(np.triu_indices(m, 1)), name="complete")


@GRAPHS.register
def exponential(*, m: int) -> Graph:
    """Exponential graph: neighbours at the distances 1, 2, 4, 8, ... round a ring, in both directions.

    Examples
    --------
    Distances 1, 2 and 4 of eight workers: 4 is the same in both directions.

    >>> exponential(m=8).edges
    40
    """
    m = workers(m)
    return from_edges(m, _steps(m, [2**k for k in range((m - 1).bit_length())]), name="exponential")


@GRAPHS.register
def erdos_renyi(*, m: int, p: float = 0.5, seed: int = 0) -> Graph:
    """Erdos-Renyi graph: every edge is there with probability p.

    Parameters
    ----------
    m : int
    p : float
        In (0, 1].
    seed : int

    Raises
    ------
    ValueError
        For a draw that is not connected, or without edges.

    Examples
    --------
    >>> erdos_renyi(m=6, p=1.0).edges
    30
    """
    m, p = workers(m), _checks.real("p", p, above=0.0)
    if p > 1.0:
        raise ValueError(f"p: expected a probability in (0, 1]; got {p:g}")
    first, second = np.triu_indices(m, 1)
    there = stream(_checks.integer("seed", seed, low=0), Role.GRAPH).random(len(first)) < p
    pairs = np.column_stack([first, second])[there]
    with contextlib.suppress(ValueError):
        if m == 1 or len(pairs):
            return from_edges(m, pairs, name="erdos-renyi", p=p, seed=seed)
    raise ValueError(f"p, seed: expected a connected graph; got {len(pairs)} edges, m = {m}; raise p")


@GRAPHS.register
def isolated(*, m: int) -> Graph:
    """No edges: every worker alone, the limit that gossip is compared with.

    Examples
    --------
    >>> isolated(m=2).W
    array([[1., 0.],
           [0., 1.]])
    """
    return from_edges(m, [], name="isolated")
