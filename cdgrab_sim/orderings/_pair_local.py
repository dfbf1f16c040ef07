"""Pair balancing for local steps: one sign for the server's sum and for the worker's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._kernels.registers import aligned
from cdgrab_sim._records import Ordering, Problem, Seen, Update
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.orderings._balance import add, inner, refuse_repeats, too_many
from cdgrab_sim.orderings._orders import first_orders
from cdgrab_sim.orderings._pair import close, observe_rows
from cdgrab_sim.orderings._registry import ORDERINGS

NAME = "cd-grab-local"


class LocalState(NamedTuple):
    """What pair balancing for rounds of local steps remembers."""

    pi: IntArray  # (m, n) orders in use
    after: IntArray  # (m, n) orders of the next epoch, filled from both ends
    s: FloatArray  # (1, d) running sum at the server
    own: FloatArray  # (m, d) running sums of the workers in this round
    shown: IntArray  # (m,) gradients of each worker seen in this epoch
    opened: FloatArray  # (m, d) first gradients of pairs that a piece of the stream leaves open


@inlined
def _give_one_sign_for_both(s, row, a, ia, b, ib, which, rule):  # type: ignore[no-untyped-def]
    """Give v = ``a[ia] - b[ib]`` the sign that both sums want, by their weights, and add it to both."""
    own, weight, steps = rule
    i, j = which
    if j % steps == 0:
        own[i, :] = 0.0
    both = inner(s, 0, a, ia, b, ib) + weight * inner(own, i, a, ia, b, ib)
    eps = 1.0 if both <= 0.0 else -1.0
    add(s, 0, eps, a, ia, b, ib)
    add(own, i, eps, a, ia, b, ib)
    return eps


@kernel(allocates=False)
def observe_for_rounds(after, s, own, opened, count, who, at, G, weight, steps):  # type: ignore[no-untyped-def]
    """Balance a piece of the stream, whoever was there; see `cd_grab_local`."""
    return observe_rows(_give_one_sign_for_both, (own, weight, steps), after, s, opened, count, who, at, G)


@ORDERINGS.register
def cd_grab_local(*, steps: int | None = None, first: ArrayLike | None = None) -> Ordering:
    r"""CD-GraB for rounds of H local steps: the server's sum and the worker's own get one sign.

    For the pairs j = 0, 1, ... of an epoch and the workers i as in `pair`, with v the difference of a pair:

    .. math::

        s_i &\leftarrow 0 \text{ where } H \text{ divides } j \\
        \epsilon &= +1 \text{ if } \bigl\langle s + \tfrac{H-1}H m \, s_i, v \bigr\rangle \le 0
            \text{ else } -1 \\
        s &\leftarrow s + \epsilon v, \qquad s_i \leftarrow s_i + \epsilon v

    Between two communications worker i drifts by its own prefix sums (L3), of which CD-GraB knows nothing.
    The sign descends the sum of both squares, :math:`|s|^2/m^2 + \frac{H-1}H \frac1m \sum_i |s_i|^2`. Pair j
    fills the slots j and n - 1 - j of the next order, so that H pairs are a round from either end, and a
    worker's sum begins anew with each. H = 1 is CD-GraB bit for bit; large H is D-GraB with pairs but for
    the server's share.

    Parameters
    ----------
    steps : int, optional
        H. None: that of the update which it runs with (its ``settings["steps"]``), 1 where there is none.
    first : int array (n,) or (m, n), optional
        The first orders; random by default.

    Examples
    --------
    >>> import cdgrab_sim as cg
    >>> how = {"epochs": 9, "step_size": 1e-3, "record": cg.Record(orders=True)}
    >>> runs = [cg.simulate("skewed", name, **how) for name in ("cd-grab", "cd-grab-local")]
    >>> bool((runs[0].orders == runs[1].orders).all())
    True
    """
    if steps is not None:
        return _for_rounds(_checks.size("steps", steps), first)

    def for_update(update: Update) -> Ordering:
        return _for_rounds(update.settings.get("steps", 1), first)

    return _for_rounds(1, first, for_update)


def _for_rounds(
    H: int | None, first: ArrayLike | None, for_update: Callable[[Update], Ordering] | None = None
) -> Ordering:
    """Return the ordering for rounds of H steps; None: of n."""

    def init(problem: Problem, rng: Generator) -> LocalState:
        m, d = problem.m, problem.d
        pi, shown = first_orders(first, problem, rng), np.zeros(m, dtype=np.int64)
        sums = aligned((1, d)), aligned((m, d)), aligned((m, d))
        return LocalState(pi, np.empty_like(pi), sums[0], sums[1], shown, sums[2])

    def observe(state: LocalState, seen: Seen) -> None:
        pi, after, s, own, shown, opened = state
        m, n = pi.shape
        steps = H or n
        weight = m * (steps - 1) / steps
        if not observe_for_rounds(after, s, own, opened, shown, *seen[1:], weight, steps):
            raise too_many(NAME, n)

    def advance(state: LocalState, rng: Generator) -> LocalState:
        refuse_repeats(NAME, close(state.after, state.pi, state.shown))
        state.s[:] = 0.0
        return LocalState(state.after, state.pi, *state[2:])

    return Ordering(
        NAME, init, observe, advance, verified=True, family="pair", coordinated=True,
        for_update=for_update, provenance="made here, after arXiv 2302.00845, read",
        look=("#7A4FBF", "p", (0, (8, 2))),
    )  # fmt: skip
