"""The orders that orderings find for vectors that do not move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks, orderings
from cdgrab_sim._kernels.prefix import NORMS, LargestPrefix
from cdgrab_sim._records import Ordering, Seen
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.herding._vectors import as_table, vectors
from cdgrab_sim.orderings._states import orders_of, states
from cdgrab_sim.problems._linear_terms import example_sums
from cdgrab_sim.synchronous._engine import Engine, observer


def order(
    z: ArrayLike, ordering: Ordering | str, rounds: int = 1, first: ArrayLike | None = None, seed: int = 0
) -> IntArray:
    """Return the order that an ordering reaches after some rounds over vectors that do not move.

    The vectors are balanced as given, except that an ordering with stale means, which shows them in its
    state as ``mean`` (m, d), gets each worker's exact mean in every round. As in a run, no unit is chosen for
    them: inner products of vectors shorter than 1e-154 vanish, and then every sign is +1; entries whose
    products might leave the machine, from about 1e150 on, are refused.

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
    ordering : Ordering or str
    rounds : int
        Epochs that the ordering observes; 0 returns the first order.
    first : int array (n,) or (m, n), optional
        The first order; by default the one that `simulate` starts from with this seed.
    seed : int

    Returns
    -------
    int array (n,) or (m, n)

    Examples
    --------
    >>> order([[1.0], [1.0], [-1.0], [-1.0]], "grab", first=[0, 1, 2, 3])
    array([0, 2, 3, 1])
    """
    rounds = _checks.integer("rounds", rounds, low=0)
    standing = _Standing(z, ordering, first, seed)
    for _ in range(rounds):
        standing.show(next(standing.states))
    pi = np.array(next(standing.states).pi)
    return pi[0] if np.ndim(z) == 2 else pi


class Settled(NamedTuple):
    """Where repeated reordering came to.

    Attributes
    ----------
    pi : int array (n,) or (m, n)
        The last order.
    rounds : int
        How many rounds led to it.
    period : int
        Rounds since it was seen before: 1 for a fixed point, 0 if it never was.
    """

    pi: IntArray
    rounds: int
    period: int


def settle(
    z: ArrayLike, ordering: Ordering | str, most: int = 1000, first: ArrayLike | None = None, seed: int = 0
) -> Settled:
    """Reorder again and again until an order comes back, or `most` rounds are over.

    There are finitely many orders, so an ordering that draws nothing comes to a fixed point or goes round a
    cycle in the end. Pair balancing has no fixed point for n > 2: the second example goes to the back or to
    the front.

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
    ordering : Ordering or str
    most : int
    first : int array (n,) or (m, n), optional
    seed : int

    Returns
    -------
    Settled
        ``pi``, ``rounds`` and ``period``.

    Examples
    --------
    >>> settle([[1.0], [1.0], [-1.0], [-1.0]], "grab", first=[0, 1, 2, 3])
    Settled(pi=array([0, 2, 3, 1]), rounds=2, period=1)
    """
    most = _checks.integer("most", most, low=0)
    standing = _Standing(z, ordering, first, seed)
    seen: dict[bytes, int] = {}
    rounds, period = 0, 0
    while True:
        state = next(standing.states)
        pi = np.array(state.pi)
        period = rounds - seen.setdefault(pi.tobytes(), rounds)
        if period or rounds == most:
            return Settled(pi[0] if np.ndim(z) == 2 else pi, rounds, period)
        standing.show(state)
        rounds += 1


def curve(
    z: ArrayLike,
    ordering: Ordering | str,
    rounds: int,
    first: ArrayLike | None = None,
    seed: int = 0,
    norm: str = "inf",
) -> FloatArray:
    """Return the herding errors of the first order and of those after 1, ..., `rounds` rounds.

    Entry t is ``error(z, order(z, ordering, t, first, seed), norm)``, all from one pass.

    Parameters
    ----------
    z : array (n, d) or (m, n, d)
    ordering : Ordering or str
    rounds : int
    first : int array (n,) or (m, n), optional
    seed : int
    norm : {"inf", "l2"}

    Returns
    -------
    array (rounds + 1,)

    Examples
    --------
    >>> curve([[1.0], [1.0], [-1.0], [-1.0]], "grab", 2, first=[0, 1, 2, 3])
    array([2., 1., 1.])
    """
    rounds, norm = _checks.integer("rounds", rounds, low=0), _checks.choice("norm", norm, NORMS)
    standing = _Standing(z, ordering, first, seed)
    errors = np.empty(rounds + 1)
    for t in range(rounds + 1):
        largest = LargestPrefix(standing.problem.d)
        standing.show(next(standing.states), largest)
        errors[t] = largest.norm(norm)
    return errors


class _Standing:
    """An ordering at work on vectors that do not move, through the engine of `simulate`."""

    def __init__(self, z: ArrayLike, ordering: Ordering | str, first: ArrayLike | None, seed: int) -> None:
        table = as_table(z)
        _checks.summable("z", table)
        self.problem, self.ordering = vectors(table), orderings.make(ordering)
        m, n = self.problem.m, self.problem.n
        rows = None if first is None else _checks.orders("first", first, m, n)
        seed = _checks.integer("seed", seed, low=0)
        self.states = self._centred(states(self.ordering, self.problem, seed, first=rows))
        self._engine = Engine(self.problem)

    def _centred(self, coming: Iterator[Any]) -> Iterator[Any]:
        exact: FloatArray | None = None
        for state in coming:
            mean = getattr(state, "mean", None)
            if isinstance(mean, np.ndarray):
                exact = example_sums(self.problem.data.z) / self.problem.n if exact is None else exact
                mean[:] = exact
            yield state

    def show(self, state: Any, largest: LargestPrefix | None = None) -> None:
        """Show one epoch to the ordering, and chunk by chunk to `largest` before it."""
        observe = observer(self.ordering, state)

        def see(seen: Seen) -> None:
            if largest is not None:
                largest.see(seen.G)
            if observe is not None:
                observe(seen)

        if largest is not None or observe is not None:
            self._engine.stand_still(np.zeros(self.problem.d), orders_of(self.ordering, state), see)
