"""How much memory does a run take? Data, two orders and a chunk, no more.

    python -m benchmarks.memory [--quick] [--json]

Peak of a process of its own, over what the run has to hold: data, the order in use and the next one, a chunk
of the stream, and the process with its imports before the problem is made.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks._race import Row, alone, skipped

SIZES = ((1_000_000, 16, 8), (1, 1_000_000, 8))
BUDGET = 2.5  # GiB
CHILD = """
import json, sys
import cdgrab_sim as cg
from cdgrab_sim.synchronous._engine import chunk_steps

def status(field):  # getrusage would give a child the peak of its parent
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith(field))

m, n, d = map(int, sys.argv[1:])
cg.simulate("skewed", "cd-grab", epochs=1, step_size=1e-4)
before = status("VmRSS")
problem = cg.problems.skewed(m=m, n=n, d=d)
cg.simulate(problem, "cd-grab", epochs=2, step_size=1e-4)
data = sum(a.nbytes for a in problem.data)
print(json.dumps([status("VmHWM"), before + data + 2 * 8 * m * n + 8 * m * d * chunk_steps(m, n, d)]))
"""


def measure(quick: bool):
    if not Path("/proc/self/status").exists():
        yield skipped("peak", "no /proc on this system")
        return
    for m, n, d in SIZES[1:] if quick else SIZES:
        command = [sys.executable, "-c", CHILD, *map(str, (m, n, d))]
        peak, needed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        cell = f"m={m}, n={n}, d={d}"
        yield Row(f"peak, {cell}", peak / 2**30, budget=BUDGET, unit="GiB", guarded=False)
        yield Row(f"peak / what it has to hold, {cell}", peak / needed)


if __name__ == "__main__":
    alone(measure, __doc__)
