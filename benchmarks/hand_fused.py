"""How far is `simulate` from a kernel fused by hand for one problem and one ordering?

The fused kernels run CD-GraB on one problem with the sign decision inside the loop over gradients: no stream,
no contracts. Both run the same epochs side by side, interleaved. Notes are us per worker and example.

    python -m benchmarks.hand_fused [--quick] [--json]

A kernel is written down as anybody would, and once more "tuned", with the inner products of the package,
which are vectorised, in loops of their own. The skewed problem is the hardest case: a gradient costs two
operations a coordinate, and at small m d both stages are bound by the latency of their own chain of
operations, which a fused loop overlaps.
"""

from __future__ import annotations

import math

import numba
import numpy as np

import cdgrab_sim as cg
from benchmarks._race import Row, alone, geometric_mean, race, ratio
from cdgrab_sim._kernels.sums import dot


def fused_logistic(tuned: bool):
    """Return a kernel: as one writes it down, or with the inner products of the package."""

    @numba.njit(error_model="numpy")
    def run(x, pi, after, s, firsts, total, data, alpha, epochs):
        X, y, rows, ridge = data
        m, n = rows.shape
        d = x.shape[0]
        rho = ridge[0]
        share = alpha / m
        for _ in range(epochs):
            for p in range(d):
                s[p] = 0.0
            for k in range(n):
                j = k // 2
                for i in range(m):
                    example = rows[i, pi[i, k]]
                    t = 0.0
                    if tuned:
                        t = dot(X[example], x)
                    else:
                        for p in range(d):
                            t += X[example, p] * x[p]
                    z = y[example] * t
                    e = math.exp(-abs(z))
                    slope = -y[example] * ((e if z >= 0.0 else 1.0) / (1.0 + e))
                    if k % 2 == 0:
                        for p in range(d):
                            g = slope * X[example, p] + rho * x[p]
                            firsts[i, p] = g
                            total[p] += g
                        if k == n - 1:
                            after[i, j] = pi[i, k]
                        continue
                    inner = 0.0
                    for p in range(d):
                        g = slope * X[example, p] + rho * x[p]
                        total[p] += g
                        firsts[i, p] -= g
                        if not tuned:
                            inner += s[p] * firsts[i, p]
                    if tuned:
                        inner = dot(s, firsts[i])
                    plus = inner <= 0.0
                    eps = 1.0 if plus else -1.0
                    for p in range(d):
                        s[p] += eps * firsts[i, p]
                    first, second = pi[i, k - 1], pi[i, k]
                    after[i, j] = first if plus else second
                    after[i, n - 1 - j] = second if plus else first
                for p in range(d):
                    x[p] -= share * total[p]
                    total[p] = 0.0
            pi, after = after, pi

    return run


@numba.njit(error_model="numpy")
def fused_skewed(x, pi, after, s, firsts, total, data, alpha, epochs):
    terms, _, curvature = data
    m, n, d = terms.shape
    L, mu = curvature[0], curvature[1]
    share = alpha / m
    for _ in range(epochs):
        for p in range(d):
            s[p] = 0.0
        for k in range(n):
            j = k // 2
            for i in range(m):
                row = pi[i, k]
                if k % 2 == 0:
                    for p in range(d):
                        g = (L if x[p] <= 0.0 else mu) * x[p] + terms[i, row, p]
                        firsts[i, p] = g
                        total[p] += g
                    if k == n - 1:
                        after[i, j] = row
                else:
                    inner = 0.0
                    for p in range(d):
                        g = (L if x[p] <= 0.0 else mu) * x[p] + terms[i, row, p]
                        total[p] += g
                        firsts[i, p] -= g
                        inner += s[p] * firsts[i, p]
                    plus = inner <= 0.0
                    eps = 1.0 if plus else -1.0
                    for p in range(d):
                        s[p] += eps * firsts[i, p]
                    first, second = pi[i, k - 1], row
                    after[i, j] = first if plus else second
                    after[i, n - 1 - j] = second if plus else first
            for p in range(d):
                x[p] -= share * total[p]
                total[p] = 0.0
        pi, after = after, pi


FUSED = {
    "logistic": fused_logistic(tuned=False),
    "logistic, tuned": fused_logistic(tuned=True),
    "skewed": fused_skewed,
}
BUDGETS = {"logistic": (1.15, 1.05)}  # of every cell and of the geometric mean


def cell(family: str, m: int, d: int, budget: float | None, seconds: float) -> Row:
    """Time both on one cell, with at least 2**15 gradient entries per epoch."""
    n = max(256, (1 << 15) // (m * d))
    epochs = max(4, (1 << 20) // (m * n * d))
    problem = cg.problems.PROBLEMS[family.split(",")[0]](m=m, n=n, d=d)
    first = cg.simulate(problem, "rr", epochs=1, step_size=1e-4, record=cg.Record(orders=True)).orders[0, 0]
    bare = cg.Record(every=epochs, loss=False, grad_norm=False)
    ordering = cg.orderings.cd_grab(first=first)

    def ours() -> np.ndarray:
        return cg.simulate(problem, ordering, epochs=epochs, step_size=1e-4, record=bare, threads=1).x[0]

    def theirs() -> np.ndarray:
        x = np.zeros(d)
        buffers = first.copy(), np.empty_like(first), np.zeros(d), np.empty((m, d)), np.zeros(d)
        FUSED[family](x, *buffers, problem.data, 1e-4, epochs)
        return x

    np.testing.assert_allclose(ours(), theirs(), rtol=1e-6, atol=1e-12)
    times = race({"ours": ours, "fused": theirs}, seconds)
    us = 1e6 * times["ours"].min() / (m * n * epochs)
    return ratio(f"{family} / fused, m={m}, d={d}", times["ours"], times["fused"], budget, f"{us:.4f} us")


def measure(quick: bool):
    for family in FUSED:
        each, mean = BUDGETS.get(family, (None, None))
        rows = []
        for m in (1, 8, 64):
            for d in (2, 32, 256):
                rows.append(cell(family, m, d, each, 0.4 if quick else 3.0))
                yield rows[-1]
        yield geometric_mean(f"{family} / fused, geometric mean", rows, mean)


if __name__ == "__main__":
    alone(measure, __doc__)
