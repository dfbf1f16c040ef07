"""What a sweep costs beyond its runs: store, engines, scheduler.

    python -m benchmarks.sweep_overhead [--quick] [--json]
    python -m benchmarks.sweep_overhead --dask

Budgets: store <= 1 ms per run; 100,000 stored runs open in <= 1 s, are counted in <= 0.5 s, and are a table
in <= 3 s; overhead over bare `simulate` <= 5 % for runs of >= 50 ms. With --dask, instead, the number of
bundles per second that one scheduler carries, with two workers on this machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import cdgrab_sim as cg
from benchmarks._race import Row, alone, ratio, skipped
from cdgrab_sim._sweep import _dispatch, _open, execute
from cdgrab_sim._sweep._bundle import DONE, Outcome
from cdgrab_sim._sweep._engines import cores
from cdgrab_sim._sweep._execute import Plan

RUNS = 100_000
FIXED = {"problem": "skewed", "ordering": "cd-grab", "m": 8, "n": 64, "step_size": 1e-3}


def nothing(config):
    return {}


def nap(config):
    time.sleep(0.1)
    return {}


def cost(name: str, value: float, budget: float, unit: str) -> Row:
    return Row(name, value, budget=budget, unit=unit, guarded=False)


def clock() -> float:
    return time.perf_counter()


def store(folder: Path) -> Iterator[Row]:
    path = folder / "large.sqlite"
    configs = [FIXED | {"epochs": 50, "seed": seed} for seed in range(RUNS)]
    values = {"status": "completed", "final_loss": 1 / 3, "loss": np.linspace(1.0, 0.1, 51)}
    with _open.writing(path) as opened:
        positions = opened.plan("nothing", Plan.of(nothing, configs, name="nothing").texts)
        start = clock()
        for position in positions.values():
            opened.commit(Outcome(position, DONE, values, 0.01, ""))
        yield cost("commit one run", 1e3 * (clock() - start) / RUNS, 1.0, "ms")
    start = clock()
    study = cg.open_sweep(path)
    yield cost(f"open {RUNS} runs", (clock() - start), 1.0, "s")
    start = clock()
    study.status()
    yield cost(f"status of {RUNS} runs", clock() - start, 0.5, "s")
    start = clock()
    study.table()
    yield cost(f"table of {RUNS} runs", (clock() - start), 3.0, "s")
    yield cost("size of one run with 51 losses", path.stat().st_size / RUNS / 1e3, 2.0, "kB")


def overhead(folder: Path, repetitions: int) -> Iterator[Row]:
    """Run serially, interleaved with bare runs of the same configurations."""
    epochs = _epochs_for(0.05)
    bare, swept = [], []
    for repetition in range(repetitions):
        seeds = range(10 * repetition, 10 * repetition + 10)
        start = clock()
        for seed in seeds:
            problem = cg.problems.skewed(m=8, n=64, seed=seed)
            cg.simulate(problem, "cd-grab", epochs=epochs, step_size=1e-3, seed=seed, threads=1)
        bare.append(clock() - start)
        start = clock()
        cg.sweep(fixed=FIXED | {"epochs": epochs}, grid={"seed": seeds}, store=folder / "serial.sqlite")
        swept.append(clock() - start)
    yield ratio("runs of 50 ms in a sweep / bare", np.array(swept), np.array(bare), 1.05)
    jobs = cores()
    start = clock()
    execute(nap, [{"x": x} for x in range(50 * jobs)], jobs=jobs)
    yield Row(f"naps on {jobs} processes / their sum, start included", (clock() - start) / 5.0, budget=1.2)


def _epochs_for(seconds: float) -> int:
    def timed(epochs: int) -> float:
        start = clock()
        cg.simulate("skewed", "cd-grab", epochs=epochs, step_size=1e-3, threads=1)
        return clock() - start

    timed(1)
    return int(1000 * seconds / timed(1000)) + 1


def dask(folder: Path) -> Iterator[tuple[str, float]]:
    with _cluster(folder, workers=2) as address:
        execute(nothing, [{"warm": x} for x in range(200)], executor=address)
        limits = _dispatch._BUNDLE_SECONDS, _dispatch._HANDOVERS
        _dispatch._BUNDLE_SECONDS, _dispatch._HANDOVERS = 0.0, float("inf")  # every task travels alone
        count = 3000
        start = clock()
        execute(nothing, [{"x": x} for x in range(count)], executor=address)
        yield "bundles that one dask scheduler carries", count / (clock() - start)
        _dispatch._BUNDLE_SECONDS, _dispatch._HANDOVERS = limits
        start = clock()
        execute(nothing, [{"y": y} for y in range(20 * count)], executor=address)
        yield "empty runs through dask, bundled", 20 * count / (clock() - start)


@contextmanager
def _cluster(folder: Path, workers: int) -> Iterator[str]:
    file = folder / "scheduler.json"
    base = [sys.executable, "-m"]
    common = ["--scheduler-file", str(file), "--no-dashboard", "--host", "127.0.0.1"]
    quiet = {"stderr": subprocess.DEVNULL, "env": os.environ | {"PYTHONPATH": os.getcwd()}}
    started = [subprocess.Popen([*base, "distributed.cli.dask_scheduler", *common, "--port", "0"], **quiet)]
    try:
        while not file.exists():
            time.sleep(0.05)
        worker = [*base, "distributed.cli.dask_worker", *common, "--nthreads", "1", "--no-nanny"]
        started += [subprocess.Popen(worker, **quiet) for _ in range(workers)]
        yield json.loads(file.read_text())["address"]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def measure(quick: bool):
    with tempfile.TemporaryDirectory() as name:
        if quick:
            yield skipped(f"store of {RUNS} runs", "takes half a minute")
        else:
            yield from store(Path(name))
        yield from overhead(Path(name), 3 if quick else 12)


def main() -> None:
    if "--dask" not in sys.argv:
        alone(measure, __doc__)
        return
    with tempfile.TemporaryDirectory() as name:
        for line, value in dask(Path(name)):
            print(f"{line:45} {value:10.3g} /s")


if __name__ == "__main__":
    main()
