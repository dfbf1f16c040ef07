"""Pair balancing: the differences of consecutive gradients get signs; no mean is needed."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.registers import aligned
from cdgrab_sim._records import Ordering, Problem, Seen
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.orderings._balance import SCOPES, Scope, balance, balance_twin, balance_two
from cdgrab_sim.orderings._orders import first_orders
from cdgrab_sim.orderings._recursive_pair import recursive_pair
from cdgrab_sim.orderings._rules import SignRule, make_rule


class PairState(NamedTuple):
    """What pair balancing remembers."""

    pi: IntArray  # (m, n) orders in use
    after: IntArray  # (m, n) orders of the next epoch, filled from both ends
    s: FloatArray  # (1, d) running sum at the server, or (m, d), one per worker
    opened: FloatArray  # (m, d) first gradients of a pair that a chunk leaves open


def _observe_twin(
    after: IntArray, s: FloatArray, opened: FloatArray, pi: IntArray, k0: int, G: FloatArray
) -> None:
    m, n = pi.shape
    for k, g in enumerate(G, start=k0):
        j = k // 2
        if k % 2 == 0:
            opened[:] = g
            if k == n - 1:
                after[:, j] = pi[:, k]
            continue
        for i in range(m):
            eps = balance_twin(s[i % len(s)], opened[i] - g[i])
            first, second = pi[i, k - 1], pi[i, k]
            after[i, j], after[i, n - 1 - j] = (first, second) if eps > 0 else (second, first)


@inlined
def _place(after: IntArray, pi: IntArray, k: int, i: int, eps: float) -> None:
    """Give the examples of worker i's steps k - 1 and k the next slots at the front and the back."""
    n, j = pi.shape[1], k // 2
    plus = eps > 0.0
    first, second = pi[i, k - 1], pi[i, k]
    after[i, j] = first if plus else second
    after[i, n - 1 - j] = second if plus else first


@inlined
def _close(after: IntArray, s: FloatArray, opened: FloatArray, pi: IntArray, k0: int, G: FloatArray) -> None:
    """Balance the pairs that the chunk before left open."""
    for i in range(G.shape[1]):
        row = i if s.shape[0] > 1 else 0
        _place(after, pi, k0, i, balance(s, row, opened, (i,), G, (0, i)))


@inlined
def _open(after: IntArray, opened: FloatArray, pi: IntArray, k: int, G: FloatArray) -> None:
    """Keep the last gradients of a chunk: their partners come with the next one, or never."""
    steps, m, d = G.shape
    for i in range(m):
        for p in range(d):
            opened[i, p] = G[steps - 1, i, p]
        if k == pi.shape[1] - 1:
            after[i, k // 2] = pi[i, k]


@inlined
def _by_themselves(after: IntArray, s: FloatArray, pi: IntArray, k0: int, first: int, G: FloatArray) -> None:
    """Balance the pairs of rows (first - 1, first), ... with one sum per worker."""
    for r in range(first, G.shape[0], 2):
        for i in range(G.shape[1]):
            _place(after, pi, k0 + r, i, balance(s, i, G, (r - 1, i), G, (r, i)))


@inlined
def _together(after: IntArray, s: FloatArray, pi: IntArray, k0: int, first: int, G: FloatArray) -> None:
    """Balance the pairs of rows (first - 1, first), ... with one sum, two pairs at a time."""
    m = G.shape[1]
    pairs = (G.shape[0] - first + 1) // 2 * m
    r, i = first, 0
    for _ in range(pairs // 2):
        r2, i2 = (r, i + 1) if i + 1 < m else (r + 2, 0)
        eps, eps2 = balance_two(s, G, r, i, r2, i2)
        _place(after, pi, k0 + r, i, eps)
        _place(after, pi, k0 + r2, i2, eps2)
        r, i = (r2, i2 + 1) if i2 + 1 < m else (r2 + 2, 0)
    if pairs % 2 == 1:
        _place(after, pi, k0 + r, i, balance(s, 0, G, (r - 1, i), G, (r, i)))


@kernel(twin=_observe_twin)
def observe_pairs(
    after: IntArray, s: FloatArray, opened: FloatArray, pi: IntArray, k0: int, G: FloatArray
) -> None:
    """Balance the pairs of one chunk; see `pair`."""
    steps = G.shape[0]
    odd = k0 % 2
    if odd:
        _close(after, s, opened, pi, k0, G)
    if s.shape[0] > 1:
        _by_themselves(after, s, pi, k0, 1 + odd, G)
    else:
        _together(after, s, pi, k0, 1 + odd, G)
    if (steps - odd) % 2 == 1:
        _open(after, opened, pi, k0 + steps - 1, G)


def _observe(state: PairState, seen: Seen) -> None:
    observe_pairs(state.after, state.s, state.opened, state.pi, seen.k0, seen.G)


def _advance(state: PairState, rng: Generator) -> PairState:
    state.s[:] = 0.0
    return state._replace(pi=state.after, after=state.pi)


def pair(
    *,
    scope: Scope,
    rule: SignRule | str = "greedy",
    first: ArrayLike | None = None,
    name: str | None = None,
) -> Ordering:
    r"""Balance pair differences, at one server or in each worker by itself.

    For the pairs j = 1, 2, ... of an epoch, and within a pair for the workers i = 1, ..., m:

    .. math::

        v &= g_{i, \pi_i(2j-1)} - g_{i, \pi_i(2j)} \\
        \epsilon &= +1 \text{ if } \langle s, v \rangle \le 0 \text{ else } -1 \\
        s &\leftarrow s + \epsilon v

    The example with sign + (the first of the pair for epsilon = +1, else the second) takes the next free
    slot at the front of worker i's next order, the other one the next free slot at the back. With odd n
    the last example has no partner and takes the middle slot. s starts at zero in every epoch.

    Parameters
    ----------
    scope : {"coordinated", "independent"}
        One running sum s over all workers (CD-GraB), or one for each worker (D-GraB with pairs).
    rule : SignRule or str
        How the sign is chosen; greedy, as above, by default.
    first : int array (n,) or (m, n), optional
        The first orders; random by default.
    name : str, optional

    Returns
    -------
    Ordering

    References
    ----------
    Cooper, Guo, Pham, Yuan, Ruan, Lu, De Sa, "Coordinating Distributed Example Orders for Provably
    Accelerated Training", arXiv 2302.00845. (Its published code calls the workers n and the examples m.)

    Examples
    --------
    Differences 3 and 2 get the signs + and -: 0 goes to the front and 1 to the back, then 3 and 2.

    >>> import cdgrab_sim as cg
    >>> z = [[4.0], [1.0], [2.0], [0.0]]
    >>> cg.herding.order(z, pair(scope="independent", first=[0, 1, 2, 3]))
    array([0, 3, 2, 1])
    """
    _checks.choice("scope", scope, SCOPES)
    rule = make_rule(rule)
    name = name or f"pair ({scope}{'' if rule.name == 'greedy' else ', ' + rule.name})"
    if rule.name != "greedy":
        return recursive_pair(scope=scope, rule=rule, levels=1, first=first, name=name)

    def init(problem: Problem, rng: Generator) -> PairState:
        pi = first_orders(first, problem, rng)
        rows = 1 if scope == "coordinated" else problem.m
        s, opened = aligned((rows, problem.d)), aligned((problem.m, problem.d))
        return PairState(pi, np.empty_like(pi), s, opened)

    return Ordering(
        name,
        init,
        _observe,
        _advance,
        verified=True,
        family="pair",
        coordinated=scope == "coordinated",
    )


def cd_grab(*, rule: SignRule | str = "greedy", first: ArrayLike | None = None) -> Ordering:
    """CD-GraB: pair balancing over all workers with one running sum at the server.

    See `pair` for the recurrence and the arguments. The parallel herding error stays O(1) in the number of
    workers; with the rule ``"self-balancing"``, the one of the paper's theorems, O(log m) is proved.

    References
    ----------
    arXiv 2302.00845, Algorithm 1 and 2.

    Examples
    --------
    Sums over 64 workers, after six rounds over vectors that do not move:

    >>> import cdgrab_sim as cg
    >>> z = np.random.RandomState(0).standard_normal((64, 64, 4))
    >>> z -= z.mean(axis=1, keepdims=True)
    >>> alone, coordinated = (cg.herding.curve(z, one, 6)[-1] for one in (d_grab_pair(), cd_grab()))
    >>> bool(coordinated < alone / 4)
    True
    """
    form = pair(scope="coordinated", rule=rule, first=first, name="cd-grab")
    look = ("#D55E00", "*", "solid")
    return replace(form, family="pair", slopes="cd-grab", compared=True, look=look)


def d_grab_pair(*, rule: SignRule | str = "greedy", first: ArrayLike | None = None) -> Ordering:
    """D-GraB with pairs: every worker balances its own pair differences.

    See `pair` for the recurrence and the arguments. Called ID-GraB (PairBal) in the code of arXiv 2302.00845.
    The parallel herding error grows like sqrt(m), or like m where workers hold the same data in the same
    order.
    """
    form = pair(scope="independent", rule=rule, first=first, name="d-grab-pair")
    look = ("#0072B2", "^", (0, (5, 1, 1, 1)))
    return replace(form, family="pair", slopes="d-grab-pair", compared=True, look=look)
