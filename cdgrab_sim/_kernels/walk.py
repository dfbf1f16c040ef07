"""Stage 1 of an epoch: follow the orders, step x, write the stream of gradients.

For the steps k = k0, k0 + 1, ... of one chunk, with b the batch and every b-th step an update:

    G[k, i] = gradient of example pi[i, k] of worker i at x
    g       = (1 / (m b)) sum over the last b steps and all workers of G  +  weight_decay * x
    v       = momentum * v + g
    x       = x - alpha * v

The last batch of an epoch may be short; it is divided by b all the same, so that at a fixed x an epoch moves
by alpha (n / b) grad f(x) for every b. With alpha = 0 the walk stands still and writes all gradients at x:
this is how full gradients and exact herding errors are measured, with no kernel of their own.

A walk has the signature

    walk(G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data)

and writes G (steps, m, d) and the examples visited, at (steps, m), and moves x, v and total (d,) in place.
`total` carries the sum of a batch that a chunk leaves open; `alpha` holds one step size per update of the
epoch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cdgrab_sim._kernels.jit import bound, inlined, is_jitted
from cdgrab_sim._kernels.registers import LANES
from cdgrab_sim._records import Problem
from cdgrab_sim._types import Walk


@inlined
def walk_loop(  # type: ignore[no-untyped-def]
    grads, G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data
):
    """Walk one chunk; bind `grads` by calling this from a kernel in the problem's own file."""
    steps, m, d = G.shape
    n = pi.shape[1]
    share = 1.0 / (m * batch)
    plain = momentum == 0.0 and weight_decay == 0.0
    update = k0 // batch
    filled = k0 - update * batch
    for r in range(steps):
        k = k0 + r
        for i in range(m):
            at[r, i] = pi[i, k]
        grads(G[r], x, who, at[r], data)
        if d < LANES:  # a column at a time stays in a register, a row at a time in vectors of them
            for p in range(d):
                column = total[p]
                for i in range(m - 1):
                    column += G[r, i, p]
                total[p] = column
        else:
            for i in range(m - 1):
                for p in range(d):
                    total[p] += G[r, i, p]
        filled += 1
        if filled < batch and k + 1 < n:
            for p in range(d):
                total[p] += G[r, m - 1, p]
            continue
        # The last worker's gradient goes straight into the update: x waits for it (for small m d the
        # walk is bound by the latency of this chain), so the plain step has no other terms either.
        step = alpha[update]
        if plain:
            for p in range(d):
                v[p] = share * (total[p] + G[r, m - 1, p])
                x[p] -= step * v[p]
                total[p] = 0.0
        else:
            for p in range(d):
                v[p] = momentum * v[p] + (share * (total[p] + G[r, m - 1, p]) + weight_decay * x[p])
                x[p] -= step * v[p]
                total[p] = 0.0
        update += 1
        filled = 0


def _compiled_walk(grads: Any) -> Callable[..., None]:
    def walk(  # type: ignore[no-untyped-def]
        G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data
    ):
        walk_loop(grads, G, at, x, v, total, pi, who, k0, alpha, momentum, weight_decay, batch, data)

    return walk


def bound_walk(problem: Problem) -> Walk | None:
    """Return the walk of `problem`: its own, or one bound now; None where its gradients are plain Python."""
    if problem.walk is not None:
        return problem.walk
    return bound(_compiled_walk, problem.grads) if is_jitted(problem.grads) else None
