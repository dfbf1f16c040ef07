"""Sketches: balance a few numbers of each gradient in place of all of them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._kernels.registers import aligned
from cdgrab_sim._records import Ordering, Problem, Seen
from cdgrab_sim._rng import beside
from cdgrab_sim._types import FloatArray, IntArray

SKETCHES = ("columns", "runs", "leverage", "count")


class SketchState(NamedTuple):
    """An ordering that sees sketches, and how they are made."""

    pi: IntArray  # (m, n) orders in use
    inner: Any  # the state of the ordering
    column: IntArray  # the coordinates that are kept, or where runs of them begin; or turns of blocks
    factor: FloatArray | NDArray[np.int8]  # what these are multiplied with, or (d,) signs
    energy: FloatArray  # (d,) squares of the coordinates summed over this epoch, for leverage; else (0,)

    @property
    def s(self) -> FloatArray | None:
        """Running signed sums of sketches."""
        return getattr(self.inner, "s", None)

    @property
    def clips(self) -> IntArray | None:
        """Clips since the beginning of the run, where the rule has a threshold."""
        return getattr(self.inner, "clips", None)


@kernel
def _keep(out: FloatArray, part: FloatArray, p0: int, column: IntArray, factor: FloatArray) -> None:
    """Write factor times the kept coordinates of every row that are in the part."""
    for r in range(part.shape[0]):
        for q in range(column.shape[0]):
            p = column[q] - p0
            if 0 <= p < part.shape[1]:
                out[r, q] = factor[q] * part[r, p]


@kernel
def _keep_runs(out: FloatArray, part: FloatArray, p0: int, column: IntArray, factor: FloatArray) -> None:
    """As `_keep`, for runs of coordinates; the last one of all may be cut short, and is filled with zeros."""
    length, width = out.shape[1] // column.shape[0], part.shape[1]
    for r in range(part.shape[0]):
        if p0 == 0:
            out[r, :] = 0.0
        for b in range(column.shape[0]):
            p, first = column[b] - p0, length * b
            if length == 8 and p >= 0 and p + 8 <= width:  # one line of memory, without a loop
                for q in range(8):
                    out[r, first + q] = factor[b] * part[r, p + q]
            else:
                for q in range(max(-p, 0), min(length, width - p)):
                    out[r, first + q] = factor[b] * part[r, p + q]


@kernel
def _count(out: FloatArray, part: FloatArray, p0: int, turn: IntArray, sign: NDArray[np.int8]) -> None:
    """Add every coordinate of the part, with its sign, to its place; begin at zero where p0 is 0."""
    k, width = out.shape[1], part.shape[1]
    for r in range(part.shape[0]):
        if p0 == 0:
            out[r, :] = 0.0
        p = 0
        while p < width:  # runs of coordinates that go to consecutive places
            block, inside = (p0 + p) // k, (p0 + p) % k
            first = (inside + turn[block]) % k
            run = min(width - p, k - inside, k - first)
            to, signs, numbers = (
                out[r, first : first + run],
                sign[p0 + p : p0 + p + run],
                part[r, p : p + run],
            )
            for q in range(run):
                to[q] += signs[q] * numbers[q]
            p += run


@kernel
def _measure(energy: FloatArray, k0: int, G: FloatArray) -> None:
    """Add the squares of a few gradients, one of each step."""
    for r in range(G.shape[0]):
        c = (k0 + r) % G.shape[1]
        for p in range(G.shape[2]):
            energy[p] += G[r, c, p] * G[r, c, p]


def project(state: SketchState, out: FloatArray, part: FloatArray, p0: int) -> None:
    """Write what a part of gradients, coordinates `p0`, p0 + 1, ..., has in their sketches.

    Parameters
    ----------
    state : SketchState
    out : array (rows, k)
        The sketches; those of gradients that come in parts are whole after the last one.
    part : array (rows, width)
    p0 : int
        Parts come in ascending order, the first with 0.
    """
    write: Callable[..., None] = _keep if len(state.column) == out.shape[1] else _keep_runs
    if state.factor.dtype == np.int8:
        write = _count
    write(out, part, p0, state.column, state.factor)


def sketched(ordering: Ordering, k: int, by: str = "columns") -> Ordering:
    r"""Let an ordering see k numbers of each gradient: what it keeps and computes shrinks from d to k.

    With the gradient g, coordinates c_1, ..., c_k drawn with replacement with probabilities q, random signs
    xi_p, and places h(p) in which every block of k coordinates is turned by a random number a:

    .. math::

        \text{columns, leverage:} \quad & \tilde g_l = g_{c_l} / \sqrt{k q_{c_l}} \\
        \text{count:} \quad & \tilde g_l = \sum_{p : h(p) = l} \xi_p g_p, \qquad
            h(p) = (p + a_{\lfloor p/k \rfloor}) \bmod k

    so that :math:`E \langle \tilde g, \tilde g' \rangle = \langle g, g' \rangle`. For ``"columns"`` q is
    uniform and drawn once, and for ``"runs"`` so are runs of 8 neighbours (4, 2 or 1 where 8 does not divide
    k), which are read three times as fast and tell less where neighbours are alike. For ``"leverage"`` q is
    drawn for every epoch in proportion to the squares of the coordinates in the epoch before (of one gradient
    of each step; uniform in the first), half of it kept uniform. ``"count"`` reads every coordinate, the
    others only k of them.

    Parameters
    ----------
    ordering : Ordering
        Any that balances what it sees, such as `cd_grab`.
    k : int
    by : {"columns", "runs", "leverage", "count"}

    Notes
    -----
    Two coordinates meet in a count sketch with probability 1/k, those of one block never, so that for each
    pair of gradients the variance of the inner product is at most :math:`\frac2k |g|^2 |g'|^2`, as where
    every coordinate has a place of its own; runs of a turned block are what processors add fast. What an
    order loses by a sketch is in theory/notes, H11.

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
        _checks.sizes(m=problem.m, n=problem.n, k=size)
        column, factor = _drawn(by, size, d, None, beside(rng))
        inner = ordering.init(_narrow(problem, size), rng)
        return SketchState(inner.pi, inner, column, factor, np.zeros(d if by == "leverage" else 0))

    def observe(state: SketchState, seen: Seen) -> None:
        k0, who, at, G = seen
        rows, w, d = G.shape
        out = aligned((rows, w, size))
        project(state, out.reshape(rows * w, size), G.reshape(rows * w, d), 0)
        if by == "leverage":
            _measure(state.energy, k0, G)
        observe_inner(state.inner, Seen(k0, who, at, out))

    def advance(state: SketchState, rng: Generator) -> SketchState:
        inner = ordering.advance(state.inner, rng)
        if by == "leverage":
            d = len(state.energy)
            state.column[:], state.factor[:] = _drawn(by, size, d, state.energy, beside(rng))
            state.energy[:] = 0.0
        return state._replace(pi=inner.pi, inner=inner)

    plural = "" if size == 1 else "s"
    name = f"{ordering.name}, {size} {by if by != 'columns' else f'column{plural}'}"
    return dataclasses.replace(
        ordering, name=name, init=init, observe=observe, advance=advance, compared=False, look=None
    )


def _drawn(
    by: str, k: int, d: int, energy: FloatArray | None, rng: Generator
) -> tuple[IntArray, FloatArray | NDArray[np.int8]]:
    """Draw the coordinates and their factors, or turns and signs."""
    if by == "count":
        return rng.integers(k, size=-(-d // k)), 2 * rng.integers(2, size=d, dtype=np.int8) - 1
    if by == "runs":
        length = math.gcd(k, 8)
        runs, choice = k // length, -(-d // length)
        return np.sort(rng.integers(choice, size=runs)) * length, np.full(runs, math.sqrt(choice / runs))
    total = 0.0 if energy is None else float(np.cumsum(energy)[-1])
    q = np.full(d, 1.0 / d) if energy is None or total == 0.0 else 0.5 / d + 0.5 * energy / total
    reach = np.cumsum(q)
    column = np.sort(np.minimum(np.searchsorted(reach, rng.random(k) * reach[-1], side="right"), d - 1))
    return column, 1.0 / np.sqrt(k * q[column])


def _narrow(problem: Problem, k: int) -> Problem:
    """Return a problem of the same shape in k dimensions, for an ordering that asks for nothing else."""
    return Problem(problem.name, problem.m, problem.n, k, problem.data, problem.grads, problem.value)
