"""Pair balancing down a tree: the two of a pair part at every level and meet new partners."""

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


class RecursivePairState(NamedTuple):
    """What pair balancing down a tree remembers."""

    pi: IntArray  # (m, n) orders in use
    s: FloatArray  # (1, d) or (m, d) running sums at the root, a view of the signer's
    slot: IntArray  # (m, n) places in the tree, step by step
    held: IntArray  # (m, nodes) step of the example that waits at a node for its partner, -1 for none
    waiting: FloatArray  # (m, nodes, d) its gradient
    used: IntArray  # (m,) uniforms used in this epoch
    uniforms: FloatArray  # (m, levels n // 2)
    signer: Signer  # one sum for each node, or for each node and worker

    @property
    def clips(self) -> IntArray:
        """Clips since the beginning of the run, of each sum."""
        return self.signer.clips


def _observe_twin(  # type: ignore[no-untyped-def]
    slot, held, waiting, used, s, variance, clips, bound, largest, uniforms, k0, G, code, factor, fair
):
    signer = Signer(s, variance, clips, bound, largest)
    nodes = held.shape[1]
    rows = len(s) // nodes

    def enter(i: int, node: int, k: int, g: FloatArray) -> None:
        if node >= nodes:
            slot[i, k] = 2 * (node - nodes)
        elif held[i, node] < 0:
            held[i, node], waiting[i, node] = k, g
        else:
            k1, g1 = held[i, node], waiting[i, node].copy()
            held[i, node] = -1
            row, u = node * rows + i % rows, uniforms[i, used[i]]
            used[i] += 1
            left = give_sign_twin(signer, row, g1 - g, u, code, factor, fair) > 0.0
            enter(i, 2 * node + 1, *((k1, g1) if left else (k, g)))
            enter(i, 2 * node + 2, *((k, g) if left else (k1, g1)))

    for k, step in enumerate(G, start=k0):
        for i, g in enumerate(step):
            enter(i, 0, k, g)


@kernel(twin=_observe_twin)
def observe_pairs_down(  # type: ignore[no-untyped-def]
    slot, held, waiting, used, s, variance, clips, bound, largest, uniforms, k0, G, code, factor, fair
):
    """Send the gradients of one chunk down the tree in pairs; see `recursive_pair`."""
    steps, m, d = G.shape
    nodes = held.shape[1]
    rows = s.shape[0] // nodes
    at, who, what = np.empty(64, np.int64), np.empty(64, np.int64), np.empty((64, d))
    v = np.empty(d)
    for r in range(steps):
        for i in range(m):
            at[0], who[0], top = 0, k0 + r, 0
            for q in range(d):
                what[0, q] = G[r, i, q]
            while top >= 0:  # a stack of examples on their way down, the left one on top
                node, k = at[top], who[top]
                if node >= nodes:
                    slot[i, k] = 2 * (node - nodes)
                    top -= 1
                elif held[i, node] < 0:
                    held[i, node] = k
                    for q in range(d):
                        waiting[i, node, q] = what[top, q]
                    top -= 1
                else:
                    for q in range(d):
                        v[q] = waiting[i, node, q] - what[top, q]
                    row, u = node * rows + i % rows, uniforms[i, used[i]]
                    used[i] += 1
                    eps = give_sign(s, variance, clips, bound, largest, row, v, u, code, factor, fair)
                    # the newcomer keeps its place in the stack where it goes right, else it moves up
                    old, new = (top + 1, top) if eps > 0.0 else (top, top + 1)
                    for q in range(d):
                        what[new, q] = what[top, q]
                    who[new] = k
                    for q in range(d):
                        what[old, q] = waiting[i, node, q]
                    who[old] = held[i, node]
                    at[top], at[top + 1] = 2 * node + 2, 2 * node + 1
                    held[i, node] = -1
                    top += 1


def _place_unpaired(state: RecursivePairState) -> None:
    """Put an example without a partner between the two subtrees of its node."""
    nodes = state.held.shape[1]
    for node in range(nodes):
        if state.held[0, node] >= 0:  # workers hold at the same nodes
            right = 2 * node + 2
            while right < nodes:
                right = 2 * right + 1
            np.put_along_axis(state.slot, state.held[:, node, None], 2 * (right - nodes) - 1, axis=1)
    state.held[:] = -1


def recursive_pair(
    *,
    scope: Scope = "coordinated",
    rule: SignRule | str = "greedy",
    levels: int = 2,
    first: ArrayLike | None = None,
    name: str | None = None,
) -> Ordering:
    r"""Balance pair differences down a binary tree with a running sum at every node.

    Two examples that meet at a node are balanced by their difference v = g(first) - g(second), with the sign
    that `rule` gives it and the node's sum. The one with sign + goes on to the left child, the other one to
    the right, where each waits for a new partner, for `levels` signs in all. The next order reads the leaves
    from left to right; those that end with + as they came, those that end with - backwards. An example that
    finds no partner takes the place between the two subtrees of its node. One level is `pair`.

    Every pair sends one example each way, so that the blocks of all workers have the same lengths, and
    coordinated sums bound the parallel herding error level by level as those of `pair` do.

    Parameters
    ----------
    scope : {"coordinated", "independent"}
        One running sum at each node over all workers, or one for each worker.
    rule : SignRule or str
    levels : int
        Signs per example, 1 to 16.
    first : int array (n,) or (m, n), optional
    name : str, optional

    Returns
    -------
    Ordering

    References
    ----------
    The tree follows the published sampler that goes with arXiv 2205.10733 (class RecursivePairBalance), whose
    pairs inside one batch share a sum; here every pair sees the sum that the pair before it left.

    Examples
    --------
    >>> recursive_pair(rule="hilbert").name
    'recursive-pair (coordinated, hilbert, 2 levels)'
    """
    _checks.choice("scope", scope, SCOPES)
    levels, rule = _checks.integer("levels", levels, low=1, high=16), make_rule(rule)
    fair = rule.failure == "coin"

    def init(problem: Problem, rng: Generator) -> RecursivePairState:
        m, n, d = problem.m, problem.n, problem.d
        uniforms = np.zeros((m, levels * (n // 2)))
        draw_uniforms(rule, uniforms, rng)
        pi = first_orders(first, problem, rng)
        rows, nodes = 1 if scope == "coordinated" else m, 2**levels - 1
        signer = new_signer(rule, nodes * rows, d)
        held, slot = np.full((m, nodes), -1), np.zeros((m, n), dtype=np.int64)
        waiting, used = np.zeros((m, nodes, d)), np.zeros(m, dtype=np.int64)
        return RecursivePairState(pi, signer.s[:rows], slot, held, waiting, used, uniforms, signer)

    def observe(state: RecursivePairState, seen: Seen) -> None:
        m, n = state.pi.shape
        factor = rule.factor(max(1, n // 2) * (1 if scope == "independent" else m))
        memory = (state.slot, state.held, state.waiting, state.used, *state.signer, state.uniforms)
        observe_pairs_down(*memory, seen.k0, seen.G, rule.code, factor, fair)
        stop_at_clips(state.signer, rule)

    def advance(state: RecursivePairState, rng: Generator) -> RecursivePairState:
        _place_unpaired(state)
        state.used[:] = 0
        next_epoch(state.signer, rule)
        draw_uniforms(rule, state.uniforms, rng)
        return state._replace(pi=arrange(state.pi, state.slot))

    label = f"recursive-pair ({scope}, {rule.name}, {levels} levels)"
    return Ordering(
        name or label,
        init,
        observe,
        advance,
        verified=True,
        family="recursive",
        coordinated=scope == "coordinated",
    )
