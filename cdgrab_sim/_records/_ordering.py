"""Ordering: who comes when; and Seen, what an ordering is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from cdgrab_sim import _checks
from cdgrab_sim._records._problem import Problem
from cdgrab_sim._records._update import Update
from cdgrab_sim._types import FloatArray, IntArray


class Seen(NamedTuple):
    """A piece of the stream: which workers were there, which examples they visited, and the gradients.

    Attributes
    ----------
    k0 : int
        Step of the epoch at which the piece begins.
    who : int array (w,)
        The workers that were there, in ascending order. Absent ones have no rows.
    at : int array (steps, w)
        ``at[r, c]`` is the example that worker ``who[c]`` visited at step ``k0 + r``.
    G : array (steps, w, d)
        Its raw gradient where it was computed.
    """

    k0: int
    who: IntArray
    at: IntArray
    G: FloatArray

    @classmethod
    def along(cls, pi: IntArray, k0: int, G: FloatArray) -> Seen:
        """Return the piece G (steps, m, d) of an epoch in which all workers follow `pi` (m, n).

        Examples
        --------
        >>> Seen.along(np.array([[2, 0, 1], [0, 1, 2]]), 1, np.zeros((2, 2, 3))).at
        array([[0, 1],
               [1, 2]])
        """
        at = np.ascontiguousarray(pi[:, k0 : k0 + len(G)].T)
        return cls(k0, np.arange(len(pi)), at, G)


FAMILIES = ("drawn", "fixed", "mean", "pair", "ideal", "user")


@dataclass(frozen=True, eq=False)
class Ordering:
    """How the order of epoch t + 1 follows from the gradients of epoch t.

    Parameters
    ----------
    name : str
    init : callable
        ``init(problem, rng) -> state`` with the first orders in ``state.pi``, an int64 array (m, n): worker i
        visits example ``pi[i, k]`` at step k.
    observe : callable or None
        ``observe(state, seen)`` is shown the epoch piece by piece, as `Seen`, and updates the arrays of
        `state` in place; what it writes into ``pi`` counts from the next epoch on. The arrays of `seen` are
        buffers that are used again: copy what must outlive the call. None: the ordering looks at nothing.
    advance : callable
        ``advance(state, rng) -> state`` at the end of an epoch returns the state of the next one.
        Draws happen here and in `init` only.
    replacement : bool
        Orders may repeat examples. Otherwise each row of ``state.pi`` must be a permutation.
    verified : bool
        The orders are right by construction (tests prove it for the built-in orderings) and stay as they are
        while they are followed, so that `simulate` need neither look at them nor copy them.
    family : {"drawn", "fixed", "mean", "pair", "ideal", "user"}
        Where orders come from: drawn anew, kept, or one of the ways to balance.
    coordinated : bool
        All workers balance one running sum; otherwise each looks at its own gradients at most.
    slopes : str, optional
        The ordering in :mod:`theory.slopes` whose exponents predict this one's. None: nothing is predicted.
    compared : bool
        Stands in the comparisons of `cdgrab speedup`, `herding`, `rates` and `cost`.
    for_update : callable, optional
        ``for_update(update)`` returns the ordering for the update that it will run with, where it matters.
    provenance : str
        Where the rule comes from, "read" or "recalled", and what is "proved here"; for `cdgrab list`.
    look : tuple, optional
        Colour, marker and dashes in figures, as matplotlib takes them. None: some that its name decides.

    Raises
    ------
    ValueError
        For an unknown family, or a look of other than three parts.
    TypeError
        For an `init`, `observe` or `advance` that cannot be called, or an `observe` with other arguments.

    Notes
    -----
    A state has ``pi``. It may show more, under these names: ``s`` (d,) or (rows, d), its running signed sums,
    for records of the balance; ``weight`` (m, n), what the gradient of each example is multiplied with in the
    update, 1 by default (orderings see raw gradients); ``mean`` (m, d), the stale means that it balances
    against, which the array functions replace by exact ones; ``clips``, numbers of clips up to now, for
    ``Run.clips``. :func:`cdgrab_sim.testing.check_ordering` holds an ordering of your own to all this.

    Examples
    --------
    Reverse the order every epoch:

    >>> from typing import NamedTuple
    >>> class State(NamedTuple):
    ...     pi: np.ndarray
    >>> def init(problem, rng):
    ...     return State(np.tile(np.arange(problem.n), (problem.m, 1)))
    >>> there_and_back = Ordering("there and back", init, None, lambda state, rng: State(state.pi[:, ::-1]))
    >>> import cdgrab_sim as cg
    >>> problem = cg.problems.quadratic(m=1, n=4, d=1)
    >>> run = cg.simulate(problem, there_and_back, epochs=2, step_size=0.1, record=cg.Record(orders=True))
    >>> run.orders[0, :, 0].tolist()
    [[0, 1, 2, 3], [3, 2, 1, 0]]
    """

    name: str
    init: Callable[[Problem, Generator], Any] = field(repr=False)
    observe: Callable[[Any, Seen], None] | None = field(repr=False)
    advance: Callable[[Any, Generator], Any] = field(repr=False)
    replacement: bool = False
    verified: bool = False
    family: str = "user"
    coordinated: bool = False
    slopes: str | None = None
    compared: bool = False
    for_update: Callable[[Update], Ordering] | None = field(default=None, repr=False)
    provenance: str = field(default="user", kw_only=True)
    look: tuple[str, str, Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _checks.text("name", self.name))
        object.__setattr__(self, "provenance", _checks.text("provenance", self.provenance))
        _checks.choice("family", self.family, FAMILIES)
        for flag in ("replacement", "verified", "coordinated", "compared"):
            object.__setattr__(self, flag, _checks.flag(flag, getattr(self, flag)))
        if self.slopes is not None:
            _checks.text("slopes", self.slopes)
        if self.look is not None and not (isinstance(self.look, tuple | list) and len(self.look) == 3):
            raise ValueError(f"look: expected a colour, a marker and dashes; got {_checks.brief(self.look)}")
        for name in ("init", "advance") if self.observe is None else ("init", "observe", "advance"):
            _checks.function(f"ordering {self.name!r}: {name}", getattr(self, name))
        where = f"ordering {self.name!r}:"
        _checks.takes(f"{where} init", self.init, "problem", "rng")
        _checks.takes(f"{where} advance", self.advance, "state", "rng")
        if self.for_update is not None:
            _checks.function(f"{where} for_update", self.for_update)
            _checks.takes(f"{where} for_update", self.for_update, "update")
        if self.observe is not None:
            _checks.takes(
                f"{where} observe", self.observe, "state", "seen",
                hint="find k0 and G, and also who and at, in `seen`",
            )  # fmt: skip
