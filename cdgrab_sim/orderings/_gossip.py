"""CD-GraB without a server: every worker balances an estimate of the running sum, and neighbours average."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import graphs
from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.registers import Where, aligned
from cdgrab_sim._records import Ordering, Problem, Seen
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.graphs import Graph
from cdgrab_sim.orderings._balance import add, inner, place, refuse_repeats, too_many
from cdgrab_sim.orderings._orders import first_orders
from cdgrab_sim.orderings._pair import close
from cdgrab_sim.orderings._registry import ORDERINGS


class GossipState(NamedTuple):
    """What pair balancing over a graph remembers."""

    pi: IntArray  # (m, n) orders in use
    after: IntArray  # (m, n) orders of the next epoch, filled from both ends
    s: FloatArray  # (m, d) every worker's estimate of the running sum
    room: FloatArray  # (m, d) for an exchange
    shown: IntArray  # (m,) gradients of each worker seen in this epoch
    opened: FloatArray  # (m, d) first gradients of pairs that a piece of the stream leaves open
    start: IntArray  # (m + 1,), with `near` and `weights` the rows of W over its largest entry
    near: IntArray  # columns
    weights: FloatArray
    share: float  # what the weights are to be multiplied with, for W


@inlined
def _sign_and_tell(
    s: FloatArray,
    i: int,
    a: FloatArray,
    ia: Where,
    b: FloatArray,
    ib: Where,
    start: IntArray,
    near: IntArray,
    weights: FloatArray,
) -> float:
    """Sign v = ``a[ia] - b[ib]`` by worker i's estimate, and tell its neighbours, by their weights."""
    eps = 1.0 if inner(s, i, a, ia, b, ib) <= 0.0 else -1.0
    for e in range(start[i], start[i + 1]):
        add(s, near[e], eps * weights[e], a, ia, b, ib)
    return eps


@inlined
def _average(
    s: FloatArray, room: FloatArray, start: IntArray, near: IntArray, weights: FloatArray, share: float
) -> None:
    """Average the estimates with those of the neighbours, in differences: equal ones stay as they are."""
    m, d = s.shape
    for i in range(m):
        for p in range(d):
            room[i, p] = 0.0
        for e in range(start[i], start[i + 1]):
            w = share * weights[e]
            for p in range(d):
                room[i, p] += w * (s[near[e], p] - s[i, p])
    for i in range(m):
        for p in range(d):
            s[i, p] += room[i, p]


@kernel(allocates=False)
def observe_over_graph(  # type: ignore[no-untyped-def]
    after, s, room, opened, count, who, at, G, start, near, weights, share
):
    """Balance a piece of the stream over a graph; False if a worker shows more than n gradients."""
    steps, present, d = G.shape
    for c in range(present):
        if count[who[c]] + steps > after.shape[1]:
            return False
    for r in range(steps):
        ended = False
        for c in range(present):
            i = max(who[c], 0)  # tells the compiler that i does not count from the end
            j = count[i] // 2
            if count[i] % 2 == 0:
                after[i, j] = at[r, c]  # waits for its partner, and stays there if none comes
                for p in range(d):
                    opened[i, p] = G[r, c, p]
            else:
                eps = _sign_and_tell(s, i, opened, (i,), G, (r, c), start, near, weights)
                place(after, i, j, after[i, j], at[r, c], eps)
                ended = True
            count[i] += 1
        if ended:
            _average(s, room, start, near, weights, share)
    return True


@ORDERINGS.register
def cd_grab_gossip(*, graph: Graph | str = "ring", first: ArrayLike | None = None) -> Ordering:
    r"""CD-GraB over a graph: the running sum is gossiped, and nobody holds it.

    Worker i keeps an estimate s_i of the sum that CD-GraB's server has. For the pairs j = 1, 2, ... of an
    epoch, and within a pair for the workers i = 1, ..., m:

    .. math::

        v &= g_{i, \pi_i(2j-1)} - g_{i, \pi_i(2j)}, \qquad
        \epsilon = +1 \text{ if } \langle s_i, v \rangle \le 0 \text{ else } -1 \\
        s_l &\leftarrow s_l + c \, W_{li} \, \epsilon v \text{ for the neighbours } l \text{ of } i
            \text{ and itself}

    and after each pair all of them average, s_i <- sum_l W_il s_l. With c = m the mean of the s_i would be
    the running sum at every moment; c = 1 / max W scales all of them alike and changes no sign. On the
    complete graph this is `cd_grab`, without edges `d_grab_pair`, bit for bit. Places are those of `pair`;
    workers may be absent.

    Parameters
    ----------
    graph : Graph or str
        A record, or a registered name, on the workers there are.
    first : int array (n,) or (m, n), optional
        The first orders; random by default.

    Notes
    -----
    Derived here; not published. Where W has an eigenvalue well below 0, as on a torus, a disagreement of that
    mode is told with the wrong sign and grows: give it ``graph.lazy()`` there (note N6). A pair costs a
    worker one vector to each neighbour for its increment, and one for the average; CD-GraB sends one to the
    server, and a sign comes back.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> z = np.random.RandomState(0).standard_normal((16, 64, 4))
    >>> z -= z.mean(axis=1, keepdims=True)
    >>> errors = [cg.herding.curve(z, cd_grab_gossip(graph=one), 6)[-1] for one in ("complete", "ring")]
    >>> bool(errors[0] == cg.herding.curve(z, "cd-grab", 6)[-1])
    True
    >>> bool(errors[1] < cg.herding.curve(z, "d-grab-pair", 6)[-1])
    True
    """
    if not isinstance(graph, Graph):
        graphs.GRAPHS.factory(graph)  # refuses a name that nobody knows
    label = "cd-grab-gossip"

    def init(problem: Problem, rng: Generator) -> GossipState:
        m, d = problem.m, problem.d
        over = graphs.make(graph, m)
        pi, share = first_orders(first, problem, rng), float(over.weights.max())
        scaled = over.weights / share
        weights = np.where(np.abs(scaled - 1.0) < 1e-12 * m, 1.0, scaled)  # so that ties stay ties
        shown = np.zeros(m, dtype=np.int64)
        sums = [aligned((m, d)) for _ in range(3)]
        sums[0][:] = 0.0
        return GossipState(
            pi, np.empty_like(pi), sums[0], sums[1], shown, sums[2], over.start, over.near, weights, share
        )

    def observe(state: GossipState, seen: Seen) -> None:
        _, who, at, G = seen
        over = (state.start, state.near, state.weights, state.share)
        if not observe_over_graph(
            state.after, state.s, state.room, state.opened, state.shown, who, at, G, *over
        ):
            raise too_many(label, state.pi.shape[1])

    def advance(state: GossipState, rng: Generator) -> GossipState:
        refuse_repeats(label, close(state.after, state.pi, state.shown))
        state.s[:] = 0.0
        return state._replace(pi=state.after, after=state.pi)

    return Ordering(
        label,
        init,
        observe,
        advance,
        verified=True,
        family="pair",
        coordinated=True,
        provenance="made here, after arXiv 2302.00845, read",
    )
