"""Graphs over which workers average with their neighbours: those registered here are known by name.

A graph carries doubly stochastic weights W, of Metropolis where nothing else is said:

    W_il = 1 / (1 + max(deg i, deg l)) on edges,   W_ii = 1 - the others

One exchange is x <- W x. It keeps the mean, and shrinks what differs from it by 1 - gap.
"""

from __future__ import annotations

from typing import Any

from cdgrab_sim.graphs._averaging import accelerated as accelerated
from cdgrab_sim.graphs._averaging import randomized as randomized
from cdgrab_sim.graphs._families import complete as complete
from cdgrab_sim.graphs._families import erdos_renyi as erdos_renyi
from cdgrab_sim.graphs._families import exponential as exponential
from cdgrab_sim.graphs._families import isolated as isolated
from cdgrab_sim.graphs._families import ring as ring
from cdgrab_sim.graphs._families import star as star
from cdgrab_sim.graphs._families import torus as torus
from cdgrab_sim.graphs._graph import GRAPHS
from cdgrab_sim.graphs._graph import Graph as Graph
from cdgrab_sim.graphs._graph import from_edges as from_edges
from cdgrab_sim.graphs._graph import from_weights as from_weights

GRAPHS.arrange()

__all__ = [
    "GRAPHS",
    "Graph",
    "accelerated",
    "from_edges",
    "from_weights",
    "make",
    "randomized",
    *GRAPHS.functions,
]


def __dir__() -> list[str]:
    return __all__


def make(graph: Graph | str, m: int, **arguments: Any) -> Graph:
    """Return the graph of a registered name on m workers, or a record, which must have m.

    Examples
    --------
    >>> round(make("ring", 9).gap, 6)
    0.15597
    """
    made = graph if isinstance(graph, Graph) else GRAPHS.make(graph, m=m, **arguments)
    if made.m != m:
        raise ValueError(f"graph {made.name!r}: expected one of m = {m} workers; got {made.m}")
    return made
