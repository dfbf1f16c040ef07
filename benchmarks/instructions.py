"""How many instructions do three kernels need for a gradient?

    python -m benchmarks.instructions [--quick] [--json]

Counted by valgrind, compiled for one fixed processor: unlike time, the same on a busy machine, so that a
tenth more is a regression. A kernel runs once in one process and REPEATS times more in another; the
difference is its own.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable

from benchmarks._race import Row, alone, skipped

M, N, D = 8, 64, 64
REPEATS = 400
KERNELS = ("observe_pairs", "walk", "largest_prefix")
CHILD = """
import sys
import numpy as np
from cdgrab_sim import problems
from cdgrab_sim.synchronous._engine import Engine
from cdgrab_sim._kernels.prefix import largest_prefix
from cdgrab_sim.orderings._pair import observe_pairs

m, n, d, repeats, name = *map(int, sys.argv[1:5]), sys.argv[5]
pi, G = np.tile(np.arange(n), (m, 1)), np.random.RandomState(0).standard_normal((n, m, d))
s, x, opened, alpha = np.zeros((1, d)), np.zeros(d), np.empty((m, d)), np.full(n, 1e-3)
at, who = np.ascontiguousarray(pi.T), np.arange(m)
engine = Engine(problems.logistic(m=m, n=n, d=d))
calls = {
    "observe_pairs": lambda: observe_pairs(pi.copy(), s, opened, np.zeros_like(who), at, G),
    "walk": lambda: engine.epoch(pi, alpha, None),
    "largest_prefix": lambda: largest_prefix(np.zeros(2), np.zeros(d), x, False, G),
}
for call in calls.values():
    call()
for _ in range(repeats):
    calls[name]()
"""
# A processor that valgrind can play, whatever the machine is; no random hashes and no waiting threads, whose
# instructions would differ from process to process.
FIXED = {
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "+avx2,+fma",
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
}
VALGRIND = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")


def count(cache: str, repeats: int, name: str, tool: Iterable[str] = VALGRIND) -> int:
    """Return the instructions of one process; 0 without a tool."""
    sizes = map(str, (M, N, D, repeats))
    command = [*tool, sys.executable, "-c", CHILD, *sizes, name]
    environment = os.environ | FIXED | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    return int(found[1].replace(",", "")) if found else 0


def measure(quick: bool):
    names = {kernel: f"instructions of {kernel}, m={M}, d={D}" for kernel in KERNELS}
    why = None
    if quick:
        why = "takes minutes"
    elif platform.machine() not in ("x86_64", "AMD64"):
        why = f"compiled for x86-64, not {platform.machine()}"
    elif shutil.which("valgrind") is None:
        why = "valgrind is not installed"
    if why is not None:
        yield from (skipped(name, why) for name in names.values())
        return
    with tempfile.TemporaryDirectory() as cache:
        count(cache, 0, KERNELS[0], tool=())  # compile at full speed
        once = count(cache, 0, KERNELS[0])
        for kernel, name in names.items():
            per_gradient = (count(cache, REPEATS, kernel) - once) / (REPEATS * M * N)
            yield Row(name, per_gradient, slack=1.1)


if __name__ == "__main__":
    alone(measure, __doc__)
