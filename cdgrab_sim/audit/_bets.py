r"""Bets that a random order does not let anybody win.

Given what came before, the next example of a random order is any of those left. So a bet on it has known
odds, and whoever pays a fair price owns

.. math:: M_k = M_{k-1} \frac{f(x_k)}{E[f(x) \mid x_1, \dots, x_{k-1}]}, \qquad M_0 = 1,

with mean 1 for every f >= 0 that is chosen by looking at the past only. By Markov's inequality P(M_n >= 1/p)
<= p, with no limit theorem in it. Independent orders multiply, also those of examples that come twice, and
the mean of several bets is one more. See Ramdas et al., arXiv 2210.01948, on testing by betting (recalled).
"""

from __future__ import annotations

import numpy as np

from cdgrab_sim._kernels.jit import inlined, kernel
from cdgrab_sim._types import FloatArray, IntArray

_FOLD = 16  # products of so many factors neither overflow nor vanish


@inlined
def _fold(log_wealth: FloatArray, wealth: FloatArray) -> None:
    for j in range(len(wealth)):
        log_wealth[j] += np.log(wealth[j])
        wealth[j] = 1.0


@inlined
def _wager(
    log_wealth: FloatArray, wealth: FloatArray, odds: FloatArray, kinds: IntArray, left: IntArray, lag: int
) -> None:
    """Bet at every step that the example is of the same kind as that `lag` steps before."""
    n = len(kinds)
    for k in range(len(left)):
        left[k] = 0
    for k in range(n):
        left[kinds[k]] += 1
    for k in range(n):
        if k >= lag:
            kind = kinds[k - lag]
            share = left[kind] / (n - k)
            alike = kinds[k] == kind
            for j in range(len(odds)):
                wealth[j] *= (odds[j] if alike else 1.0) / (1.0 + share * (odds[j] - 1.0))
            if k % _FOLD == 0:
                _fold(log_wealth, wealth)
        left[kinds[k]] -= 1
    _fold(log_wealth, wealth)


@inlined
def _bits(values: IntArray) -> tuple[int, int]:
    """Return the least value and how many bits the others take beside it."""
    low, high = values[0], values[0]
    for k in range(len(values)):
        low, high = min(low, values[k]), max(high, values[k])
    bits = 0
    while (high - low) >> bits > 0:
        bits += 1
    return low, bits


@kernel
def bet_on_likeness(log_wealth: FloatArray, odds: FloatArray, values: IntArray, lengths: IntArray) -> None:
    """Bet that neighbours in an order are neighbours in value.

    Parameters
    ----------
    log_wealth : array (scales, odds)
        On scale s values fall into 2^(2s+1) kinds or fewer, as they share their first bits.
    odds : array (odds,)
    values : int array (rows, n)
    lengths : int array (rows,)
    """
    wealth = np.ones(len(odds))
    kinds, left = np.empty(values.shape[1], np.int64), np.empty(2 * values.shape[1] + 2, np.int64)
    for i in range(len(values)):
        n = lengths[i]
        if n > 1:
            row = values[i, :n]
            low, bits = _bits(row)
            for s in range(len(log_wealth)):
                first = 2 * s + 1
                if first <= bits and (1 << first) <= n:
                    for k in range(n):
                        kinds[k] = (row[k] - low) >> (bits - first)
                    _wager(log_wealth[s], wealth, odds, kinds[:n], left[: 1 << first], 1)


@kernel
def bet_on_periods(log_wealth: FloatArray, odds: FloatArray, values: IntArray, lengths: IntArray) -> None:
    """Bet that an example has the value that came some steps before, nearly or up to a multiple of the lag.

    Parameters
    ----------
    log_wealth : array (2, lags, odds)
        Lags are 2, 3, ...; first values in 16 ranges or fewer, then remainders.
    odds : array (odds,)
    values : int array (rows, n)
    lengths : int array (rows,)
    """
    wealth = np.ones(len(odds))
    lags = log_wealth.shape[1]
    kinds, left = np.empty(values.shape[1], np.int64), np.empty(16 + lags, np.int64)
    for i in range(len(values)):
        n = lengths[i]
        if n > 1:
            row = values[i, :n]
            low, bits = _bits(row)
            for k in range(n):
                kinds[k] = (row[k] - low) >> max(0, bits - 4)
            for p in range(lags):
                _wager(log_wealth[0, p], wealth, odds, kinds[:n], left[:16], p + 2)
            for p in range(lags):
                for k in range(n):
                    kinds[k] = row[k] % (p + 2)
                _wager(log_wealth[1, p], wealth, odds, kinds[:n], left[: p + 2], p + 2)


@kernel
def bet_on_trend(log_wealth: FloatArray, stakes: FloatArray, values: IntArray, lengths: IntArray) -> None:
    """Bet that values lie above the mean of those left, or below it; less so towards the end of an order.

    Parameters
    ----------
    log_wealth : array (stakes,)
    stakes : array (stakes,)
        Between -1 and 1, not included.
    values : int array (rows, n)
    lengths : int array (rows,)
    """
    wealth = np.ones(len(stakes))
    for i in range(len(values)):
        n = lengths[i]
        total, low, high = 0, values[i, 0], values[i, 0]
        for k in range(n):
            total += values[i, k]
            low, high = min(low, values[i, k]), max(high, values[i, k])
        for k in range(n if high > low else 0):
            x = (values[i, k] - total / (n - k)) / (high - low) * ((n - k) / n)
            total -= values[i, k]
            for j in range(len(stakes)):
                wealth[j] *= 1.0 + stakes[j] * x
            if k % _FOLD == 0:
                _fold(log_wealth, wealth)
        _fold(log_wealth, wealth)


def log_mean(log_wealth: FloatArray) -> float:
    """Return the logarithm of the mean of what several bets own.

    Examples
    --------
    >>> round(float(np.exp(log_mean(np.log([1.0, 3.0])))), 12)
    2.0
    """
    return float(np.logaddexp.reduce(log_wealth.ravel()) - np.log(log_wealth.size))
