"""Mean balancing: each gradient, less its worker's stale mean, gets a sign."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim._kernels.registers import aligned
from cdgrab_sim._kernels.sums import ordered_sum
from cdgrab_sim._records import Ordering, Problem, Seen
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.orderings._balance import SCOPES, Scope, balance, balance_twin, fill
from cdgrab_sim.orderings._orders import first_orders
from cdgrab_sim.orderings._recursive import recursive
from cdgrab_sim.orderings._rules import SignRule, make_rule


class MeanState(NamedTuple):
    """What mean balancing remembers."""

    pi: IntArray  # (m, n) orders in use
    after: IntArray  # (m, n) room for the orders of the next epoch
    eps: IntArray  # (m, n) signs of this epoch, step by step
    s: FloatArray  # (1, d) one running sum for all workers, or (m, d), one for each
    mean: FloatArray  # (m, d) what the gradients are centred with: the means of the previous epoch
    total: FloatArray  # (m, d) sum of the raw gradients of this epoch


def _observe_twin(
    eps: IntArray, s: FloatArray, total: FloatArray, mean: FloatArray, k0: int, G: FloatArray
) -> None:
    for k, g in enumerate(G, start=k0):
        total += g
        for i, v in enumerate(g - mean):
            eps[i, k] = balance_twin(s[i % len(s)], v)


@kernel(twin=_observe_twin)
def observe_means(
    eps: IntArray, s: FloatArray, total: FloatArray, mean: FloatArray, k0: int, G: FloatArray
) -> None:
    """Balance the gradients of one chunk against `mean`, and sum them up; see `mean`."""
    steps, m, d = G.shape
    many = s.shape[0] > 1
    for r in range(steps):
        for i in range(m):
            for p in range(d):
                total[i, p] += G[r, i, p]
            plus = balance(s, i if many else 0, G, (r, i), mean, (i,)) > 0.0
            eps[i, k0 + r] = 1 if plus else -1


def _observe(state: MeanState, seen: Seen) -> None:
    observe_means(state.eps, state.s, state.total, state.mean, seen.k0, seen.G)


def _advance(state: MeanState, rng: Generator) -> MeanState:
    fill(state.after, state.pi, state.eps)
    np.divide(state.total, state.pi.shape[1], out=state.mean)
    state.total[:] = 0.0
    state.s[:] = 0.0
    return state._replace(pi=state.after, after=state.pi)


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

    Returns
    -------
    Ordering

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
    rule = make_rule(rule)
    name = name or f"mean ({scope}{'' if rule.name == 'greedy' else ', ' + rule.name}{', exact' * exact})"
    if exact:
        return against_exact_mean(mean(scope=scope, rule=rule, first=first, name=name))
    if rule.name != "greedy":
        return recursive(scope=scope, rule=rule, levels=1, first=first, name=name)

    def init(problem: Problem, rng: Generator) -> MeanState:
        m, n, d = problem.m, problem.n, problem.d
        pi = first_orders(first, problem, rng)
        s = aligned((1 if scope == "coordinated" else m, d))
        eps = np.ones((m, n), dtype=np.int64)
        return MeanState(pi, np.empty_like(pi), eps, s, aligned((m, d)), aligned((m, d)))

    return Ordering(
        name,
        init,
        _observe,
        _advance,
        verified=True,
        family="mean",
        coordinated=scope == "coordinated",
    )


class ExactState(NamedTuple):
    """A form with stale means, and the epoch that it is going to see."""

    pi: IntArray  # (m, n) orders in use
    inner: Any  # state of the form
    seen: FloatArray  # (n, m, d) gradients of this epoch

    @property
    def clips(self) -> IntArray | None:
        """Clips since the beginning of the run, of each sum, where the form counts them."""
        return getattr(self.inner, "clips", None)


def against_exact_mean(form: Ordering) -> Ordering:
    """Let a form with stale means see every epoch when it is over, with the epoch's own mean as `mean`."""
    observe_inner = form.observe
    assert observe_inner is not None

    def init(problem: Problem, rng: Generator) -> ExactState:
        inner = form.init(problem, rng)
        return ExactState(inner.pi, inner, np.empty((problem.n, problem.m, problem.d)))

    def observe(state: ExactState, seen: Seen) -> None:
        state.seen[seen.k0 : seen.k0 + len(seen.G)] = seen.G

    def advance(state: ExactState, rng: Generator) -> ExactState:
        inner = state.inner._replace(pi=state.pi)
        np.divide(ordered_sum(state.seen), len(state.seen), out=inner.mean)
        observe_inner(inner, Seen.along(state.pi, 0, state.seen))
        inner = form.advance(inner, rng)
        return state._replace(pi=inner.pi, inner=inner)

    return replace(form, init=init, observe=observe, advance=advance)


def d_grab(*, rule: SignRule | str = "greedy", first: ArrayLike | None = None) -> Ordering:
    """D-GraB: every worker runs GraB by itself.

    See `mean` for the recurrence and the arguments. Called ID-GraB (Bal) in the code of arXiv 2302.00845. The
    parallel herding error grows like sqrt(m), or like m where workers hold the same data in the same order.
    """
    form = mean(scope="independent", rule=rule, first=first, name="d-grab")
    look = ("#009E73", "v", (0, (3, 1, 1, 1)))
    return replace(form, family="mean", slopes="d-grab", compared=True, look=look)


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
    return replace(alone, name="grab", init=init, family="mean", slopes="grab", look=look)
