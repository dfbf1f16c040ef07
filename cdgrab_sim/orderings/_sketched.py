"""Sketches: balance a few numbers of each gradient in place of all of them."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._kernels.registers import aligned
from cdgrab_sim._records import Ordering, Problem, Seen
from cdgrab_sim._rng import beside
from cdgrab_sim._types import FloatArray, IntArray

SKETCHES = ("columns", "leverage", "count")


class SketchState(NamedTuple):
    """An ordering that sees sketches, and how they are made."""

    pi: IntArray  # (m, n) orders in use
    inner: Any  # the state of the ordering
    column: IntArray  # (k,) the coordinates that are kept, or (d,) where each coordinate goes
    factor: FloatArray  # as `column`, what they are multiplied with
    energy: FloatArray  # (d,) squares of the coordinates that were kept, summed over this epoch
    buffer: FloatArray  # (n m, k) room for sketches

    @property
    def s(self) -> FloatArray | None:
        """Running signed sums of sketches."""
        return getattr(self.inner, "s", None)

    @property
    def clips(self) -> IntArray | None:
        """Clips since the beginning of the run, where the rule has a threshold."""
        return getattr(self.inner, "clips", None)


@kernel
def _keep(out: FloatArray, G: FloatArray, column: IntArray, factor: FloatArray) -> None:
    """Write factor times the kept coordinates of every gradient."""
    for r in range(G.shape[0]):
        for c in range(G.shape[1]):
            for p in range(column.shape[0]):
                out[r, c, p] = factor[p] * G[r, c, column[p]]


@kernel
def _count(out: FloatArray, G: FloatArray, column: IntArray, factor: FloatArray) -> None:
    """Add every coordinate, with its sign, to the place that it was given."""
    for r in range(G.shape[0]):
        for c in range(G.shape[1]):
            for p in range(out.shape[2]):
                out[r, c, p] = 0.0
            for p in range(column.shape[0]):
                out[r, c, column[p]] += factor[p] * G[r, c, p]


@kernel
def _measure(energy: FloatArray, G: FloatArray) -> None:
    """Add the squares of a few gradients, one of each step."""
    for r in range(G.shape[0]):
        c = r % G.shape[1]
        for p in range(G.shape[2]):
            energy[p] += G[r, c, p] * G[r, c, p]


def sketched(ordering: Ordering, k: int, by: str = "columns") -> Ordering:
    r"""Let an ordering see k numbers of each gradient: what it keeps and computes shrinks from d to k.

    With the gradient g, coordinates c_1, ..., c_k drawn with replacement with probabilities q, and random
    places h(p) and signs xi_p:

    .. math::

        \text{columns, leverage:} \quad & \tilde g_l = g_{c_l} / \sqrt{k q_{c_l}} \\
        \text{count:} \quad & \tilde g_l = \sum_{p : h(p) = l} \xi_p g_p

    so that :math:`E \langle \tilde g, \tilde g' \rangle = \langle g, g' \rangle`. For ``"columns"`` q is
    uniform and drawn once; for ``"leverage"`` it is drawn for every epoch in proportion to the squares of the
    coordinates in the epoch before (of one gradient of each step; uniform in the first), half of it kept
    uniform; ``"count"`` reads every coordinate, the other two only k of them.

    Parameters
    ----------
    ordering : Ordering
        Any that balances what it sees, such as `cd_grab`.
    k : int
    by : {"columns", "leverage", "count"}

    References
    ----------
    Charikar, Chen, Farach-Colton, "Finding frequent items in data streams", 2002 (count sketch); Drineas,
    Kannan, Mahoney, "Fast Monte Carlo algorithms for matrices I", 2006 (columns by their squares). Recalled.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> small = cg.orderings.sketched(cg.orderings.cd_grab(), 2)
    >>> small.name
    'cd-grab, 2 columns'
    """
    if not isinstance(ordering, Ordering) or ordering.observe is None:
        raise TypeError(
            f"ordering: expected an Ordering that looks at gradients; got {_checks.brief(ordering)}"
        )
    size, observe_inner = _checks.size("k", k), ordering.observe
    _checks.choice("by", by, SKETCHES)

    def init(problem: Problem, rng: Generator) -> SketchState:
        d = problem.d
        column, factor = _drawn(by, size, np.ones(d), beside(rng))
        inner = ordering.init(_narrow(problem, size), rng)
        buffer = aligned((problem.n * problem.m, size))
        return SketchState(inner.pi, inner, column, factor, np.zeros(d), buffer)

    def observe(state: SketchState, seen: Seen) -> None:
        k0, who, at, G = seen
        out = state.buffer[: G.shape[0] * G.shape[1]].reshape(*G.shape[:2], size)
        (_count if by == "count" else _keep)(out, G, state.column, state.factor)
        if by == "leverage":
            _measure(state.energy, G)
        observe_inner(state.inner, Seen(k0, who, at, out))

    def advance(state: SketchState, rng: Generator) -> SketchState:
        inner = ordering.advance(state.inner, rng)
        if by == "leverage":
            state.column[:], state.factor[:] = _drawn(by, size, state.energy, beside(rng))
            state.energy[:] = 0.0
        return state._replace(pi=inner.pi, inner=inner)

    plural = "" if size == 1 else "s"
    name = f"{ordering.name}, {size} {by if by != 'columns' else f'column{plural}'}"
    return dataclasses.replace(
        ordering, name=name, init=init, observe=observe, advance=advance, compared=False, look=None
    )


def _drawn(by: str, k: int, energy: FloatArray, rng: Generator) -> tuple[IntArray, FloatArray]:
    """Draw the coordinates and their factors."""
    d = len(energy)
    if by == "count":
        return rng.integers(k, size=d), np.where(rng.random(d) < 0.5, -1.0, 1.0)
    total = float(np.cumsum(energy)[-1])
    q = np.full(d, 1.0 / d) if total == 0.0 else 0.5 / d + 0.5 * energy / total
    reach = np.cumsum(q)
    column = np.sort(np.minimum(np.searchsorted(reach, rng.random(k) * reach[-1], side="right"), d - 1))
    return column, 1.0 / np.sqrt(k * q[column])


def _narrow(problem: Problem, k: int) -> Problem:
    """Return a problem of the same shape in k dimensions, for an ordering that asks for nothing else."""
    return Problem(problem.name, problem.m, problem.n, k, problem.data, problem.grads, problem.value)
