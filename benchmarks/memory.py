"""How much memory does a million workers take? Data, two orders and a chunk, no more.

python benchmarks/memory.py [--m 1000000] [-n 16] [-d 8]
"""

from __future__ import annotations

import argparse
import resource
import time

import cdgrab_sim as cg


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-m", type=int, default=1_000_000)
    parser.add_argument("-n", type=int, default=16)
    parser.add_argument("-d", type=int, default=8)
    args = parser.parse_args()
    start = time.perf_counter()
    problem = cg.problems.skewed(m=args.m, n=args.n, d=args.d)
    made = time.perf_counter()
    run = cg.simulate(problem, "cd-grab", epochs=2, step_size=1e-4)
    done = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    data = sum(a.nbytes for a in problem.data) / 2**30
    print(f"m = {args.m}, n = {args.n}, d = {args.d}: {run.messages()[0]}")
    print(f"data {data:.2f} GiB, peak {peak:.2f} GiB; data drawn in {made - start:.1f} s, ", end="")
    print(f"2 epochs of cd-grab in {done - made:.1f} s")


if __name__ == "__main__":
    main()
