"""Compare `simulate` with a kernel fused by hand for one problem and one ordering.

The fused kernels run CD-GraB on one problem with the sign decision inside the loop over gradients: no stream,
no contracts. Both run the same epochs side by side, interleaved.

    python benchmarks/hand_fused.py [--problem logistic | skewed] [--json]

The skewed problem is the hardest case: a gradient costs two operations a coordinate, and at small m d both
stages are bound by the latency of their own chain of operations, which a fused loop overlaps.
"""

from __future__ import annotations

import argparse
import json
import math
import time

import numba
import numpy as np

import cdgrab_sim as cg


@numba.njit(error_model="numpy")
def fused_logistic(x, pi, after, s, firsts, total, data, alpha, epochs):
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
                else:
                    inner = 0.0
                    for p in range(d):
                        g = slope * X[example, p] + rho * x[p]
                        total[p] += g
                        firsts[i, p] -= g
                        inner += s[p] * firsts[i, p]
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


FUSED = {"logistic": fused_logistic, "skewed": fused_skewed}


def race(family: str, m: int, d: int, repeats: int) -> dict[str, float]:
    """Time both on one cell, with at least 2**15 gradient entries per epoch."""
    n = max(256, (1 << 15) // (m * d))
    epochs = max(4, (1 << 20) // (m * n * d))
    problem = cg.problems.PROBLEMS[family](m=m, n=n, d=d)
    first = cg.simulate(problem, "rr", epochs=1, step_size=1e-4, record=cg.Record(orders=True)).orders[0, 0]
    bare = cg.Record(every=epochs, loss=False, grad_norm=False)
    ordering = cg.orderings.cd_grab(first=first)

    def ours() -> np.ndarray:
        return cg.simulate(problem, ordering, epochs=epochs, step_size=1e-4, record=bare).x[0]

    def theirs() -> np.ndarray:
        x = np.zeros(d)
        buffers = first.copy(), np.empty_like(first), np.zeros(d), np.empty((m, d)), np.zeros(d)
        FUSED[family](x, *buffers, problem.data, 1e-4, epochs)
        return x

    np.testing.assert_allclose(ours(), theirs(), rtol=1e-6, atol=1e-12)
    times: dict[str, list[float]] = {"ours": [], "fused": []}
    for _ in range(repeats):
        for name, function in (("ours", ours), ("fused", theirs)):
            start = time.perf_counter()
            function()
            times[name].append(time.perf_counter() - start)
    best = {name: min(all_of) for name, all_of in times.items()}
    work = m * n * epochs
    return {
        "m": m, "d": d, "n": n, "epochs": epochs,
        "ours_us": best["ours"] / work * 1e6, "fused_us": best["fused"] / work * 1e6,
        "ratio_min": best["ours"] / best["fused"],
        "ratio_median": float(np.median(times["ours"]) / np.median(times["fused"])),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problem", choices=sorted(FUSED), default="logistic")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeats", type=int, default=60)
    args = parser.parse_args()
    rows = [race(args.problem, m, d, args.repeats) for m in (1, 8, 64) for d in (2, 32, 256)]
    mean = float(np.exp(np.mean([np.log(row["ratio_min"]) for row in rows])))
    if args.json:
        print(json.dumps({"cells": rows, "geometric_mean": mean}))
        return
    print("  m    d   ours us  fused us   min  median   (us per worker and example)")
    for row in rows:
        print(
            f"{row['m']:3d}  {row['d']:3d}  {row['ours_us']:8.4f}  {row['fused_us']:8.4f}  "
            f"{row['ratio_min']:5.2f}  {row['ratio_median']:5.2f}"
        )
    print(f"geometric mean of the ratios: {mean:.3f}")


if __name__ == "__main__":
    main()
