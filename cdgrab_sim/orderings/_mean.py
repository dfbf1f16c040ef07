"""Mean balancing: each gradient, less its worker's stale mean, gets a sign."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.registers import aligned
from cdgrab_sim._kernels.sums import ordered_sum
from cdgrab_sim._records import Ordering, Problem, Seen
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.orderings._balance import SCOPES, Scope, add_row, complete, refuse_repeats, too_many
from cdgrab_sim.orderings._orders import first_orders
from cdgrab_sim.orderings._registry import ORDERINGS
from cdgrab_sim.orderings._rules import Signer, SignRule, give_greedy_sign, give_sign, make_rule


class MeanState(NamedTuple):
    """What mean balancing remembers."""

    pi: IntArray  # (m, n) orders in use
    after: IntArray  # (m, n) room for the orders of the next epoch
    signed: IntArray  # (m, n) examples j as they came in this epoch; ~j, which is negative, for sign -1
    s: FloatArray  # (1, d) one running sum for all workers, or (m, d), one for each: those of the signer
    shown: IntArray  # (m,) gradients of each worker seen in this epoch
    mean: FloatArray  # (m, d) what the gradients are centred with: the means of the epoch before
    total: FloatArray  # (m, d) sums of the raw gradients of this epoch
    signer: Signer
    clips: IntArray | None  # (1,) or (m,) those of the signer, where the rule has a threshold


@inlined
def _observe_one(  # type: ignore[no-untyped-def]
    sign, rule, signed, s, count, total, mean, at, G, r, c, i
):
    """Give the gradient in row r and column c, which is worker i's, a sign by `sign`, and sum it up."""
    k = count[i] + r
    add_row(total, i, G, r, c)
    eps = sign(s, i if s.shape[0] > 1 else 0, G, (r, c), mean, (i,), (i, k), rule)
    signed[i, k] = at[r, c] if eps > 0.0 else ~at[r, c]


@inlined
def _observe_rows(  # type: ignore[no-untyped-def]
    sign, rule, signed, s, count, total, mean, who, at, G
):
    """Give each gradient less `mean` a sign by `sign`, row by row; False if there are too many."""
    steps, w, _ = G.shape
    for c in range(w):
        if count[who[c]] + steps > signed.shape[1]:
            return False
    if w == count.shape[0]:  # the same for everybody, without looking workers up, which takes a tenth
        for r in range(steps):
            for c in range(w):
                _observe_one(sign, rule, signed, s, count, total, mean, at, G, r, c, c)
    else:
        for r in range(steps):
            for c in range(w):
                _observe_one(sign, rule, signed, s, count, total, mean, at, G, r, c, who[c])
    for c in range(w):
        count[who[c]] += steps
    return True


@kernel(allocates=False)
def observe_greedily(signed, s, count, total, mean, who, at, G):  # type: ignore[no-untyped-def]
    """Balance a piece of the stream by the greedy rule; see `mean`."""
    return _observe_rows(give_greedy_sign, (), signed, s, count, total, mean, who, at, G)


@kernel(allocates=False)
def observe_by_rule(  # type: ignore[no-untyped-def]
    signed, s, count, total, mean, who, at, G,
    variance, clips, bound, largest, pace, uniforms, code, factor, fair,
):  # fmt: skip
    """Balance a piece of the stream by any rule; see `mean`."""
    rule = (variance, clips, bound, largest, pace, uniforms, code, factor, fair)
    return _observe_rows(give_sign, rule, signed, s, count, total, mean, who, at, G)


@kernel
def _fill(after: IntArray, front: IntArray, signed: IntArray, count: IntArray) -> None:
    """Fill each row of `after`: sign +1 from the front, whose length is `front`, sign -1 from the back."""
    m, n = after.shape
    for i in range(m):
        ahead = 0
        for k in range(count[i]):
            j = signed[i, k]
            after[i, ahead if j >= 0 else n - 1 - (k - ahead)] = j if j >= 0 else ~j
            ahead += j >= 0
        front[i] = ahead


_GRAB = "arXiv 2205.10733, recalled; bounds proved here"
_ID_GRAB = "ID-GraB (Bal) in the code of arXiv 2302.00845, read; bounds proved here"


def mean(
    *,
    scope: Scope,
    rule: SignRule | str = "greedy",
    exact: bool = False,
    first: ArrayLike | None = None,
    name: str | None = None,
) -> Ordering:
    r"""Balance gradients less their stale mean, in each worker by itself or with one running sum.

    For the steps k = 1, ..., n of epoch t, and within a step for the workers i = 1, ..., m:

    .. math::

        v &= g_{i, \pi_i(k)} - \bar g_i^{\,t-1} \\
        \epsilon &= +1 \text{ if } \langle s, v \rangle \le 0 \text{ else } -1 \\
        s &\leftarrow s + \epsilon v

    The example takes the next free slot of worker i's next order, at the front for epsilon = +1, at the back
    for epsilon = -1. s starts at zero in every epoch. The stale mean is zero in the first epoch and then

    .. math:: \bar g_i^{\,t} = \frac1n \sum_{k=1}^n g_{i, \pi_i(k)} \quad \text{as seen in epoch } t,

    of raw gradients, summed in the order of the steps.

    Workers may be absent, or come one at a time. The mean is then that of the gradients that a worker showed,
    or stays as it was; and at the end of an epoch the examples that a worker did not show take the slots left
    between front and back, in their old order. Showing an example twice in one epoch is refused.

    Parameters
    ----------
    scope : {"independent", "coordinated"}
        One running sum s for each worker (D-GraB), or one over all of them. Without pairs the fronts of the
        workers have different lengths, and no bound on the coordinated sum carries over to the parallel
        herding error: coordinate pairs (`pair`) where that matters.
    rule : SignRule or str
        How the sign is chosen; greedy, as above, by default.
    exact : bool
        Balance an epoch only when it is over, against its own mean: keeps all its gradients, (n, m, d).
    first : int array (n,) or (m, n), optional
        The first orders; random by default.
    name : str, optional

    References
    ----------
    Lu, Guo, De Sa, "GraB: Finding Provably Better Data Permutations than Random Reshuffling", arXiv
    2205.10733.

    Examples
    --------
    Signs +, -, +, -: examples 0 and 2 from the front, 1 and 3 from the back.

    >>> import cdgrab_sim as cg
    >>> z = [[1.0], [1.0], [-1.0], [-1.0]]
    >>> cg.herding.order(z, mean(scope="independent", first=[0, 1, 2, 3]))
    array([0, 2, 3, 1])
    """
    _checks.choice("scope", scope, SCOPES)
    name = None if name is None else _checks.text("name", name)
    rule, exact = make_rule(rule), _checks.flag("exact", exact)
    name = name or f"mean ({scope}{'' if rule.name == 'greedy' else ', ' + rule.name}{', exact' * exact})"
    if exact:
        return against_exact_mean(mean(scope=scope, rule=rule, first=first, name=name))
    label, together = name, scope == "coordinated"

    def init(problem: Problem, rng: Generator) -> MeanState:
        m, n, d = problem.m, problem.n, problem.d
        signer = Signer.new(rule, 1 if together else m, d, np.zeros((m, n)))
        signer.draw(rule, rng)
        pi, shown = first_orders(first, problem, rng), np.zeros(m, dtype=np.int64)
        after, signed, means, total = np.empty_like(pi), np.empty_like(pi), aligned((m, d)), aligned((m, d))
        clips = signer.clips if rule.tosses else None
        return MeanState(pi, after, signed, signer.s, shown, means, total, signer, clips)

    def observe(state: MeanState, seen: Seen) -> None:
        m, n = state.pi.shape
        sums = (state.signed, state.s, state.shown, state.total, state.mean, *seen[1:])
        if rule.name == "greedy":
            fits = observe_greedily(*sums)
        else:
            fits = observe_by_rule(*sums, *state.signer.known(rule, m * n if together else n))
        if not fits:
            raise too_many(label, n)
        state.signer.stop_at_clips(rule)

    def advance(state: MeanState, rng: Generator) -> MeanState:
        front, shown = np.empty_like(state.shown), state.shown[:, None]
        _fill(state.after, front, state.signed, state.shown)
        refuse_repeats(label, complete(state.after, state.pi, front, state.shown - front))
        np.divide(state.total, shown, out=state.mean, where=shown > 0)
        state.total[:] = 0.0
        state.shown[:] = 0
        state.signer.begin(rule, rng)
        return state._replace(pi=state.after, after=state.pi)

    return Ordering(
        label, init, observe, advance, verified=True, family="mean", coordinated=together, provenance=_GRAB
    )


class ExactState(NamedTuple):
    """A form with stale means, and the epoch that it is going to see."""

    pi: IntArray  # (m, n) orders in use
    inner: MeanState  # state of the form
    pieces: list[Seen]  # copies of what was shown in this epoch

    @property
    def clips(self) -> IntArray | None:
        """Clips since the beginning of the run, of each sum, where the rule has a threshold."""
        return self.inner.clips


def against_exact_mean(form: Ordering) -> Ordering:
    """Let a form with stale means see every epoch when it is over, with the epoch's own mean as `mean`."""
    observe_inner = form.observe
    assert observe_inner is not None

    def init(problem: Problem, rng: Generator) -> ExactState:
        inner = form.init(problem, rng)
        return ExactState(inner.pi, inner, [])

    def observe(state: ExactState, seen: Seen) -> None:
        state.pieces.append(Seen(seen.k0, seen.who.copy(), seen.at.copy(), seen.G.copy()))

    def advance(state: ExactState, rng: Generator) -> ExactState:
        inner = state.inner._replace(pi=state.pi)
        sums, counts = np.zeros_like(inner.mean), np.zeros((len(inner.mean), 1))
        for _, who, _, G in state.pieces:
            sums[who] = ordered_sum(np.concatenate((sums[None, who], G)))
            counts[who] += len(G)
        np.divide(sums, counts, out=inner.mean, where=counts > 0)
        for seen in state.pieces:
            observe_inner(inner, seen)
        inner = form.advance(inner, rng)
        return ExactState(inner.pi, inner, [])

    return replace(form, init=init, observe=observe, advance=advance)


@ORDERINGS.register
def d_grab(*, rule: SignRule | str = "greedy", first: ArrayLike | None = None) -> Ordering:
    """D-GraB: every worker runs GraB by itself.

    See `mean` for the recurrence and the arguments. Called ID-GraB (Bal) in the code of arXiv 2302.00845. The
    parallel herding error grows like sqrt(m), or like m where workers hold the same data in the same order.
    """
    form = mean(scope="independent", rule=rule, first=first, name="d-grab")
    look = ("#009E73", "v", (0, (3, 1, 1, 1)))
    return replace(form, slopes="d-grab", compared=True, look=look, provenance=_ID_GRAB)


@ORDERINGS.register
def grab(*, rule: SignRule | str = "greedy", exact: bool = False, first: ArrayLike | None = None) -> Ordering:
    """GraB: balance the gradients of one worker against their stale mean.

    See `mean` for the recurrence and the arguments.

    Raises
    ------
    ValueError
        When the run starts, on a problem with more than one worker.

    References
    ----------
    arXiv 2205.10733.
    """
    alone = mean(scope="independent", rule=rule, exact=exact, first=first, name="grab")

    def init(problem: Problem, rng: Generator) -> Any:
        if problem.m != 1:
            raise ValueError(
                f"ordering 'grab': expected one worker, m = 1; got m = {problem.m}; "
                "on several workers use 'd-grab', 'd-grab-pair' or 'cd-grab'"
            )
        return alone.init(problem, rng)

    look = ("#56B4E9", "<", (0, (2, 1)))
    return replace(alone, init=init, slopes="grab", look=look)
