"""Mean and square of the iterates over all paths that an ordering and an update may take."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from cdgrab_sim._records import Ordering
from cdgrab_sim._types import FloatArray, IntArray
from cdgrab_sim.testing._kernel_maps import KernelMaps, Stand
from cdgrab_sim.testing._order_laws import OrderLaw
from theory import affine

MOST_PATHS = 5040
EXACT = 1e-11  # relative to the largest entry


class Claim(NamedTuple):
    """What is claimed."""

    name: str
    law: OrderLaw
    maps: KernelMaps
    alphas: Callable[[int], FloatArray]
    epochs: int

    def epoch(
        self, at: Stand, pi: IntArray, t: int, U: FloatArray, weight: FloatArray | None = None
    ) -> Iterator[tuple[FloatArray, Stand, FloatArray]]:
        """Yield map, place and gradients of each update of epoch t in the orders pi (m, n)."""
        b, (before, at) = self.maps.batch, self.maps.begin(at)
        for k, alpha in zip(range(0, pi.shape[1], b), self.alphas(t), strict=True):
            w = np.ascontiguousarray(pi.T[k : k + b])
            P, at, G = self.maps.move(at, w, float(alpha), U[k : k + b], weight)
            yield (P @ before if k == 0 else P), at, G


def same_frequencies(
    rule: Claim, ends: dict[bytes, FloatArray], x: FloatArray, cells: int, ordering: Ordering
) -> None:
    """Compare mean and square of x with those over all paths."""
    d = rule.maps.problem.d
    square, paths = _over_epochs(rule, cells)
    rows = [*range(d), -1]
    expected = square[np.ix_(rows, rows)]
    if paths == len(ends) and rule.maps.draws == 0:
        y = np.column_stack([np.array(list(ends.values())), np.ones(paths)])
        if not close(y.T @ y / paths, expected):
            raise AssertionError(
                f"ordering {ordering.name!r}: expected mean and square of x over its {paths} paths, "
                f"{expected.tolist()}; got {(y.T @ y / paths).tolist()}"
            )
    y = np.column_stack([x, np.ones(len(x))])
    products = y[:, :, None] * y[:, None, :]
    off = np.abs(products.mean(axis=0) - expected)
    error = products.std(axis=0, ddof=1) / np.sqrt(len(x)) + EXACT * np.abs(expected).max()
    most = student.isf(norm.sf(3.0) / (d * (d + 3) / 2), len(x) - 1)  # 3 for all entries together
    if (off > most * error).any():
        raise AssertionError(
            f"ordering {ordering.name!r}: expected mean and square of x of the law {rule.name!r} within 3 "
            f"standard errors; got {float((off / error).max()):.1f} over {len(x)} replicates"
        )


def _over_epochs(rule: Claim, cells: int) -> tuple[FloatArray, int]:
    """Return E[y y'] after the last epoch, and over how many paths."""
    maps = rule.maps
    n, m, draws, y = maps.problem.n, maps.problem.m, maps.draws, maps.start.y
    coins = [np.zeros((n, m, 0))]
    if draws > 0:
        middles = (np.arange(cells) + 0.5) / cells
        one = map(np.array, itertools.product(middles, repeat=m * draws))
        coins = [np.broadcast_to(u.reshape(m, draws), (n, m, draws)) for u in one]
    alphas = [[float(alpha) for alpha in rule.alphas(t)] for t in range(rule.epochs)]
    if rule.name not in affine.LAWS[:2] or maps.batch > 1:
        return _over_paths(rule, coins)
    if rule.name == "sgd":
        return _over_draws(rule, alphas, coins), n ** (n * m * rule.epochs)
    P, after = _every_map(maps, maps.start, alphas[0][0], coins)
    anew = maps.update.begin is not None or len({alpha for some in alphas for alpha in some}) > 1
    if after is None or anew or _moved(maps.start, after):
        return _over_paths(rule, coins)
    mean, square = affine.moments(rule.name, P, y[:-1], rule.epochs, coins=True)
    whole = np.block([[square, mean[:, None]], [mean[None], np.ones((1, 1))]])
    return whole, math.factorial(n) ** (m * rule.epochs)


def _over_draws(rule: Claim, alphas: list[list[float]], coins: list[FloatArray]) -> FloatArray:
    """Return E[y y'] after independent draws, step by step; counters may change the maps on the way."""
    at, y = rule.maps.start, rule.maps.start.y
    Y = np.outer(y, y)
    for some in alphas:
        before, at = rule.maps.begin(at)
        Y = before @ Y @ before.T
        for alpha in some:
            P, after = _every_map(rule.maps, at, alpha, coins)
            if after is None:
                raise ValueError(
                    "expected counters that no example decides, for a law of draws; take law='rr'"
                )
            one = P.reshape(1, -1, *P.shape[-2:])
            at, Y = after, affine.epoch_square("sgd", one, Y, coins=True)
    return Y


def _every_map(
    maps: KernelMaps, at: Stand, alpha: float, coins: list[FloatArray]
) -> tuple[FloatArray, Stand | None]:
    """Return the maps (n, ..., n, coins, D + 1, D + 1) at a place, and what follows if it is the same."""
    shape = [maps.problem.n] * maps.problem.m
    each = [[maps.move(at, np.array([w]), alpha, u[:1])[:2] for u in coins] for w in np.ndindex(*shape)]
    P = np.array([[one for one, _ in row] for row in each])
    after = each[0][0][1]
    differs = any(_moved(after, other) for row in each for _, other in row)
    return P.reshape(*shape, *P.shape[1:]), None if differs else after


def _moved(a: Stand, b: Stand) -> bool:
    """Tell whether counters or numbers differ."""
    return not (np.array_equal(a.c, b.c) and np.array_equal(a.p, b.p))


def _over_paths(rule: Claim, coins: list[FloatArray]) -> tuple[FloatArray, int]:
    """Return E[y y'] as the mean over all paths, one by one, and over coins at every update of each."""
    maps = rule.maps
    y = maps.start.y
    paths: list[tuple[Stand, FloatArray, IntArray, Any]]
    paths = [(maps.start, np.outer(y, y), pi, None) for pi in _few(rule.law.first(maps.problem))]
    for t in range(rule.epochs):
        after = []
        for at, Y, pi, memory in paths:
            several = [list(rule.epoch(at, pi, t, u)) for u in coins]
            for steps in zip(*several, strict=True):
                Y = np.mean([P @ Y @ P.T for P, _, _ in steps], axis=0)
            end, G = several[0][-1][1], np.concatenate([g for _, _, g in several[0]])
            follow = [(pi, memory)] if t == rule.epochs - 1 else rule.law.after(pi, G, memory)
            anew = ((pi, None) for pi in rule.law.first(maps.problem))
            after += [(end, Y, new, kept) for new, kept in _few(anew if follow is None else follow)]
            _few(after)
        paths = after
    return np.mean([Y for _, Y, _, _ in paths], axis=0), len(paths)


def _few(paths: Any) -> list[Any]:
    rows = list(itertools.islice(paths, MOST_PATHS + 1))
    if len(rows) > MOST_PATHS:
        raise ValueError(
            f"expected at most {MOST_PATHS} paths; got more; take smaller n, m or epochs, or a law "
            "whose moments follow without paths"
        )
    return rows


def close(a: FloatArray, b: FloatArray) -> bool:
    scale = max(float(np.abs(a).max()), float(np.abs(b).max()))
    return bool(np.abs(a - b).max() <= EXACT * scale)
