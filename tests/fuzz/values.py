"""Values that functions take: what an argument of each name may be, and where a name means several things."""

from functools import cache

import numpy as np

import cdgrab_sim as cg
from cdgrab_sim import analysis, balancing, graphs, orderings, plots, problems, updates
from cdgrab_sim.asynchronous import job_times, methods
from cdgrab_sim.experiments._experiment import Result, Row

SIZES = {"m": 2, "n": 4, "d": 2}
Z = np.array([[[1, 0.5], [-2, 0], [1, -0.5], [0, 0]], [[0, 1], [1, 1], [-1, -2], [0, 0.0]]])
PI, EPS = np.array([[2, 0, 1, 3], [1, 3, 2, 0]]), np.array([[1, -1, 1, -1], [-1, 1, 1, -1]])
X, LABELS = np.column_stack([np.ones(8), np.arange(8.0) ** 2 / 9]), np.array([0, 1, 0, 0, 1, 1, 0, 1])
START, ERRORS = np.array([0.5, -0.5]), np.array([[4.0, 2.0, 1.0], [5.0, 2.5, 1.0]])
BY_NAME, CURVES = {"rr": PI, "cd-grab": PI[::-1]}, {"rr": ERRORS, "cd-grab": ERRORS**2}
STEP = {"step_size": 0.01}
CONFIG = {
    "problem": "skewed",
    "kappa": 20.0,
    "ordering": "rr",
    "epochs": 2,
    "step_size": 1e-3,
    "seed": 0,
} | SIZES


@cache
def problem():
    return problems.skewed(**SIZES)


@cache
def alone():
    return problems.least_squares(m=1, n=4, d=2)


@cache
def run():
    return cg.simulate(problem(), "rr", epochs=3, x0=START, record=cg.Record(orders=True), **STEP)


@cache
def asynchronous_run():
    return cg.simulate_async(alone(), "vanilla", workers=2, updates=4, **STEP)


@cache
def study():
    return cg.sweep([CONFIG, CONFIG | {"seed": 1}])


@cache
def spectrum():
    return analysis.spectrum(Z, PI)


@cache
def figure():
    return plots.together([lambda ax: ax])


@cache
def result():
    arrays = {"m": np.array([1, 2, 4]), "floor rr": ERRORS}
    config = {
        "orderings": ["rr"],
        "n": 4,
        "alpha_n_L": 0.05,
        "d": 2,
        "kappa": 5.0,
        "problem": "skewed",
        "epochs": 9,
        "m": [1, 2, 4],
    }
    return Result("speedup", config, [Row("rr", "floor", 1.0)], arrays)


@cache
def fit():
    return analysis.rate([1.0, 2.0, 4.0], ERRORS)


def grads(out, x, who, idx, data):
    out[:] = x - data[0][who, idx]


def value(x, data):
    return float(0.5 * np.mean((x - data[0]) ** 2) * len(x))


def loss(x, i, j, data):
    return float(0.5 * np.sum((x - data[0][i, j]) ** 2))


def init(given, rng):
    return orderings.fixed().init(given, rng)


def advance(state, rng):
    return state


def observe(state, seen):
    return None


def start(x0, given):
    return updates.iterates(x0, vectors=1)


def step(it, g, alpha, u):
    it.x[:] -= alpha * g


def take(it, out, g, alpha, i, j, u):
    out += g


def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):
    x -= p[0] * G[0]
    return 1, 1.0


def state(x0, workers, step_size):
    return methods.vanilla().init(x0, workers, step_size)


def pull(alpha):
    return (np.log(alpha) - 1.0) ** 2 + 0.1


def walk(z, seed):
    return balancing.signs(z, "self-balancing", seed=seed)


def cohorts(problem, seed, replicate):
    while True:
        yield np.arange(problem.m)


def draw(seed):
    return np.random.default_rng(seed).permuted([range(4)] * 2, axis=1)


def apply(q, v, u, size):
    q[:] = v


def inner(x, y, settings):
    return float(np.exp(-np.sum((x - y) ** 2)))


X4 = np.array([1.0, 2.0, 4.0])
FREQUENCY = np.array([0.0, 0.25, 0.5])

# What an argument of this name may be, for every function; its default where the name is not here.
ARGUMENTS = SIZES | {
    "G": np.moveaxis(Z, 0, 1)[None],
    "X": X,
    "W": np.array([[0.75, 0.25], [0.25, 0.75]]),
    "accuracy": 1.5,
    "at": START,
    "batch": 2,
    "bound": 9.0,
    "chosen": np.array([0, 3]),
    "chances": [0.5, 1.0],
    "cohort": 2,
    "compressor": "rand-k",
    "concentration": 1.0,
    "confidence": 0.9,
    "delta": 0.1,
    "densities": {"rr": FREQUENCY, "cd-grab": FREQUENCY**2},
    "dims": ["seed"],
    "edges": np.array([[0, 1]]),
    "eps": EPS,
    "errors": ERRORS[0],
    "f_star": 0.0,
    "figure": figure(),
    "first": PI,
    "folder": ".",
    "frequency": FREQUENCY,
    "graph": "ring",
    "heterogeneity": 0.5,
    "hidden": 2,
    "high": 100.0,
    "hessian": np.eye(2),
    "inputs": 2,
    "limit": 1.0,
    "kappa": 5.0,
    "low": 0.1,
    "momentum": 0.5,
    "name": "speedup",
    "norm": "inf",
    "orders": BY_NAME,
    "ordering": "cd-grab",
    "path": "nowhere.npz",
    "pi": PI,
    "points": X,
    "predicted": 2.0,
    "problem": problem(),
    "radius": 1.0,
    "ridge": 0.1,
    "rounds": 3,
    "rule": "self-balancing",
    "runs": {"rr": run()},
    "scope": "coordinated",
    "seed": 1,
    "size": 2,
    "steps": 2,
    "threshold": 2,
    "times": ERRORS,
    "update": "adam",
    "values": ERRORS[0],
    "weight_decay": 0.1,
    "weights": [0.5, 1.5],
    "worker": 1.0,
    "workers": 2,
    "x": START,
    "x0": START,
    "xlabel": "m",
    "y": ERRORS,
    "ylabel": "error",
    "z": Z,
}

GIVEN = {"rows": np.arange(8).reshape(2, 4), "indices": "global", "problem": None}
MEASURED = {"thresholds": np.array([2.0]), "directions": np.array([[0.1], [1.0]]), "norms": np.array([1.0])}
NEW = {"z": np.array([[1.0], [3.0], [2.0]]), "new": np.array([0, 2, 1]), "eps": np.array([1])}
RECORD = {"herding": ("inf",), "balance": True, "orders": True, "trajectory": True, "average": True}
FUNCTIONS = {"name": "mine", "settings": {"a": 1.0}}

# Where a name means something else.
OTHERWISE = {
    "Iterates": {"X": Z[0], "S": Z[0], "c": PI[0], "p": START},
    "Ordering": {"init": init, "observe": observe, "advance": advance, "slopes": "rr", "look": ("black", "o", "solid"),
                 "name": "mine"},
    "Problem": {"data": (Z,), "grads": grads, "value": value, "loss": loss, "x_star": Z.mean((0, 1)), "f_star": 0.1,
                "constants": {"L": 1.0}, "rows": GIVEN["rows"], "name": "mine"},
    "Record": RECORD,
    "Sweep.curves": {"name": "loss"},
    "Update": FUNCTIONS | {"init": start, "step": step, "take": take, "draws": 1},
    "analysis.chance_to_agree": {"truth": 1.0, "spread": 0.5, "seeds": 5, "low": 0.5, "high": 1.5},
    "analysis.paired_test": {"a": ERRORS[0], "b": ERRORS[1]},
    "analysis.rate": {"x": X4},
    "analysis.RateFit.predict": {"x": X4},
    "analysis.Spectrum.slope": {"low": 0.1, "high": 0.5},
    "analysis.Spectrum.floor": {"transfer": np.ones((5, 2))},
    "analysis.tune": {"error": pull},
    "analysis.verdict": {"margin": 1.0},
    "analysis.verdict_in_errors": {"resolution": 1.0},
    "asynchronous.AsyncRecord": {"every": 2, "interval": 1.0, "trajectory": True, "virtual": True, "events": True},
    "asynchronous.JobTimes": {"name": "mine", "worker": 1.0, "law": (1.0, 0.0, 0.0), "example": lambda given: np.ones((1, 4)),
                              "rates": lambda workers: np.ones((workers, 3))},
    "asynchronous.Method": {"name": "mine", "init": state, "arrive": arrive},
    "asynchronous.ball": {"radius": 1.0, "center": START},
    "asynchronous.box": {"low": -START, "high": np.ones(2)},
    "audit.examine": {"orders": np.array([PI, PI[::-1]]), "examples": 5, "columns": {"label": np.arange(10) % 3},
                      "local": True, "error": 0.01, "known": ["examples dropped"]},
    "audit.record": {"loader": [[3, 0], [2, 1]], "epochs": 2},
    "balancing.SignRule": {"name": "self-balancing", "c": 50.0},
    "balancing.signs": {"rule": "optimal", "scope": "independent"},
    "compressors.Compressor": FUNCTIONS | {"apply": apply, "bits": float, "omega": float, "delta": None,
                               "size": 1.0},
    "compressors.Compressor.check": {"d": 2},
    "compressors.Compressor.__call__": {"v": START, "u": np.array([0.1, 0.9])},
    "experiments.figure": {"result": result()},
    "global_orders": GIVEN,
    "graphs.Graph": FUNCTIONS | {"start": np.array([0, 2, 4]), "near": np.array([0, 1, 0, 1]), "weights": np.full(4, 0.5)},
    "graphs.accelerated": {"graph": graphs.ring(m=3), "x": np.ones((3, 2))},
    "graphs.randomized": {"graph": graphs.ring(m=3), "x": np.ones((3, 2))},
    "graphs.erdos_renyi": {"m": 4},
    "graphs.torus": {"m": 4},
    "herding.settle": {"most": 5},
    "herding.steinitz_order": {"z": Z[0]},
    "job_times.by_example": {"times": np.ones(4)},
    "job_times.by_gradient": {"share": 0.5, "ratio": 2.0},
    "job_times.by_loss": {"loss": None},
    "job_times.lognormal": {"spread": 1.0},
    "job_times.on_off": {"on": 1.0, "off": 1.0, "steps": 8},
    "job_times.pareto": {"tail": 2.0},
    "job_times.recorded": {"jobs": np.array([[7, 0.0, 1.0], [7, 5.0, 2.0], [3, 0.0, 4.0]])},
    "job_times.shuffled": {"times": job_times.by_example(np.ones(4))},
    "job_times.sinusoid": {"period": 4.0, "depth": 0.5},
    "job_times.straggler": {"probability": 0.1, "slowdown": 3.0},
    "job_times.trace": {"rates": np.array([1.0, 0.5])},
    "job_times.two_classes": {"slow": np.array([True, False, True, False]), "ratio": 2.0},
    "methods.assigned": {"rule": "shuffled"},
    "methods.delay_capped": {"smoothness": 1.0},
    "methods.first_k": {"k": 1},
    "methods.make": {"method": "rennala"},
    "open_sweep": {"path": "nowhere.sqlite"},
    "orderings.select": {"belongs": lambda ordering: ordering.compared},
    "orderings.sketched": {"ordering": orderings.cd_grab(), "k": 1},
    "participation.Participation": {"name": "mine", "cohorts": cohorts, "settings": {}},
    "participation.make": {"participation": "uniform"},
    "plots.discrepancy_histogram": {"values": {"greedy": ERRORS[0]}, "bounds": {"greedy": 6.0}, "bins": 4},
    "plots.dots_plot": {"values": {"rr": ERRORS[0]}, "predicted": {"rr": 2.0}},
    "plots.order_map": {"orders": PI, "values": np.arange(4.0), "rows": "worker"},
    "plots.points_plot": {"x": X4, "values": CURVES},
    "plots.rate_plot": {"x": X4, "values": CURVES, "slopes": (-1.0,)},
    "plots.regime_map": {"m": [1, 2, 4], "T": [10, 100], "measured": np.array([[0.0, 0.0], [-2.0, -1.0]]),
                         "predicted": np.zeros((2, 2)), "regimes": np.zeros((2, 2), dtype=int), "names": ["a"]},
    "plots.spectrum_plot": {"predicted": {"rr": FREQUENCY}},
    "plots.speedup_plot": {"m": [1, 2, 4], "errors": CURVES},
    "plots.together": {"panels": [lambda ax: ax]},
    "problems.from_arrays": {"y": LABELS, "loss": "logistic", "partition": "dirichlet", "hidden": None},
    "problems.from_hessians": {"hessians": np.tile(np.eye(2), (2, 4, 1, 1)), "linear": Z},
    "problems.quadratic": {"eigenvalues": [1.0, 2.0]},
    "save_orders": GIVEN,
    "simulate": {"epochs": 2, "step_size": 0.01, "replicates": 2, "threads": 1, "record": cg.Record(), "update": None},
    "simulate_async": {"problem": alone(), "method": "rennala", "job_times": X4[:2], "updates": 4, "until": 9.0,
                       "step_size": 0.01, "order": "rr", "drain": True, "patience": 100,
                       "record": cg.asynchronous.AsyncRecord(every=2), "projection": cg.asynchronous.ball(2.0)},
    "sweep": {"fixed": {name: one for name, one in CONFIG.items() if name != "kappa"}, "grid": {"kappa": [2.0, 3.0]},
              "zip": {"sigma": [1.0, 2.0]}},
    "testing.assert_coordinated_pairs_halve": {"new": np.array([[0, 1], [0, 1]]), "eps": np.array([[1], [1]]),
                                               "z": np.array([[[1.0], [3.0]], [[2.0], [0.0]]])},
    "testing.assert_exact_law": {"problem": problems.quadratic(m=1, n=2, d=1), "ordering": "rr", "update": "sgd", "n": 2,
                                 "replicates": 20, "batch": 1},
    "testing.assert_greedy_bound": {"z": Z[0], "eps": EPS[0]},
    "testing.assert_greedy_decisions": {"z": Z[0], "eps": np.ones(4, dtype=int)},
    "testing.assert_pairs_halve": NEW,
    "testing.assert_random_orders": {"z": Z - Z.mean(1, keepdims=True), "draw": draw, "runs": 9},
    "testing.assert_reorder_halves": {"z": np.array([[1.0], [1.0], [-1.0], [-1.0]]), "eps": EPS[0], "new": np.array([0, 2, 3, 1])},
    "testing.assert_rounds_halve": {"errors": np.array([8.0, 5.0, 3.0]), "balances": np.array([2.0, 1.0])},
    "testing.assert_stale_mean_costs": {"z": np.array([[1.0], [3.0]]), "eps": np.array([1, -1]), "mean": np.array([0.0])},
    "testing.assert_sub_gaussian": MEASURED | {"probabilities": np.array([0.5, 0.5]), "ends": np.array([[1.0], [-1.0]])},
    "testing.assert_walk_bound": {"rule": walk, "z": np.eye(4), "delta": 0.05, "runs": 5},
    "testing.check_sign_rule": {"rule": balancing.signs, "examples": 2, "bound": None},
    "testing.whole": {"shape": (2, 3)},
    "testing.vectors": {"m": None, "n": None, "d": None},
    "thinning.Kernel": {"name": "mine", "function": inner},
    "updates.iterates": {"parameters": [1.0], "points": 2, "vectors": 1, "counters": [1]},
}  # fmt: skip
