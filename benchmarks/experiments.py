"""How long does every experiment take, in seconds of one core?

    python -m benchmarks.experiments [--full] [--repeats R] [--only NAME ...]

Writes what `cdgrab list`, `cdgrab NAME --help` and README.md say, into cdgrab_sim/experiments/run_times.json;
what is not measured stays as it was. Times are those of the processor, so that others on the machine count
little; the fastest of the repeats counts, as the first may have to compile.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile

from benchmarks.run import machine
from cdgrab_sim.experiments import EXPERIMENTS
from cdgrab_sim.experiments._times import PATH


def seconds(name: str, *options: str) -> float:
    """Run an experiment as a process; return its time on the processor."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*name.split(), "-q", "--jobs", "1", "--out", folder, *options]
        before = os.times()
        subprocess.run([sys.executable, "-m", "cdgrab_sim", *words], check=False, stdout=subprocess.DEVNULL)
        after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def keep(name: str, size: str, taken: float) -> None:
    """Write one time down at once: the next may take minutes."""
    kept = json.loads(PATH.read_text())
    kept["seconds"].setdefault(name, {})[size] = float(f"{taken:.3g}")
    times = {name: kept["seconds"][name] for name in EXPERIMENTS if name in kept["seconds"]}
    PATH.write_text(json.dumps({"machine": machine(), "seconds": times}, indent=1) + "\n")
    print(f"{name:24s} {size:6s} {taken:7.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="in full, not with --quick")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=EXPERIMENTS, default=EXPERIMENTS, metavar="NAME")
    args = parser.parse_args()
    for name in args.only:
        size, options = ("full", []) if args.full else ("quick", ["--quick"])
        keep(name, size, min(seconds(name, *options) for _ in range(args.repeats)))


if __name__ == "__main__":
    main()
