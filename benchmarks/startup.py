"""How long until something happens: help, import, the first run with a warm and with a cold cache.

    python -m benchmarks.startup [--quick] [--json]

Whole processes in turns, over one that starts Python and imports NumPy. The first run is timed inside its
process, after the import.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from benchmarks._race import alone, plain, race, ratio

FIRST = """
import time, cdgrab_sim as cg
start = time.perf_counter()
cg.simulate("skewed", "cd-grab", epochs=2, step_size=1e-4)
print(time.perf_counter() - start)
"""
BUDGETS = {"--help": 0.15, "import": 0.35, "first run, warm cache": 0.6, "first run, cold cache": 8.0}


def process(*arguments: str, cache: str | None = None) -> str:
    environment = os.environ | ({} if cache is None else {"NUMBA_CACHE_DIR": cache})
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def seconds_of_import(name: str) -> float:
    code = f"import time; start = time.perf_counter(); import {name}; print(time.perf_counter() - start)"
    return float(process("-c", code))


def cold() -> float:
    with tempfile.TemporaryDirectory() as folder:
        return float(process("-c", FIRST, cache=folder))


def measure(quick: bool):
    with tempfile.TemporaryDirectory() as cache:
        contest = {
            "NumPy": lambda: process("-c", "import numpy"),
            "--help": lambda: process("-m", "cdgrab_sim", "--help"),
            "import": lambda: process("-c", "import cdgrab_sim"),
            "first run": lambda: process("-c", FIRST, cache=cache),
        }
        whole = race(contest, 3.0 if quick else 12.0)
        inside: dict[str, list[float]] = {
            "import": [],
            "first run, warm cache": [],
            "first run, cold cache": [],
        }
        stop = time.perf_counter() + (2.0 if quick else 10.0)
        while len(inside["import"]) < 3 or time.perf_counter() < stop:
            inside["import"].append(seconds_of_import("cdgrab_sim"))
            inside["first run, warm cache"].append(float(process("-c", FIRST, cache=cache)))
        inside["first run, cold cache"] = [cold() for _ in range(1 if quick else 4)]
    for name in ("--help", "import", "first run"):
        yield ratio(f"{name} / import of NumPy, whole processes", whole[name], whole["NumPy"])
    yield plain("cdgrab --help, whole process", whole["--help"], BUDGETS["--help"])
    for name, taken in inside.items():
        yield plain(name, np.array(taken), BUDGETS[name])


if __name__ == "__main__":
    alone(measure, __doc__)
