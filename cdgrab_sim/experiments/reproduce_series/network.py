"""Forecasts of a series by a network that reads its own predictions: 20 values in, 6 out, the loss SMAPE."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray, IntArray

SEEN, AHEAD = 20, 6
_SERIES, _START, _DEALT = 7, 8, 9  # fields of the DATA role, after those of the tables
_TINY = 1e-9


class Windows(NamedTuple):
    """Data of the problem: windows of values, who has which, and the first weights."""

    windows: FloatArray  # (N, 26)
    rows: IntArray  # (m, n)
    start: FloatArray  # (d,)
    hidden: IntArray  # (1,)


def series(count: int, length: int, seed: int) -> FloatArray:
    r"""Generate positive series with a yearly wave, a trend, and shocks that last.

    .. math::
        y_t = \exp\bigl( a t + b \sin(2 \pi t / 52 + \phi) + u_t \bigr), \qquad u_t = 0.8 u_{t-1} + 0.08 \xi_t

    with normal xi, a and b of their own for each series.

    Examples
    --------
    >>> series(2, 30, seed=0).shape
    (2, 30)
    """
    rng = stream(seed, Role.DATA, _SERIES)
    slope, wave = 0.002 * rng.standard_normal(count), 0.2 * rng.random(count)
    phase, shocks = 2.0 * math.pi * rng.random(count), 0.08 * rng.standard_normal((count, length))
    u = np.zeros((count, length))
    for t in range(1, length):
        u[:, t] = 0.8 * u[:, t - 1] + shocks[:, t]
    weeks = np.arange(length)
    waves = wave[:, None] * np.sin(2.0 * math.pi * weeks / 52.0 + phase[:, None])
    return np.asarray(np.exp(slope[:, None] * weeks + waves + u))


def _split(w: FloatArray, h: int) -> tuple[FloatArray, ...]:
    """Return W1, b1, W2, b2, w3, b3 of a vector of weights."""
    ends = np.cumsum([h * SEEN, h, h * h, h, h])
    W1, b1, W2, b2, w3, b3 = np.split(w, ends.tolist())
    return W1.reshape(h, SEEN), b1, W2.reshape(h, h), b2, w3, b3


def _forward(w: FloatArray, h: int, windows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Predict step by step: the sequences (R, 26) with predictions at their end, and both hidden layers."""
    W1, b1, W2, b2, w3, b3 = _split(w, h)
    values = np.concatenate([windows[:, :SEEN], np.zeros((len(windows), AHEAD))], axis=1)
    first, second = np.empty((2, len(windows), AHEAD, h))
    for k in range(AHEAD):
        first[:, k] = np.tanh(values[:, k : k + SEEN] @ W1.T + b1)
        second[:, k] = np.tanh(first[:, k] @ W2.T + b2)
        values[:, SEEN + k] = second[:, k] @ w3 + b3
    return values, first, second


def smape(predicted: FloatArray, true: FloatArray) -> FloatArray:
    r"""Return the symmetric mean absolute percentage error of each row, the mean of 2|p - y|/(|p| + |y|).

    Examples
    --------
    >>> smape(np.array([[1.0, 3.0]]), np.array([[1.0, 1.0]]))
    array([0.5])
    """
    sizes = np.abs(predicted) + np.abs(true) + _TINY
    return np.asarray(np.mean(2.0 * np.abs(predicted - true) / sizes, axis=1))


def grads(out: FloatArray, x: FloatArray, who: IntArray, idx: IntArray, data: Any) -> None:
    """Gradient of a row by back-propagation through the predictions that were read again."""
    windows, rows, start, hidden = data
    h, w = int(hidden[0]), start + x
    chosen = windows[rows[who, idx]]
    W1, _, W2, _, w3, _ = _split(w, h)
    values, first, second = _forward(w, h, chosen)
    p, y = values[:, SEEN:], chosen[:, SEEN:]
    sizes = np.abs(p) + np.abs(y) + _TINY
    back = np.zeros_like(values)
    back[:, SEEN:] = 2.0 * (np.sign(p - y) / sizes - np.abs(p - y) * np.sign(p) / sizes**2) / AHEAD
    d1, d2 = np.empty_like(first), np.empty_like(second)
    for k in reversed(range(AHEAD)):
        d2[:, k] = back[:, SEEN + k, None] * w3 * (1.0 - second[:, k] ** 2)
        d1[:, k] = (d2[:, k] @ W2) * (1.0 - first[:, k] ** 2)
        back[:, k : k + SEEN] += d1[:, k] @ W1
    inputs = np.stack([values[:, k : k + SEEN] for k in range(AHEAD)], axis=1)
    parts = (
        (d1.swapaxes(1, 2) @ inputs).reshape(len(out), -1),
        d1.sum(axis=1),
        (d2.swapaxes(1, 2) @ first).reshape(len(out), -1),
        d2.sum(axis=1),
        (back[:, None, SEEN:] @ second)[:, 0],
        back[:, SEEN:].sum(axis=1, keepdims=True),
    )
    np.concatenate(parts, axis=1, out=out)


def value(x: FloatArray, data: Any) -> float:
    """f(x), the mean SMAPE of all windows."""
    windows, rows, start, hidden = data
    chosen = windows[rows.ravel()]
    values, _, _ = _forward(start + x, int(hidden[0]), chosen)
    return float(smape(values[:, SEEN:], chosen[:, SEEN:]).mean())


def loss(x: FloatArray, i: int, j: int, data: Any) -> float:
    """f_ij(x)."""
    windows, rows, start, hidden = data
    chosen = windows[rows[i, j]][None]
    values, _, _ = _forward(start + x, int(hidden[0]), chosen)
    return float(smape(values[:, SEEN:], chosen[:, SEEN:])[0])


@lru_cache(maxsize=4)
def forecasts(m: int, n: int, hidden: int, seed: int) -> Problem:
    """Return the network 20-`hidden`-`hidden`-1 on m n windows, dealt at random; d = 5569 at 64 hidden units.

    Examples
    --------
    >>> forecasts(2, 3, 64, seed=0).d
    5569
    """
    per = 16  # windows of a series, 26 values each, 13 apart
    table = series(-(-m * n // per), 13 * (per + 1), seed)
    windows = np.concatenate([table[:, 13 * k : 13 * k + SEEN + AHEAD] for k in range(per)])
    rows = stream(seed, Role.DATA, _DEALT).permutation(len(windows))[: m * n].reshape(m, n)
    sizes = [hidden * SEEN, hidden, hidden * hidden, hidden, hidden, 1]
    start = stream(seed, Role.DATA, _START).standard_normal(sum(sizes))
    scales = (1 / math.sqrt(SEEN), 0.0, 1 / math.sqrt(hidden), 0.0, 1 / math.sqrt(hidden), 0.0)
    start *= np.repeat(scales, sizes)
    start[-1] = (
        1.0  # the level of a series: from 0 half of the forecasts would be negative, where SMAPE is flat
    )
    data = Windows(windows, rows, start, np.array([hidden]))
    return Problem("forecasts", m, n, len(start), data, grads, value, loss=loss)
