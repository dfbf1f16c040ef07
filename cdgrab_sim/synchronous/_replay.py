"""replay: run an ordering over gradients that were recorded elsewhere."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks, orderings
from cdgrab_sim._records import Ordering, Problem, Seen
from cdgrab_sim._types import IntArray
from cdgrab_sim.orderings._states import states


class Replay(NamedTuple):
    """What an ordering decided on recorded gradients.

    Attributes
    ----------
    orders : int array (T, m, n)
        The orders used in epochs 0, ..., T - 1.
    next : int array (m, n)
        The order of epoch T.
    """

    orders: IntArray
    next: IntArray


def replay(G: ArrayLike, ordering: Ordering | str, *, seed: int = 0) -> Replay:
    """Run an ordering over recorded gradients.

    For t = 0, ..., T - 1 the ordering sees G[t] as the stream of epoch t and decides the orders of epoch
    t + 1. With the gradients of a run of `simulate` and its seed, the orders are those of the run.

    Parameters
    ----------
    G : array (T, n, m, d)
        G[t, k, i] is the raw gradient that worker i computed at step k of epoch t: steps before workers, in
        the order in which they were visited. May be read-only, or a memory map of float64 in C order, of
        which one epoch is copied at a time.
    ordering : Ordering or str
    seed : int
        Of the first orders, and of what the ordering draws later.

    Returns
    -------
    Replay
        ``orders`` (T, m, n) and ``next`` (m, n), local indices.

    Raises
    ------
    ValueError
        For a tensor that is not finite or has another number of axes; for an ordering that asks for
        gradients which were not recorded.

    Examples
    --------
    Two epochs of one worker with four scalar gradients, whose signs turn out as +, -, -, +:

    >>> G = np.array([1.0, 1.0, -1.0, -1.0]).reshape(1, 4, 1, 1)
    >>> orders, following = replay(G, orderings.d_grab(first=[0, 1, 2, 3]))
    >>> following
    array([[0, 2, 3, 1]])
    """
    ordering = orderings.make(ordering)
    seed = _checks.integer("seed", seed, low=0)
    recorded = _checks.floats("G", G, 4)
    _checks.summable("G", recorded)
    T, n, m, d = recorded.shape
    problem = Problem("recorded gradients", m=m, n=n, d=d, data=(), grads=_unknown, value=_unknown)
    orders = np.empty((T, m, n), dtype=np.int64)
    epoch = np.empty((n, m, d))  # one writable buffer: kernels compile once, whatever the caller's array is
    coming = states(ordering, problem, seed)
    for t in range(T):
        state = next(coming)
        orders[t] = state.pi
        if ordering.observe is not None:
            epoch[:] = recorded[t]
            ordering.observe(state, Seen.along(state.pi, 0, epoch))
    return Replay(orders, np.array(next(coming).pi))


def _unknown(*_: Any) -> NoReturn:
    raise ValueError("replay: only the recorded gradients are known; use simulate for this ordering")
