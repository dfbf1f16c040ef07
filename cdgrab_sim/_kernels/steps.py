"""The walk with any update bound into it; plain SGD and heavy ball have a faster one, `walk`.

For the steps k = k0, k0 + 1, ... of one chunk, with b the batch and every b-th step an update:

    G[k, i] = gradient of example j = pi[i, k] of worker i, at x or at X[i]
    out    += weight[i, j] * (G[k, i], or what ``take(it, out, G[k, i], alpha, i, j, U[k, i])`` adds)
    step(it, out / (m b), alpha, U[k])

`out` has one row, or one for each worker where the update asks for ``each`` of them: then the sums are
``out[i]`` and step is shown ``out / b``. Where it has an anchor, ``out[1]`` sums the gradients of the same
examples at ``S[0]``, and step is shown both. `spare` has room for them, or for what `take` adds. A last,
short batch is divided by b all the same, as in `walk`.
Where gradients or the update are plain Python, this loop is too, and calls the compiled parts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from cdgrab_sim._kernels.jit import bound, is_jitted, kernel
from cdgrab_sim._records import Update
from cdgrab_sim._types import FloatArray, IntArray


@kernel(small=True)
def visit(idx: IntArray, pi: IntArray, k: int) -> None:
    """Write the examples of step k."""
    for i in range(idx.shape[0]):
        idx[i] = pi[i, k]


@kernel(small=True)
def add(out: FloatArray, g: FloatArray, weight: FloatArray, idx: IntArray) -> None:
    """Add the rows of `g` one after the other, each times the weight of its example where there are any."""
    if weight.shape[0] > 0:
        for i in range(g.shape[0]):
            w = weight[i, idx[i]]
            for p in range(g.shape[1]):
                out[p] += w * g[i, p]
    elif g.shape[1] < 8:  # a column at a time stays in a register
        for p in range(g.shape[1]):
            column = out[p]
            for i in range(g.shape[0]):
                column += g[i, p]
            out[p] = column
    else:
        for i in range(g.shape[0]):
            for p in range(g.shape[1]):
                out[p] += g[i, p]


@kernel(small=True)
def scale(out: FloatArray, share: float) -> None:
    """Multiply in place."""
    for p in range(out.shape[0]):
        out[p] = share * out[p]


@kernel(small=True)
def reset(out: FloatArray) -> None:
    """Set to zero."""
    for p in range(out.shape[0]):
        out[p] = 0.0


@kernel(small=True)
def _nothing(it: Any, out: FloatArray, g: FloatArray, alpha: float, i: int, j: int, u: FloatArray) -> None:
    """Stand in for a `take` that is not there."""


@kernel(small=True)
def add_row(out: FloatArray, g: FloatArray, weight: float) -> None:
    """Add a row times a weight."""
    for p in range(out.shape[0]):
        out[p] += weight * g[p]


def _walk(
    grads: Any, step: Any, take: Any, *, takes: bool, each: bool, anchored: bool
) -> Callable[..., None]:
    def walk(G, at, it, out, spare, pi, weight, U, who, k0, alpha, batch, data):  # type: ignore[no-untyped-def]
        m, n, apart, first = G.shape[1], pi.shape[1], it.X.shape[0] > 0, out[0]
        share = 1.0 / (batch if each else m * batch)
        alone = each and not takes and batch == 1 and weight.shape[0] == 0  # a row of G is the mean already
        update = k0 // batch
        filled = k0 - update * batch
        for r in range(G.shape[0]):
            k = k0 + r
            idx, g = at[r], G[r]
            visit(idx, pi, k)
            if apart:
                for i in range(m):
                    grads(g[i : i + 1], it.X[i], who[i : i + 1], idx[i : i + 1], data)
            else:
                grads(g, it.x, who, idx, data)
            if takes and weight.shape[0] > 0:
                for i in range(m):
                    reset(spare[0])
                    take(it, spare[0], g[i], alpha[update], who[i], idx[i], U[k, i])
                    add_row(out[i] if each else first, spare[0], weight[i, idx[i]])
            elif takes:
                for i in range(m):
                    take(it, out[i] if each else first, g[i], alpha[update], who[i], idx[i], U[k, i])
            elif each:
                for i in range(0 if alone else m):
                    add(out[i], g[i : i + 1], weight[i : i + 1], idx[i : i + 1])
            else:
                add(first, g, weight, idx)
            if anchored:
                grads(spare, it.S[0], who, idx, data)
                add(out[1], spare, weight, idx)
            filled += 1
            if filled < batch and k + 1 < n:
                continue
            for row in range(0 if alone else out.shape[0]):
                scale(out[row], share)
            if each or anchored:
                step(it, g if alone else out, alpha[update], U[k])
            else:
                step(it, first, alpha[update], U[k])
            for row in range(0 if alone else out.shape[0]):
                reset(out[row])
            update += 1
            filled = 0

    return walk


_WALKS = {
    (takes, each, anchored): partial(_walk, takes=takes, each=each, anchored=anchored)
    for takes in (False, True)
    for each in (False, True)
    for anchored in (False, True)
}


def bound_steps(grads: Any, update: Update) -> Callable[..., None]:
    """Return the walk of an update, compiled where gradients and update are."""
    parts = (grads, update.step, update.take or _nothing)
    make = _WALKS[update.take is not None, update.each, update.anchored]
    return bound(make, *parts) if all(map(is_jitted, parts)) else make(*parts)
