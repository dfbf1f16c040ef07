"""Mean balancing down a tree: every example gets a sign at each of several levels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._records import Ordering, Problem, Seen
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.orderings._balance import SCOPES, Scope, arrange
from cdgrab_sim.orderings._orders import first_orders
from cdgrab_sim.orderings._rules import (
    Signer,
    SignRule,
    draw_uniforms,
    give_sign,
    give_sign_twin,
    make_rule,
    new_signer,
    next_epoch,
    stop_at_clips,
)


class RecursiveState(NamedTuple):
    """What mean balancing down a tree remembers."""

    pi: IntArray  # (m, n) orders in use
    s: FloatArray  # (1, d) or (m, d) running sums at the root, a view of the signer's
    slot: IntArray  # (m, n) places in the tree, step by step
    mean: FloatArray  # (m, d) stale means
    total: FloatArray  # (m, d) sums of the raw gradients of this epoch
    uniforms: FloatArray  # (m, levels n)
    signer: Signer  # one sum for each node, or for each node and worker

    @property
    def clips(self) -> IntArray:
        """Clips since the beginning of the run, of each sum."""
        return self.signer.clips


def _observe_twin(  # type: ignore[no-untyped-def]
    slot, s, variance, clips, bound, largest, total, mean, uniforms, k0, G, levels, code, factor, fair
):
    signer = Signer(s, variance, clips, bound, largest)
    rows = len(s) // ((1 << levels) - 1)
    for k, g in enumerate(G, start=k0):
        total += g
        for i, v in enumerate(g - mean):
            node = leaf = 0
            for level in range(levels):
                row, u = node * rows + i % rows, uniforms[i, k * levels + level]
                right = give_sign_twin(signer, row, v, u, code, factor, fair) < 0.0
                leaf, node = 2 * leaf + right, 2 * node + 1 + right
            slot[i, k] = 2 * leaf


@kernel(twin=_observe_twin)
def observe_down(  # type: ignore[no-untyped-def]
    slot, s, variance, clips, bound, largest, total, mean, uniforms, k0, G, levels, code, factor, fair
):
    """Send the gradients of one chunk, less `mean`, down the tree; see `recursive`."""
    steps, m, d = G.shape
    rows = s.shape[0] // ((1 << levels) - 1)
    v = np.empty(d)
    for r in range(steps):
        k = k0 + r
        for i in range(m):
            for q in range(d):
                total[i, q] += G[r, i, q]
                v[q] = G[r, i, q] - mean[i, q]
            node, leaf = 0, 0
            for level in range(levels):
                row, u = node * rows + i % rows, uniforms[i, k * levels + level]
                eps = give_sign(s, variance, clips, bound, largest, row, v, u, code, factor, fair)
                right = 1 if eps < 0.0 else 0
                leaf, node = 2 * leaf + right, 2 * node + 1 + right
            slot[i, k] = 2 * leaf


def recursive(
    *,
    scope: Scope = "independent",
    rule: SignRule | str = "greedy",
    levels: int = 2,
    first: ArrayLike | None = None,
    name: str | None = None,
) -> Ordering:
    r"""Balance gradients less their stale mean, down a binary tree with a running sum at every node.

    An example enters at the root with v = g - stale mean, gets a sign from `rule` and the node's sum, and
    goes on to the left child with +1, to the right one with -1, for `levels` signs in all. The next order
    reads the leaves from left to right; those that end with +1 as they came, those that end with -1
    backwards. One level is `mean`. With A the largest running sum of any node, every level halves the old
    error once more, for vectors of one worker whose sum is zero and any norm:

    .. math:: H_{new} \le 2^{-levels} H_{old} + (levels + 1) A

    Parameters
    ----------
    scope : {"independent", "coordinated"}
        Running sums for each worker, or one at each node for all. Without pairs the leaves of the workers
        differ in length, and no bound on coordinated sums carries over to the parallel herding error:
        coordinate pairs (`recursive_pair`) where that matters.
    rule : SignRule or str
    levels : int
        Signs per example, 1 to 16.
    first : int array (n,) or (m, n), optional
    name : str, optional

    Returns
    -------
    Ordering

    Notes
    -----
    The bound is derived from the reorder identity (H1). A node with prefix sums P and running sums R passes
    (P + R)/2 on to the left and (P - R)/2 to the right, so at depth q prefix sums are at most
    2^-q H + (1 - 2^-q) A, and totals at most A. A new prefix is made of at most levels - 1 totals of left
    siblings and a prefix of the last reorder, at most 2^-levels H + A, or with the total of its node 2 A.

    References
    ----------
    The tree follows the published sampler that goes with arXiv 2205.10733 (class RecursiveBalance).

    Examples
    --------
    Two levels halve the error of random vectors about twice as fast:

    >>> import cdgrab_sim as cg
    >>> z = np.random.RandomState(0).standard_normal((4096, 2))
    >>> z -= z.mean(axis=0)
    >>> one, two = (cg.herding.curve(z, recursive(levels=levels), 2) for levels in (1, 2))
    >>> bool(one[2] < 0.5 * one[0]), bool(two[2] < 0.5 * one[2])
    (True, True)
    """
    _checks.choice("scope", scope, SCOPES)
    levels, rule = _checks.integer("levels", levels, low=1, high=16), make_rule(rule)
    fair = rule.failure == "coin"

    def init(problem: Problem, rng: Generator) -> RecursiveState:
        m, n, d = problem.m, problem.n, problem.d
        uniforms = np.zeros((m, levels * n))
        draw_uniforms(rule, uniforms, rng)
        pi = first_orders(first, problem, rng)
        rows = 1 if scope == "coordinated" else m
        signer = new_signer(rule, (2**levels - 1) * rows, d)
        slot, mean, total = np.zeros((m, n), dtype=np.int64), np.zeros((m, d)), np.zeros((m, d))
        return RecursiveState(pi, signer.s[:rows], slot, mean, total, uniforms, signer)

    def observe(state: RecursiveState, seen: Seen) -> None:
        m, n = state.pi.shape
        factor = rule.factor(n if scope == "independent" else m * n)
        how = (levels, rule.code, factor, fair)
        memory = (state.slot, *state.signer, state.total, state.mean, state.uniforms)
        observe_down(*memory, seen.k0, seen.G, *how)
        stop_at_clips(state.signer, rule)

    def advance(state: RecursiveState, rng: Generator) -> RecursiveState:
        pi = arrange(state.pi, state.slot)
        np.divide(state.total, pi.shape[1], out=state.mean)
        state.total[:] = 0.0
        next_epoch(state.signer, rule)
        draw_uniforms(rule, state.uniforms, rng)
        return state._replace(pi=pi)

    label = f"recursive ({scope}, {rule.name}, {levels} levels)"
    return Ordering(
        name or label,
        init,
        observe,
        advance,
        verified=True,
        family="recursive",
        coordinated=scope == "coordinated",
    )
