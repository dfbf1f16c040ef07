"""The audit: every fault that is looked for, each at its share of the error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim import _checks
from cdgrab_sim._types import IntArray
from cdgrab_sim.audit._buffer import Buffer
from cdgrab_sim.audit._epochs import Epoch, checked, epochs, places_of
from cdgrab_sim.audit._finding import Audit, Finding
from cdgrab_sim.audit._likeness import Alike, Before, Period, Trend, ranks_of
from cdgrab_sim.audit._seeds import Seeds
from cdgrab_sim.audit._showings import Showings


def examine(
    orders: ArrayLike,
    *,
    examples: int | None = None,
    columns: Any = None,
    local: bool = False,
    error: float = 0.01,
    known: Sequence[str] = (),
) -> Audit:
    r"""Look for faults in the orders that a data loader gave.

    A loader without faults shows every example once in an epoch, and given which examples a rank shows, their
    order is uniformly random and independent of all other orders. Some faults are counted. For the others
    there is a proved bound p on the probability that such a loader shows as much, for any n, T and m; a fault
    is found where p is at most `error` divided by their number.

    Parameters
    ----------
    orders : int array (T, N) or (T, m, n)
        Numbers of examples as they came, for one rank or for m; -1 fills the ends of shorter rows.
    examples : int, optional
        How many there are; by default one more than the largest number. With `local`, on each rank.
    columns : mapping of name to array (examples,), optional
        What orders must not follow, such as labels or lengths; words do as well as numbers.
    local : bool
        Every rank numbers the examples of its own from 0.
    error : float
        Bound on the probability that a loader without faults is accused of any.
    known : sequence of str
        Faults that are meant, such as "examples dropped".

    Returns
    -------
    Audit
        ``print(audit)`` shows its table; ``audit.faults`` names what was found.

    Raises
    ------
    ValueError, TypeError
        For what is no table of example numbers, before anything is looked at.

    Notes
    -----
    The bounds: for equal orders, u! arrangements; for buffers, an exact law; for all that orders follow, what
    a gambler at fair odds can own, see `cdgrab_sim.audit._bets`. Decision 25 says what each fault is.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> good = [rng.permutation(64) for _ in range(8)]
    >>> examine(good).faults
    []
    >>> examine([good[0]] * 8).faults
    ['the same order in several epochs']
    """
    local = _checks.flag("local", local)
    table, count = checked(orders, examples, local)
    level = _checks.real("error", error, above=0.0)
    if level >= 1.0:
        raise ValueError(f"error: expected a probability below 1; got {level:g}")
    values = {name: _column(name, one, count) for name, one in _named(columns).items()}
    families = _Families(count, table.shape, values)
    every = families.findings()
    share = log(level / sum(one.log_p is not None for one in every))
    names = [one.fault for one in every]
    meant = {_checks.choice("entry of known", name, names) for name in _checks.listed("known", known)}
    for t, epoch in enumerate(epochs(table, local)):
        families.count(t, epoch)
    families.between(share)
    for t, epoch in enumerate(epochs(table, local)):
        families.bet(t, epoch)
    return Audit(_judged(families.findings(), share, meant), level)


def _named(columns: Any) -> dict[str, Any]:
    return {} if columns is None else _checks.mapping("columns", columns)


def _column(name: str, values: Any, count: int) -> IntArray:
    column = _checks.array(f"columns[{name!r}]", values)
    if column.shape != (count,) or column.dtype.kind not in "biufSU":
        raise ValueError(
            f"columns[{name!r}]: expected numbers or words of shape ({count},), one for each example; "
            f"got {column.dtype} {column.shape}"
        )
    if column.dtype.kind == "f":
        _checks.finite(f"columns[{name!r}]", column)
    return ranks_of(column)


def _judged(findings: list[Finding], share: float, known: set[str]) -> list[Finding]:
    judged = []
    for one in findings:
        present = one.present if one.log_p is None else one.log_p <= share
        word = "not seen" if not present else "known" if one.fault in known else "fault"
        judged.append(replace(one, present=present, verdict=word))
    return judged


class _Families:
    """All kinds of faults, in two passes: what is shown and which orders are equal, then what orders follow.

    Where orders are found to be equal, the second pass looks at each of them once: what one order has by
    chance would count as often as it comes. No accusation is added where there was none.
    """

    def __init__(self, count: int, shape: tuple[int, ...], columns: dict[str, IntArray]) -> None:
        T, m, n = shape
        self._showings, self._seeds, self._buffer = Showings(count), Seeds(), Buffer()
        self._lengths = np.zeros((T, m), dtype=np.int64)  # without padding
        self._data = Trend("sorted as the data"), Alike("blocks of the data", n), Period()
        self._before = Before(count, n)
        self._columns: list[tuple[IntArray, Trend, Alike]] = [
            (values, Trend(f"sorted by {name}"), Alike(f"neighbours alike in {name}", n))
            for name, values in columns.items()
        ]

    def count(self, t: int, epoch: Epoch) -> None:
        """Look at one epoch for the first time."""
        rows, lengths = self._showings.look(epoch)
        self._lengths[t] = lengths
        found = [places_of(row[:n]) for row, n in zip(rows, lengths, strict=True)]
        places = [place for place, _ in found]
        self._seeds.look(places, [distinct for _, distinct in found])
        self._buffer.look(places)

    def between(self, share: float) -> None:
        """Decide which orders to look at once more, if equal ones are found at the level exp(share)."""
        if any(one.log_p is not None and one.log_p <= share for one in self._seeds.findings()):
            self._lengths[~self._seeds.fresh()] = 0
            self._buffer.keep(self._seeds.fresh())

    def bet(self, t: int, epoch: Epoch) -> None:
        """Look at one epoch for the second time."""
        rows, lengths = epoch.rows, self._lengths[t]
        for one in self._data:
            one.look(rows, lengths)
        self._before.look(Epoch(rows, lengths))
        for column, trend, alike in self._columns:
            values = column[rows]
            trend.look(values, lengths)
            alike.look(values, lengths)

    def findings(self) -> list[Finding]:
        """Return all findings."""
        own = [bet for _, trend, alike in self._columns for bet in (trend, alike)]
        every: list[Any] = [self._showings, self._seeds, self._buffer, *self._data, self._before, *own]
        return [found for one in every for found in one.findings()]
