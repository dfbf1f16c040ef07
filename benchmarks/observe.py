"""What does it cost to observe a gradient, for each form and rule?

    python -m benchmarks.observe [--quick] [--json]

An ordering sees the stream as `simulate` shows it, chunk by chunk through one buffer. The greedy cd-grab is
held against

* a twin with fastmath, free to sum in any order;
* the same loop over pairs in plain NumPy, and over torch tensors where torch is installed;
* the time per gradient of the published simulation of CD-GraB (code of arXiv 2302.00845, on torch): measured
  elsewhere on a machine of this kind, so that these two ratios are orientation and not side by side;
* where goodpoints is installed, its halving of the same vectors, for the rule that both have;
* the time in which one core reads as many numbers, over and over from as much memory as chunk and running sum
  take.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

import cdgrab_sim as cg
from benchmarks._race import Row, alone, plain, race, ratio, skipped
from cdgrab_sim._kernels.registers import aligned
from cdgrab_sim.synchronous._engine import chunk_steps

try:
    import torch
except ImportError:
    torch = None
try:
    from goodpoints import ktc
except ImportError:
    ktc = None

PUBLISHED = {(8, 1024, 64): (8.0, 300.0), (64, 256, 16): (7.4, 800.0)}  # us, times faster than it
BUDGETS = {"cd-grab, self-balancing": 2.2}  # times the greedy one
WIDE = {4_096: 0.5, 16_384: 0.5, 100_000: 0.35}  # d: share of the read bandwidth
RULES = ("random", "self-balancing", "hilbert")


@numba.njit(error_model="numpy", fastmath=True)
def fastmath_twin(after, s, opened, at, k0, G):
    """Balance pairs with sums in any order."""
    steps, m, d = G.shape
    n = after.shape[1]
    for r in range(steps):
        k = k0 + r
        j = k // 2
        if k % 2 == 0:
            if r == steps - 1:
                opened[:] = G[r]
            continue
        firsts = G[r - 1] if r > 0 else opened
        for i in range(m):
            inner = 0.0
            for p in range(d):
                inner += s[0, p] * (firsts[i, p] - G[r, i, p])
            plus = inner <= 0.0
            eps = 1.0 if plus else -1.0
            for p in range(d):
                s[0, p] += eps * (firsts[i, p] - G[r, i, p])
            first, second = at[r - 1, i], at[r, i]
            after[i, j] = first if plus else second
            after[i, n - 1 - j] = second if plus else first


@numba.njit(fastmath=True)
def read(a):
    total = 0.0
    for p in range(a.shape[0]):
        total += a[p]
    return total


def loop(after: np.ndarray, s: Any, pi: np.ndarray, G: Any) -> None:
    """Balance the pairs of a whole epoch in Python; `s` and `G` are arrays of NumPy or of torch."""
    n = pi.shape[1]
    for k in range(0, n - 1, 2):
        for i in range(len(pi)):
            v = G[k, i] - G[k + 1, i]
            plus = bool(s @ v <= 0.0)
            s += v if plus else -v
            after[i, k // 2] = pi[i, k if plus else k + 1]
            after[i, n - 1 - k // 2] = pi[i, k + 1 if plus else k]


class Watch:
    """One epoch of one ordering on a normal stream, as often as wanted."""

    def __init__(self, ordering: cg.Ordering, m: int, n: int, d: int) -> None:
        self.ordering, self.rng = ordering, np.random.default_rng(0)
        problem = cg.Problem("stream", m=m, n=n, d=d, data=(), grads=None, value=None)
        self.state = ordering.init(problem, self.rng)
        steps = chunk_steps(m, n, d)
        self.G = aligned((steps, m, d))  # as the engine's
        self.G[:] = self.rng.standard_normal(self.G.shape)
        pi = self.state.pi.copy()  # examples in the same places in every epoch
        self.chunks = [cg.Seen.along(pi, k0, self.G[: min(steps, n - k0)]) for k0 in range(0, n, steps)]

    def advance(self) -> None:
        """Make the next order."""
        self.state = self.ordering.advance(self.state, self.rng)

    def observe(self) -> None:
        """Show the ordering every chunk."""
        for seen in self.chunks:
            self.ordering.observe(self.state, seen)

    def observe_fast(self) -> None:
        """As `observe` of cd-grab, by the twin."""
        state = self.state
        for seen in self.chunks:
            fastmath_twin(state.after, state.s, state.opened, seen.at, seen.k0, seen.G)


def watch(orderings: dict[str, cg.Ordering], size: tuple[int, int, int], seconds: float):
    """Time one epoch of each ordering, with the next order made uncounted in between."""
    watches = {name: Watch(ordering, *size) for name, ordering in orderings.items()}
    contest = {name: one.observe for name, one in watches.items()}
    return race(contest, seconds, before=lambda name: watches[name].advance())


def forms() -> dict[str, cg.Ordering]:
    o = cg.orderings
    greedy = {name: o.make(name) for name in ("cd-grab", "d-grab-pair", "d-grab")}
    pairs = {f"cd-grab, {rule}": o.cd_grab(rule=rule) for rule in RULES}
    return greedy | pairs | {f"d-grab, {rule}": o.d_grab(rule=rule) for rule in RULES}


def against_others(size: tuple[int, int, int], seconds: float):
    m, n, d = size
    cell = f"m={m}, n={n}, d={d}"
    ours = Watch(cg.orderings.cd_grab(), m, n, d)
    times = race({"ours": ours.observe, "fastmath": ours.observe_fast}, seconds, lambda _: ours.advance())
    yield ratio(f"cd-grab / fastmath twin, {cell}", times["ours"], times["fastmath"], 1.35)
    us = 1e6 * times["ours"] / (m * n)
    published, faster = PUBLISHED[size]
    yield plain(f"cd-grab, {cell}", us, unit="us")
    yield plain(f"cd-grab / published torch ({published} us), {cell}", us / published, 1 / faster, unit="")
    pi, G = ours.state.pi, ours.rng.standard_normal((n, m, d))
    yield from against_loop("NumPy", cell, ours, lambda: loop(pi.copy(), np.zeros(d), pi, G), seconds)
    if torch is None:
        yield skipped(f"cd-grab / torch loop, {cell}", "torch is not installed")
        return
    tensor = torch.from_numpy(G)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    go = lambda: loop(pi.copy(), torch.zeros(d, dtype=torch.float64), pi, tensor)  # noqa: E731
    yield from against_loop("torch", cell, ours, go, seconds)
    torch.set_num_threads(threads)


def against_loop(name: str, cell: str, ours: Watch, go: Callable[[], None], seconds: float):
    times = race({"ours": ours.observe, "loop": go}, seconds, lambda _: ours.advance())
    yield ratio(f"cd-grab / {name} loop, {cell}", times["ours"], times["loop"])


def against_bandwidth(d: int, share: float, seconds: float) -> Row:
    n = 64
    ours = Watch(cg.orderings.cd_grab(), 1, n, d)
    working_set = aligned((ours.G.size + d,))
    contest = {"ours": ours.observe, "read": lambda: read(working_set)}
    times = race(contest, seconds, lambda _: ours.advance())
    reading = times["read"] * (n * d / working_set.size)
    speed = 8e-9 * n * d / reading.min()
    return ratio(f"cd-grab / reading, d={d}", times["ours"], reading, 1 / share, f"{speed:.0f} GB/s")


def against_goodpoints(n: int, d: int, seconds: float) -> Row:
    """Halve n vectors by the signs of pair differences; goodpoints takes their kernel matrix, here Z Z^T."""
    name = f"hilbert signs of pairs / goodpoints, n={n}, d={d}"
    if ktc is None:
        return skipped(name, "goodpoints is not installed")
    z, u = np.random.default_rng(0).standard_normal((n, d)), np.random.default_rng(1).random(n)
    halves = np.empty((2, n // 2), dtype=int)
    contest = {
        "ours": lambda: cg.balancing.signs(z[::2] - z[1::2], "hilbert"),
        "goodpoints": lambda: ktc.halve_K(z @ z.T, 0.01, u, halves),
    }
    times = race(contest, seconds)
    return ratio(name, times["ours"], times["goodpoints"])


def measure(quick: bool):
    seconds = 0.7 if quick else 4.0
    size = next(iter(PUBLISHED))
    times = watch(forms(), size, 3 * seconds)
    for name in list(times)[1:]:
        cell = f"m={size[0]}, n={size[1]}, d={size[2]}"
        yield ratio(f"{name} / cd-grab, {cell}", times[name], times["cd-grab"], BUDGETS.get(name))
    for size in PUBLISHED:
        yield from against_others(size, seconds)
    yield against_goodpoints(1024, 64, seconds)
    for d, share in WIDE.items():
        yield against_bandwidth(d, share, seconds)


if __name__ == "__main__":
    alone(measure, __doc__)
