"""Orders that follow something: the data, a column of it, the epoch before, or a period."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cdgrab_sim._types import IntArray
from cdgrab_sim.audit._bets import bet_on_likeness, bet_on_periods, bet_on_trend, log_mean
from cdgrab_sim.audit._epochs import Epoch
from cdgrab_sim.audit._finding import Finding

_ODDS = np.array([0.25, 2.0, 8.0, 64.0])
_STAKES = np.outer([1.0, -1.0], 0.9 * 0.5 ** np.arange(7)).ravel()
_LAGS, _PERIODIC = 15, np.array([3.0, 16.0])  # 2, ..., 16


def ranks_of(column: ArrayLike) -> IntArray:
    """Return whole numbers in the order of a column, equal where it is: how many are less, plus at most.

    Examples
    --------
    >>> ranks_of([0.5, 7.0, 0.5]).tolist()
    [2, 5, 2]
    """
    values = np.asarray(column)
    ordered = np.sort(values)
    less, most = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray(less + most, dtype=np.int64)


class Trend:
    """Bets that one kind of value comes first."""

    def __init__(self, fault: str) -> None:
        self._fault, self._log_wealth = fault, np.zeros(len(_STAKES))

    def look(self, values: IntArray, lengths: IntArray) -> None:
        """Bet on the values (m, n) of an epoch."""
        bet_on_trend(self._log_wealth, _STAKES, values, lengths)

    def findings(self) -> list[Finding]:
        """Return what the bets own."""
        best = _STAKES[np.argmax(self._log_wealth)]
        seen = "large ones come first" if best > 0 else "small ones come first"
        return [_won(self._fault, log_mean(self._log_wealth), seen)]


class Alike:
    """Bets that neighbours in an order are neighbours in value, or that they are not."""

    def __init__(self, fault: str, longest: int) -> None:
        scales = max(1, (longest.bit_length() - 1) // 2)  # to pairs
        self._fault, self._log_wealth = fault, np.zeros((scales, len(_ODDS)))

    def look(self, values: IntArray, lengths: IntArray) -> None:
        """Bet on the values (m, n) of an epoch."""
        bet_on_likeness(self._log_wealth, _ODDS, values, lengths)

    def findings(self) -> list[Finding]:
        """Return what the bets own."""
        scale, odds = np.unravel_index(np.argmax(self._log_wealth), self._log_wealth.shape)
        together = "come together" if odds > 0 else "avoid each other"
        seen = f"those in the same of {2 ** (2 * int(scale) + 1)} ranges {together}"
        return [_won(self._fault, log_mean(self._log_wealth), seen)]


class Period:
    """Bets that examples return to where they were some steps before."""

    def __init__(self) -> None:
        self._log_wealth = np.zeros((2, _LAGS, len(_PERIODIC)))

    def look(self, values: IntArray, lengths: IntArray) -> None:
        """Bet on the examples (m, n) of an epoch."""
        bet_on_periods(self._log_wealth, _PERIODIC, values, lengths)

    def findings(self) -> list[Finding]:
        """Return what the bets own."""
        _, lag, _ = np.unravel_index(np.argmax(self._log_wealth), self._log_wealth.shape)
        return [_won("a period in the order", log_mean(self._log_wealth), f"every {int(lag) + 2} steps")]


class Before:
    """Bets on the places that examples had in the epoch before."""

    def __init__(self, examples: int, longest: int) -> None:
        self._places = np.zeros(0, dtype=np.int64)
        self._examples = examples
        self._bets = (Trend(""), Alike("", longest))

    def look(self, epoch: Epoch) -> None:
        """Bet on an epoch, and remember it."""
        rows, lengths = epoch.rows, epoch.lengths
        n = rows.shape[1]
        if len(self._places):
            values = self._places[rows]
            for bet in self._bets:
                bet.look(values, lengths)
        else:
            self._places = np.empty(self._examples, dtype=np.int64)
        self._places[:] = n // 2  # of what was not shown
        for row, end in zip(rows, lengths, strict=True):
            self._places[row[:end]] = np.arange(end)

    def findings(self) -> list[Finding]:
        """Return what the bets own, each with half of the money."""
        (trend,), (alike,) = (bet.findings() for bet in self._bets)
        own = np.logaddexp(-trend.log_p, -alike.log_p) - np.log(2.0)  # type: ignore[operator]
        seen = "early ones come first again" if trend.log_p <= alike.log_p else "neighbours stay together"  # type: ignore[operator]
        return [_won("orders that follow the epoch before", float(own), seen)]


def _won(fault: str, log_wealth: float, seen: str) -> Finding:
    """Return the finding of a bet; see `_bets` on why its wealth bounds the probability."""
    log_p = min(0.0, -log_wealth)
    return Finding(fault, seen if log_p < np.log(0.05) else "none", log_p)
