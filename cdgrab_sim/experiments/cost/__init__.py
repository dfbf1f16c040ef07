"""What an ordering costs: memory, traffic, arithmetic, and time, measured and under a model of a network."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from cdgrab_sim import orderings, problems
from cdgrab_sim._records import Ordering, Problem, Record
from cdgrab_sim._rng import Role, stream
from cdgrab_sim._types import FloatArray
from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._readings import Reading, same
from cdgrab_sim.experiments.cost.model import Counts, Network, counts, epoch_seconds, known
from cdgrab_sim.synchronous._simulate import simulate

ORDERINGS = orderings.select(lambda o: o.compared and not o.replacement and known(o))
SIZES: dict[str, Any] = {
    "m": 8,
    "n": 256,
    "d": 64,
    "epochs": 200,
    "repeats": 11,
    "network": {"latency": 50e-6, "bandwidth": 1.25e9, "speed": 1e10},  # 10 Gbit/s
    "model": {"m": [2, 4, 8, 16, 32, 64], "n": 780, "d": 62006, "operations": 1.3e6},  # LeNet
}
QUICK = SIZES | {"repeats": 5}
SHOWN = {"m": (4, 64)}
UNCOUNTED = ("shown",)  # the number of a step


def stored(ordering: Ordering, problem: Problem) -> Counts:
    """Count what the state of an ordering really holds; traffic and arithmetic leave no trace there.

    Arrays with a row for each worker are at the workers; a single row for several workers is at the server.
    """
    state = ordering.init(problem, stream(0, Role.ORDER))
    server = worker_floats = worker_integers = 0
    for name, array in state._asdict().items():
        if name in UNCOUNTED or not isinstance(array, np.ndarray):
            continue
        if len(array) != problem.m:
            server += array.size
        elif array.dtype.kind == "f":
            worker_floats += array.size // problem.m
        else:
            worker_integers += array.size // problem.m
    return Counts(server, worker_floats, worker_integers, 0, 0, 0)


def run(options: Options, *, names: Sequence[str] = ORDERINGS) -> Result:
    """Count, time and model the cost of orderings.

    Parameters
    ----------
    options : Options
        Timing uses one process, whatever the jobs.
    names : sequence of str
        Timed beside rr. Traffic, arithmetic and the model need orderings whose costs are derived.

    Returns
    -------
    Result
        Rows of counts (those of memory held against the arrays of the state), of measured time over that of
        rr, and of modelled time over that of rr; data ``m`` and ``model <ordering>`` (K,) seconds per epoch.
    """
    names = ["rr", *(name for name in names if name != "rr")]
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed, "orderings": names}
    derived = [name for name in names if known(orderings.make(name))]
    m, n, d = config["m"], config["n"], config["d"]
    problem = problems.logistic(m=m, n=n, d=d, seed=options.seed)
    ratios = timed(problem, config, options)
    rows = [row for name in names for row in _counted(name, problem)]
    what = f"time / rr, logistic, m = {m}, n = {n}, d = {d}"
    rows += [Row.judged(name, what, verdict(ratios[name], None, None, positive=True)) for name in names[1:]]
    network, sizes = Network(**config["network"]), config["model"]
    fixed = {"n": sizes["n"], "d": sizes["d"], "operations": sizes["operations"]}
    seconds = {
        name: np.array([epoch_seconds(name, network, m=m, **fixed) for m in sizes["m"]]) for name in derived
    }
    for name in derived[1:]:
        for m in SHOWN["m"]:
            share = float((seconds[name] / seconds["rr"])[sizes["m"].index(m)])
            rows.append(Row(name, f"modelled time / rr, LeNet, m = {m}", share))
    data = {"m": np.array(sizes["m"])} | {f"model {name}": values for name, values in seconds.items()}
    return Result("cost", config, rows, data, NOTES)


NOTES = (
    "memory: counted from the definition, held against the arrays of the state; traffic and arithmetic: from",
    "the definition; other drawn orders (sgd, ig, so, flipflop) cost what rr costs, grab what d-grab costs",
    "sent: beyond what averaging the gradients needs; cd-grab sends pair differences up and signs down",
    "model, an epoch: n steps of gradient work and a ring all-reduce, then what the ordering adds, nothing",
    "overlapping; 50 us latency, 10 Gbit/s, 10 Gflop/s, d = 62006, 1.3 Mflop a gradient, n = 780",
    "where gradients pass a server anyway, cd-grab sends signs only. Published epochs of cd-grab took 1.5 to",
    "2.1 times those of rr, on 4 GPUs with an implementation of its own costs (arXiv 2302.00845)",
)


def _counted(name: str, problem: Problem) -> list[Row]:
    m, n, d = problem.m, problem.n, problem.d
    held = stored(orderings.make(name), problem)
    if not known(orderings.make(name)):
        return [
            Row(name, "floats held by the server", held.server),
            Row(name, "floats held by a worker", held.worker),
            Row(name, "integers held by a worker", held.integers),
        ]
    derived = counts(name, m, n, d)
    return [
        same(name, "floats held by the server", held.server, Reading(derived.server, 0.0)),
        same(name, "floats held by a worker", held.worker, Reading(derived.worker, 0.0)),
        same(name, "integers held by a worker", held.integers, Reading(derived.integers, 0.0)),
        Row(name, "floats sent per epoch", derived.sent),
        Row(name, "operations of a worker per step", derived.worker_operations / n),
        Row(name, "operations of the server per step", derived.server_operations / n),
    ]


def timed(problem: Problem, config: dict[str, Any], options: Options) -> dict[str, FloatArray]:
    """Return the time on the processor of each ordering over that of rr next to it, for every repeat."""
    record = Record(every=config["epochs"], loss=False, grad_norm=False)
    names = config["orderings"]
    seconds = np.empty((config["repeats"] + 1, len(names)))
    for repeat in seconds:
        for o, name in enumerate(names):
            start = time.process_time()
            simulate(
                problem,
                name,
                epochs=config["epochs"],
                step_size=1e-3,
                seed=options.seed,
                record=record,
                threads=1,
            )
            repeat[o] = time.process_time() - start
    warm = seconds[1:]  # the first compiles
    return {name: warm[:, o] / warm[:, 0] for o, name in enumerate(names)}
