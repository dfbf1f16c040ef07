"""Averages with neighbours: what the updates without a server share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cdgrab_sim import graphs
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Iterates, Problem, Update
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.graphs import Graph
from cdgrab_sim.updates._iterates import iterates


@kernel(small=True)
def average(Y: FloatArray, X: FloatArray, c: IntArray, weights: FloatArray) -> None:
    """Write W X, of which `exchange` tells; a row of three, as of a ring, in one pass."""
    m, d = X.shape
    near = c[3 + m :]
    for i in range(m):
        first, end = c[2 + i], c[3 + i]
        if end - first == 3:
            u, v, w = weights[first], weights[first + 1], weights[first + 2]
            a, b, e = near[first], near[first + 1], near[first + 2]
            for q in range(d):
                Y[i, q] = (u * X[a, q] + v * X[b, q]) + w * X[e, q]
            continue
        for q in range(d):
            Y[i, q] = weights[first] * X[near[first], q]
        for k in range(first + 1, end):
            w, e = weights[k], near[k]
            for q in range(d):
                Y[i, q] += w * X[e, q]


@kernel(small=True)
def exchange(X: FloatArray, Y: FloatArray, c: IntArray, weights: FloatArray) -> None:
    """Replace the rows of X by those of W X; Y has room for them.

    Of c, behind a counter and its end, the first m + 1 numbers say where the rows of W begin, and the others
    are its columns.
    """
    average(Y, X, c, weights)
    for i in range(X.shape[0]):
        for q in range(X.shape[1]):
            X[i, q] = Y[i, q]


@kernel(small=True)
def take_mean(x: FloatArray, X: FloatArray) -> None:
    """Set x to the mean of the rows of X."""
    m, d = X.shape
    for q in range(d):
        x[q] = 0.0
    for i in range(m):
        for q in range(d):
            x[q] += X[i, q]
    share = 1.0 / m
    for q in range(d):
        x[q] *= share


def mixing_update(
    name: str,
    step: Callable[..., Any],
    graph: Graph | str,
    *,
    tables: int,
    at_start: bool = False,
    lazy: bool = False,
    every: int = 1,
    settings: Sequence[tuple[str, Any]] = (),
    provenance: str,
) -> Update:
    """Return an update whose workers average over a graph, each at a point of its own.

    Parameters
    ----------
    name : str
    step : callable
    graph : Graph or str
    tables : int
        Tables (m, d) in S, one below the other.
    at_start : bool
        Whether the first of them holds x0, and not zeros.
    lazy : bool
        Whether the weights are (1 + W) / 2.
    every : int
        Steps to an exchange, for `ends`.
    settings : sequence of pairs
        Besides the graph.
    provenance : str
    """
    if not isinstance(graph, Graph):
        graphs.GRAPHS.factory(graph)  # refuses a name that nobody knows

    def init(x0: FloatArray, problem: Problem) -> Iterates:
        m, found = problem.m, graphs.make(graph, problem.m)
        found = found.lazy() if lazy else found
        counters = np.concatenate([[0, every], found.start, found.near])
        it = iterates(x0, found.weights.tolist(), points=m, vectors=tables * m, counters=counters.tolist())
        if at_start:
            it.S[:m] = x0
        return it

    said = {"graph": graph.describe() if isinstance(graph, Graph) else graph, **dict(settings)}
    return Update(name, init, step, each=True, settings=said, provenance=provenance)
