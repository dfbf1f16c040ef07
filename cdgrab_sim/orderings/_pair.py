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
from cdgrab_sim.orderings._balance import (
    SCOPES,
    Scope,
    balance,
    balance_two,
    complete,
    place,
    refuse_repeats,
    too_many,
)
from cdgrab_sim.orderings._orders import first_orders
from cdgrab_sim.orderings._registry import ORDERINGS
from cdgrab_sim.orderings._rules import Signer, SignRule, give_greedy_sign, give_sign, make_rule


class PairState(NamedTuple):
    """What pair balancing remembers."""

    pi: IntArray  # (m, n) orders in use
    after: IntArray  # (m, n) orders of the next epoch, filled from both ends
    s: FloatArray  # (1, d) running sum at the server, or (m, d), one per worker: those of the signer
    shown: IntArray  # (m,) gradients of each worker seen in this epoch
    opened: FloatArray  # (m, d) first gradients of pairs that a piece of the stream leaves open
    signer: Signer
    clips: IntArray | None  # (1,) or (m,) those of the signer, where the rule has a threshold


@inlined
def _leave_open(
    after: IntArray, opened: FloatArray, count: IntArray, i: int, c: int, at: IntArray, G: FloatArray
) -> None:
    """Count what worker i showed in column c, and keep a gradient whose partner comes later, or never.

    Its example waits in the next slot at the front, where it stays if no partner comes.
    """
    steps, _, d = G.shape
    count[i] += steps
    if count[i] % 2 == 1:
        after[i, count[i] // 2] = at[steps - 1, c]
        for p in range(d):
            opened[i, p] = G[steps - 1, c, p]


@inlined
def _two_at_a_time(after: IntArray, s: FloatArray, k0: int, at: IntArray, G: FloatArray) -> None:
    """Balance the pairs of rows (0, 1), (2, 3), ... with one sum."""
    m = G.shape[1]
    pairs = G.shape[0] // 2 * m
    r, i = 1, 0
    for _ in range(pairs // 2):
        r2, i2 = (r, i + 1) if i + 1 < m else (r + 2, 0)
        eps, eps2 = balance_two(s, G, r, i, r2, i2)
        place(after, i, (k0 + r) // 2, at[r - 1, i], at[r, i], eps)
        place(after, i2, (k0 + r2) // 2, at[r2 - 1, i2], at[r2, i2], eps2)
        r, i = (r2, i2 + 1) if i2 + 1 < m else (r2 + 2, 0)
    if pairs % 2 == 1:
        eps = balance(s, 0, G, (r - 1, i), G, (r, i))
        place(after, i, (k0 + r) // 2, at[r - 1, i], at[r, i], eps)


@kernel(allocates=False)
def observe_pairs(
    after: IntArray, s: FloatArray, opened: FloatArray, count: IntArray, at: IntArray, G: FloatArray
) -> bool:
    """Balance a piece by the greedy rule where all m workers are in step and no pair is open.

    Elsewhere do nothing and return False.
    """
    steps, m, _ = G.shape
    k0 = count[0]
    if steps == 0 or k0 % 2 == 1 or k0 + steps > after.shape[1]:
        return False
    for i in range(m):
        if count[i] != k0:
            return False
    if s.shape[0] == 1:
        _two_at_a_time(after, s, k0, at, G)
    for r in range(1, steps if s.shape[0] > 1 else 0, 2):
        for i in range(m):
            eps = balance(s, i, G, (r - 1, i), G, (r, i))
            place(after, i, (k0 + r) // 2, at[r - 1, i], at[r, i], eps)
    for i in range(m):
        _leave_open(after, opened, count, i, i, at, G)
    return True


@inlined
def observe_rows(  # type: ignore[no-untyped-def]
    sign, rule, after, s, opened, count, who, at, G
):
    """Give pairs of a piece signs by `sign`, row by row, whoever was there; False if there are too many."""
    steps, w, _ = G.shape
    many = s.shape[0] > 1
    for c in range(w):
        if count[who[c]] + steps > after.shape[1]:
            return False
    for c in range(w if steps > 0 else 0):
        i = who[c]
        j = count[i] // 2
        if count[i] % 2 == 1:
            eps = sign(s, i if many else 0, opened, (i,), G, (0, c), (i, j), rule)
            place(after, i, j, after[i, j], at[0, c], eps)
    for r in range(1, steps):
        for c in range(w):
            i = max(who[c], 0)  # tells the compiler that i does not count from the end
            j = (count[i] + r) // 2
            if (count[i] + r) % 2 == 1:
                eps = sign(s, i if many else 0, G, (r - 1, c), G, (r, c), (i, j), rule)
                place(after, i, j, at[r - 1, c], at[r, c], eps)
    for c in range(w if steps > 0 else 0):
        _leave_open(after, opened, count, who[c], c, at, G)
    return True


@kernel(allocates=False)
def observe_greedily(after, s, opened, count, who, at, G):  # type: ignore[no-untyped-def]
    """Balance a piece of the stream by the greedy rule, whoever was there; see `pair`."""
    return observe_rows(give_greedy_sign, (), after, s, opened, count, who, at, G)


@kernel(allocates=False)
def observe_by_rule(  # type: ignore[no-untyped-def]
    after, s, opened, count, who, at, G, variance, clips, bound, largest, pace, uniforms, code, factor, fair
):
    """Balance a piece of the stream by any rule, whoever was there; see `pair`."""
    rule = (variance, clips, bound, largest, pace, uniforms, code, factor, fair)
    return observe_rows(give_sign, rule, after, s, opened, count, who, at, G)


@kernel
def close(after: IntArray, pi: IntArray, count: IntArray) -> int:
    """Complete the orders, whose backs hold one of each pair, and count from zero again; see `complete`."""
    back = count // 2
    i = complete(after, pi, count - back, back)
    count[:] = 0
    return i


_CD_GRAB = "arXiv 2302.00845, Algorithms 1 and 2, read; bounds proved here"
_ID_GRAB = "ID-GraB (PairBal) in the code of arXiv 2302.00845, read; bounds proved here"


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

    Workers may be absent, or come one at a time: a pair is two consecutive gradients of one worker, and
    pairs are balanced as their second gradients come. At the end of an epoch an example without a partner
    takes the next slot at the front, and the examples that a worker did not show take the slots left, in
    their old order. Showing an example twice in one epoch is refused.

    Parameters
    ----------
    scope : {"coordinated", "independent"}
        One running sum s over all workers (CD-GraB), or one for each worker (D-GraB with pairs).
    rule : SignRule or str
        How the sign is chosen; greedy, as above, by default.
    first : int array (n,) or (m, n), optional
        The first orders; random by default.
    name : str, optional

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
    name = None if name is None else _checks.text("name", name)
    rule = make_rule(rule)
    together, greedy = scope == "coordinated", rule.name == "greedy"
    label = name or f"pair ({scope}{'' if greedy else ', ' + rule.name})"

    def init(problem: Problem, rng: Generator) -> PairState:
        m, n, d = problem.m, problem.n, problem.d
        signer = Signer.new(rule, 1 if together else m, d, np.zeros((m, n // 2)))
        signer.draw(rule, rng)
        pi, shown = first_orders(first, problem, rng), np.zeros(m, dtype=np.int64)
        clips = signer.clips if rule.tosses else None
        return PairState(pi, np.empty_like(pi), signer.s, shown, aligned((m, d)), signer, clips)

    def observe(state: PairState, seen: Seen) -> None:
        _, who, at, G = seen
        m, n = state.pi.shape
        sums = (state.after, state.s, state.opened, state.shown)
        if greedy and len(who) == m and observe_pairs(*sums, at, G):
            return
        if greedy:
            fits = observe_greedily(*sums, who, at, G)
        else:
            N = max(1, n // 2) * (m if together else 1)
            fits = observe_by_rule(*sums, who, at, G, *state.signer.known(rule, N))
        if not fits:
            raise too_many(label, n)
        state.signer.stop_at_clips(rule)

    def advance(state: PairState, rng: Generator) -> PairState:
        refuse_repeats(label, close(state.after, state.pi, state.shown))
        state.signer.begin(rule, rng)
        return PairState(state.after, state.pi, *state[2:])

    return Ordering(
        label, init, observe, advance, verified=True, family="pair", coordinated=together, provenance=_CD_GRAB
    )


@ORDERINGS.register
def d_grab_pair(*, rule: SignRule | str = "greedy", first: ArrayLike | None = None) -> Ordering:
    """D-GraB with pairs: every worker balances its own pair differences.

    See `pair` for the recurrence and the arguments. Called ID-GraB (PairBal) in the code of arXiv 2302.00845.
    The parallel herding error grows like sqrt(m), or like m where workers hold the same data in the same
    order.
    """
    form = pair(scope="independent", rule=rule, first=first, name="d-grab-pair")
    look = ("#0072B2", "^", (0, (5, 1, 1, 1)))
    return replace(form, slopes="d-grab-pair", compared=True, look=look, provenance=_ID_GRAB)


@ORDERINGS.register
def cd_grab(*, rule: SignRule | str = "greedy", first: ArrayLike | None = None) -> Ordering:
    """CD-GraB: pair balancing over all workers with one running sum at the server.

    See `pair` for the recurrence and the arguments. On data in general position the parallel herding error
    stays O(1) in the number of workers; greedy signs have no proof of it, and vectors on which they fail.
    With the rule ``"self-balancing"``, the one of the paper's theorems, every running sum is O(log m) with
    high probability, if its bound B is given and no live difference is longer (theory/notes, V8 and T10). By
    default B is the largest difference of the epoch before, which guarantees nothing.

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
    return replace(form, slopes="cd-grab", compared=True, look=look)
