"""How much faster is an experiment on two processes?

    python -m benchmarks.jobs [--quick] [--json]

Time with ``--jobs 2`` over that with ``--jobs 1``, start included. It tells whether a second core was free
as much as anything about the program, so that no reference guards it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

from benchmarks._race import Row, alone, skipped
from cdgrab_sim._sweep._engines import cores

BUDGET = 1 / 1.8
EXPERIMENTS = {"speedup": [], "rates": ["tuned"]}


def seconds(experiment: str, options: list[str], jobs: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "cdgrab_sim", experiment, "-q", "--jobs", str(jobs), "--out", folder]
        start = time.perf_counter()
        subprocess.run(command + options, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start


def measure(quick: bool):
    for experiment, options in EXPERIMENTS.items():
        name = " ".join([experiment, *options]) + ": --jobs 2 / --jobs 1"
        if quick or cores() < 2:
            yield skipped(name, "takes minutes" if quick else "one core")
            continue
        two, one = seconds(experiment, options, 2), seconds(experiment, options, 1)
        yield Row(name, two / one, budget=BUDGET, guarded=False, note=f"{one:.0f} s and {two:.0f} s")


if __name__ == "__main__":
    alone(measure, __doc__)
