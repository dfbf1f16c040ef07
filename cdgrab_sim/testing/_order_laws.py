"""The laws of orders that are known by name, written from the papers in plain steps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from cdgrab_sim._records import Problem
from cdgrab_sim._types import FloatArray, IntArray

After = Callable[[IntArray, FloatArray, Any], Iterable[tuple[IntArray, Any]] | None]
Follow = Callable[[IntArray, FloatArray, Any], tuple[IntArray, Any]]
Signs = Callable[[int, int], Callable[[int, int, FloatArray], bool]]  # (m, d) -> (pair, worker, v) -> plus


class OrderLaw(NamedTuple):
    """What the orders of an epoch may be, all equally likely, given those before and the gradients."""

    first: Callable[[Problem], Iterable[IntArray]]
    after: After  # (pi (m, n), gradients (n, m, d), memory) -> orders and memory; None: as at first
    looks: bool = False  # at the gradients


def permutations(m: int, n: int) -> Iterator[IntArray]:
    """Yield every order of m workers."""
    return map(np.array, itertools.product(itertools.permutations(range(n)), repeat=m))


def draws(m: int, n: int) -> Iterator[IntArray]:
    """Yield all n draws of m workers."""
    return map(np.array, itertools.product(itertools.product(range(n), repeat=n), repeat=m))


def following(follow: Follow) -> OrderLaw:
    """Return the law of an ordering whose first orders are random and decide, with gradients, all others."""
    return OrderLaw(lambda p: permutations(p.m, p.n), lambda pi, G, old: [follow(pi, G, old)], looks=True)


def _keep(pi: IntArray, G: FloatArray, memory: Any) -> Iterable[tuple[IntArray, Any]]:
    return [(pi, memory)]


def _fresh(every: Callable[[int, int], Iterator[IntArray]]) -> OrderLaw:
    return OrderLaw(lambda p: every(p.m, p.n), lambda pi, G, memory: None)


def _there_and_back(pi: IntArray, G: FloatArray, back: Any) -> Iterable[tuple[IntArray, Any]] | None:
    return None if back else [(pi[:, ::-1], True)]


def pairs(signs: Signs) -> Follow:
    """Arxiv 2302.00845, Algorithm 2: signs of pair differences, pair by pair and worker by worker."""

    def follow(pi: IntArray, G: FloatArray, memory: Any) -> tuple[IntArray, Any]:
        n, m, d = G.shape
        sign, halves = signs(m, d), [([], []) for _ in range(m)]  # type: ignore[var-annotated]
        for k, i in itertools.product(range(1, n, 2), range(m)):
            first, second = pi[i, k - 1], pi[i, k]
            plus = sign(k // 2, i, G[k - 1, i] - G[k, i])
            halves[i][0].append(first if plus else second)
            halves[i][1].append(second if plus else first)
        middle = pi[:, n - n % 2 :].tolist()
        return np.array([f + one + b[::-1] for (f, b), one in zip(halves, middle, strict=True)]), None

    return follow


def sums(*, together: bool) -> Signs:
    """Sign against one running sum, or against the worker's own."""

    def start(m: int, d: int) -> Callable[[int, int, FloatArray], bool]:
        running = np.zeros((m, d))

        def sign(j: int, i: int, v: FloatArray) -> bool:
            s = running[0 if together else i]
            plus = float(s @ v) <= 0.0
            s += v if plus else -v
            return plus

        return sign

    return start


def both_sums(H: int) -> Signs:
    """Sign against the running sum and (H - 1) / H m times the worker's own of the last H pairs."""

    def start(m: int, d: int) -> Callable[[int, int, FloatArray], bool]:
        server, own = np.zeros(d), np.zeros((m, d))

        def sign(j: int, i: int, v: FloatArray) -> bool:
            own[i] *= j % H > 0
            plus = float((server + (H - 1) / H * m * own[i]) @ v) <= 0.0
            for s in (server, own[i]):
                s += v if plus else -v
            return plus

        return sign

    return start


def on_a_ring(m: int, d: int) -> Callable[[int, int, FloatArray], bool]:
    """Sign against an own estimate of the running sum, told to both neighbours and averaged after a pair."""
    near = np.abs(np.subtract.outer(np.arange(m), np.arange(m)))
    W, estimates = np.isin(near, (0, 1, m - 1)) / min(m, 3), np.zeros((m, d))

    def sign(j: int, i: int, v: FloatArray) -> bool:
        if i == 0:
            estimates[:] = W @ estimates
        plus = float(estimates[i] @ v) <= 0.0
        estimates[:] += np.outer(W[:, i], v if plus else -v)
        return plus

    return sign


def _mean(together: bool) -> Follow:
    """Arxiv 2205.10733, Algorithm 4: signs of gradients less their mean of the epoch before."""

    def follow(pi: IntArray, G: FloatArray, stale: Any) -> tuple[IntArray, Any]:
        n, m, d = G.shape
        sums, halves = np.zeros((m, d)), [([], []) for _ in range(m)]  # type: ignore[var-annotated]
        centre = np.zeros((m, d)) if stale is None else stale
        for k, i in itertools.product(range(n), range(m)):
            s, v = sums[0 if together else i], G[k, i] - centre[i]
            plus = float(s @ v) <= 0.0
            s += v if plus else -v
            halves[i][0 if plus else 1].append(pi[i, k])
        return np.array([f + b[::-1] for f, b in halves]), G.mean(axis=0)

    return follow


def _herded(problem: Problem) -> Iterable[IntArray]:
    """Take the example left that gives the shortest sum, worker by worker, at the minimiser."""
    z = problem.gradients(np.zeros(problem.d) if problem.x_star is None else problem.x_star)
    z, s = z - z.mean(axis=1, keepdims=True), np.zeros(problem.d)
    pi: list[list[int]] = [[] for _ in range(problem.m)]
    for _, i in itertools.product(range(problem.n), range(problem.m)):
        left = [j for j in range(problem.n) if j not in pi[i]]
        j = min(left, key=lambda j: float(np.sum((s + z[i, j]) ** 2)))
        pi[i].append(j)
        s = s + z[i, j]
    return [np.array(pi)]


_DATA = OrderLaw(lambda p: [np.tile(np.arange(p.n), (p.m, 1))], _keep)

LAWS: dict[str, OrderLaw] = {
    "any": OrderLaw(lambda p: [], _keep),
    "sgd": _fresh(draws),
    "rr": _fresh(permutations),
    "flipflop": OrderLaw(lambda p: permutations(p.m, p.n), _there_and_back),
    "so": OrderLaw(lambda p: permutations(p.m, p.n), _keep),
    "ig": _DATA,
    "fixed": _DATA,
    "herding": OrderLaw(_herded, _keep),
    "grab": following(_mean(together=False)),
    "d-grab": following(_mean(together=False)),
    "d-grab-pair": following(pairs(sums(together=False))),
    "cd-grab": following(pairs(sums(together=True))),
    "cd-grab-local": following(pairs(both_sums(1))),  # beside plain steps
    "cd-grab-gossip": following(pairs(on_a_ring)),
}
