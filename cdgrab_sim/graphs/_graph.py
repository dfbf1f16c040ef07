"""Graph: who averages with whom, and with which weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from cdgrab_sim import _checks
from cdgrab_sim._registry import Registry
from cdgrab_sim._types import FloatArray, IntArray

_ROUNDING = 1e-12  # how far from 1 a sum of weights may be


@dataclass(frozen=True, eq=False)
class Graph:
    """A doubly stochastic matrix of weights W (m, m), row by row as far as it is not zero.

    Parameters
    ----------
    name : str
    start : int array (m + 1,)
        Row i are the entries from ``start[i]`` to ``start[i + 1]``.
    near : int array
        Their columns: the neighbours, and the worker itself.
    weights : array
        Their values, >= 0.
    settings : mapping
        The arguments that made it: plain JSON.

    Raises
    ------
    ValueError
        For weights that are negative or not doubly stochastic, and for a graph that is not connected, unless
        it has no edges at all.
    """

    name: str
    start: IntArray = field(repr=False)
    near: IntArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        settings = _checks.plain("settings", _checks.mapping("settings", self.settings))
        checked = {
            "name": _checks.text("name", self.name),
            "start": _whole("start", self.start),
            "near": _whole("near", self.near),
            "weights": _checks.floats("weights", self.weights, 1),
            "settings": settings,
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        _refuse_other_rows(self.start, self.near, len(self.weights))
        if self.weights.min() < 0.0:
            raise ValueError(f"graph {self.name!r}: expected weights >= 0; got {self.weights.min():g}")
        sparse = self._sparse()
        for sums, axis in ((sparse.sum(axis=1), "row"), (sparse.sum(axis=0), "column")):
            worst = int(np.argmax(np.abs(sums - 1.0)))
            if abs(sums[worst] - 1.0) > _ROUNDING * self.m:
                raise ValueError(
                    f"graph {self.name!r}: expected doubly stochastic weights; {axis} {worst} sums to "
                    f"{sums[worst]:g}; scale them, or give edges to graphs.from_edges"
                )
        parts, label = connected_components(sparse, directed=True, connection="strong")
        if parts > 1 and self.edges > 0:
            cut_off = int(np.argmax(label != label[0]))
            raise ValueError(
                f"graph {self.name!r}: expected a connected graph of m = {self.m}; got {parts} parts, with "
                f"no way from 0 to {cut_off}; add edges"
            )

    @property
    def m(self) -> int:
        """Workers."""
        return len(self.start) - 1

    @property
    def edges(self) -> int:
        """Messages of one exchange: weights that are not zero, apart from the diagonal."""
        rows = np.repeat(np.arange(self.m), np.diff(self.start))
        return int(np.count_nonzero((rows != self.near) & (self.weights > 0.0)))

    @cached_property
    def W(self) -> FloatArray:
        """The weights as a matrix (m, m)."""
        dense: FloatArray = self._sparse().toarray()
        return dense

    @cached_property
    def gap(self) -> float:
        """1 minus the second largest absolute value of an eigenvalue of W; 1 for a single worker."""
        off_mean = self.W - 1.0 / self.m
        return 1.0 - float(np.abs(np.linalg.eigvals(off_mean)).max())

    def lazy(self) -> Graph:
        """Return the graph with the weights (1 + W) / 2, whose eigenvalues are >= 0 where W is symmetric."""
        rows = np.repeat(np.arange(self.m), np.diff(self.start))
        diagonal = np.where(rows == self.near, 0.5, 0.0)
        halves = 0.5 * self.weights + diagonal
        return Graph(self.name, self.start, self.near, halves, {**self.settings, "lazy": True})

    def describe(self) -> dict[str, Any]:
        """Return name, size and settings as plain JSON."""
        return {"name": self.name, "m": self.m, **self.settings}

    def _sparse(self) -> Any:
        return csr_array((self.weights, self.near, self.start), shape=(self.m, self.m))


GRAPHS = Registry(Graph)


def workers(m: Any) -> int:
    """Return m, as far as a matrix of weights between that many workers fits into memory."""
    return _checks.sizes(m=m, columns=m)[0]


def _whole(name: str, value: Any) -> IntArray:
    """Return whole numbers in a row."""
    a = _checks.coerce(name, value)
    if a.ndim != 1 or a.dtype.kind != "i" or a.size == 0:
        raise TypeError(f"{name}: expected whole numbers in a row; got {a.dtype} {a.shape}")
    return a


def _refuse_other_rows(start: IntArray, near: IntArray, entries: int) -> None:
    """Refuse what is no matrix (m, m), row by row."""
    ascends = start[0] == 0 and (np.diff(start) >= 0).all() and start[-1] == len(near) == entries
    if not (ascends and len(start) > 1 and near.min() >= 0 and near.max() < len(start) - 1):
        raise ValueError(
            "start, near, weights: expected the rows of a matrix (m, m), columns and weights of row i from "
            f"start[i] to start[i + 1]; got {len(start)}, {len(near)} and {entries} numbers"
        )


def from_edges(m: int, edges: ArrayLike, *, name: str = "edges", **settings: Any) -> Graph:
    """Return the graph of these edges, with Metropolis weights.

    Parameters
    ----------
    m : int
        Workers.
    edges : int array (E, 2)
        Pairs of different workers, each once in any direction; what occurs twice counts once.
    name : str
    settings
        What the graph is made from, for `describe`.

    Raises
    ------
    ValueError
        For workers that do not exist, an edge from a worker to itself, or a graph that is not connected.

    References
    ----------
    Metropolis weights: Xiao, Boyd, Kim, "Distributed average consensus with least-mean-square deviation",
    2007 (recalled).

    Examples
    --------
    A path of three workers: every edge has weight 1 / (1 + 2).

    >>> from_edges(3, [[0, 1], [1, 2]]).W.round(3)
    array([[0.667, 0.333, 0.   ],
           [0.333, 0.333, 0.333],
           [0.   , 0.333, 0.667]])
    """
    m = workers(m)
    given = _checks.array("edges", edges)
    if given.size and (given.dtype.kind not in "iu" or given.ndim != 2 or given.shape[1] != 2):
        raise ValueError(f"edges: expected whole numbers (E, 2); got {given.dtype} {given.shape}")
    pairs = given.astype(np.int64).reshape(-1, 2)
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= m):
        raise ValueError(f"edges: expected workers 0..{m - 1}; got {pairs.min()} and {pairs.max()}")
    if (pairs[:, 0] == pairs[:, 1]).any():
        raise ValueError("edges: expected two different workers; got one twice; leave loops out")
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    degree = np.bincount(pairs.ravel(), minlength=m)
    shared = 1.0 / (1.0 + degree[pairs].max(axis=1)) if len(pairs) else np.zeros(0)
    rows = np.concatenate([pairs[:, 0], pairs[:, 1], np.arange(m)])
    columns = np.concatenate([pairs[:, 1], pairs[:, 0], np.arange(m)])
    spent = np.bincount(pairs.ravel(), weights=np.repeat(shared, 2), minlength=m)
    return _graph(name, m, rows, columns, np.concatenate([shared, shared, 1.0 - spent]), settings)


def from_weights(W: ArrayLike, *, name: str = "given", **settings: Any) -> Graph:
    """Return the graph of a doubly stochastic matrix.

    Parameters
    ----------
    W : array (m, m)
    name : str
    settings
        What the graph is made from, for `describe`.

    Raises
    ------
    ValueError
        For a matrix that is not square, weights that are negative or not doubly stochastic, or a graph that
        is not connected.

    Examples
    --------
    >>> from_weights([[0.5, 0.5], [0.5, 0.5]]).gap
    1.0
    """
    dense = _checks.floats("W", W, 2)
    m = len(dense)
    if dense.shape != (m, m):
        raise ValueError(f"W: expected shape (m, m); got {dense.shape}")
    rows, columns = np.nonzero((dense != 0.0) | np.eye(m, dtype=bool))  # the diagonal is there, for `lazy`
    return _graph(name, m, rows, columns, dense[rows, columns], settings)


def _graph(
    name: str, m: int, rows: IntArray, columns: IntArray, weights: FloatArray, settings: Mapping[str, Any]
) -> Graph:
    order = np.lexsort((columns, rows))
    start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=m))]).astype(np.int64)
    return Graph(name, start, columns[order].astype(np.int64), weights[order], settings)
