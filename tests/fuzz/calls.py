"""For every public function a small call that works, argument by argument."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import cdgrab_sim as cg
from cdgrab_sim import analysis, balancing, herding, orderings, plots, problems, testing, updates
from cdgrab_sim.asynchronous import job_times, methods
from cdgrab_sim.experiments._experiment import Result, Row


@dataclass(frozen=True)
class Call:
    """A function, arguments that it takes, and errors beside ValueError and TypeError that it promises."""

    function: Callable[..., Any]
    valid: dict[str, Any]
    promises: tuple[type[Exception], ...] = ()


def call(function, /, *promises, **valid):
    return Call(function, valid, promises)


# what arguments are
SIZES = {"m": 2, "n": 4, "d": 2}
Z = np.array([[[1, 0.5], [-2, 0], [1, -0.5], [0, 0]], [[0, 1], [1, 1], [-1, -2], [0, 0.0]]])
PI, EPS = np.array([[2, 0, 1, 3], [1, 3, 2, 0]]), np.array([[1, -1, 1, -1], [-1, 1, 1, -1]])
X, LABELS = np.column_stack([np.ones(8), np.arange(8.0) ** 2 / 9]), np.array([0, 1, 0, 0, 1, 1, 0, 1])
START, ERRORS = np.array([0.5, -0.5]), np.array([[4.0, 2.0, 1.0], [5.0, 2.5, 1.0]])
BY_NAME, CURVES, STEP = (
    {"rr": PI, "cd-grab": PI[::-1]},
    {"rr": ERRORS, "cd-grab": ERRORS**2},
    {"step_size": 0.01},
)
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
def study():
    return cg.sweep([CONFIG, CONFIG | {"seed": 1}])


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


def cohorts(problem, seed, replicate):
    while True:
        yield np.arange(problem.m)


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


def draw(seed):
    return np.random.default_rng(seed).permuted([range(4)] * 2, axis=1)


# who looks at records, which may be looked at in use only
def in_simulate(**given):
    return cg.simulate(**{"problem": problem(), "ordering": "rr", "epochs": 2} | STEP | given)


def in_simulate_async(**given):
    return cg.simulate_async(
        **{"problem": alone(), "method": "vanilla", "workers": 2, "updates": 4} | STEP | given
    )


def used(factory, user, name, **more):
    """Make a record and use it at once."""

    def both(**given):
        return user(**{name: factory(**given)} | more)

    both.__name__ = f"{factory.__name__}, in use"
    return both


def as_problem(factory, /, **valid):
    return call(used(factory, in_simulate, "problem"), **valid)


def as_ordering(factory, /, **valid):
    of = {"problem": problems.skewed(m=1, n=4, d=2)} if factory is orderings.grab else {}
    return call(used(factory, in_simulate, "ordering", **of), **valid)


def as_update(factory, /, **valid):
    return call(used(factory, in_simulate, "update"), **valid)


def as_participation(factory, /, **valid):
    return call(used(factory, in_simulate, "participation"), **valid)


def as_async(of, factory, /, **valid):
    return call(used(factory, in_simulate_async, of), **valid)


def styled():
    with plots.style():
        return


FAMILY = SIZES | {"heterogeneity": 0.5, "seed": 1}
RULED = {"rule": "self-balancing", "first": PI}
TIMED = {"base": job_times.exponential()}
MOVED = {"momentum": 0.5, "weight_decay": 0.1}
MEASURED = {
    "probabilities": np.array([0.5, 0.5]),
    "ends": np.array([[1.0], [-1.0]]),
    "norms": np.array([1.0]),
}

CALLS = {
    "Iterates": call(cg.Iterates, x=START, X=Z[0], S=Z[0], c=PI[0], p=START),
    "Problem": as_problem(cg.Problem, name="mine", data=(Z,), grads=grads, value=value, loss=loss, x_star=Z.mean((0, 1)),
                          f_star=0.1, constants={"L": 1.0}, rows=np.arange(8).reshape(2, 4), **SIZES),
    "Ordering": as_ordering(cg.Ordering, name="mine", init=init, observe=observe, advance=advance, replacement=False,
                            verified=False, family="user", coordinated=False, slopes="rr", compared=False,
                            look=("black", "o", "solid")),
    "Update": as_update(cg.Update, name="mine", init=start, step=step, take=take, draws=1, settings={"a": 1.0}),
    "Record": call(used(cg.Record, in_simulate, "record", ordering="cd-grab"), every=1, loss=True, grad_norm=True,
                   distance=True, herding=("inf",), balance=True, orders=True, trajectory=True, average=True),
    "Run.save": call(lambda path: run().save(path), OSError, path="run.npz"),
    "Sweep.curves": call(lambda name, m, kappa: study().curves(name, m=m, kappa=kappa), name="loss", m=2, kappa=20.0),
    "Sweep.to_xarray": call(lambda dims: study().to_xarray(dims), dims=["seed"]),
    "Sweep.to_csv": call(lambda path: study().to_csv(path), OSError, path="a.csv"),
    "Sweep.to_jsonl": call(lambda path, curves: study().to_jsonl(path, curves=curves), OSError, path="a.jsonl", curves=True),
    "audit.examine": call(cg.audit.examine, orders=np.array([PI, PI[::-1]]), examples=5, columns={"label": np.arange(10) % 3},
                          local=True, error=0.01, known=["examples dropped"]),
    "audit.read": call(cg.audit.read, OSError, path="nowhere.npy"),
    "audit.record": call(lambda loader: cg.audit.record(loader, 2), loader=[[3, 0], [2, 1]]),
    "global_orders": call(cg.global_orders, pi=PI, rows=np.arange(8).reshape(2, 4)),
    "global_orders of a problem": call(cg.global_orders, pi=PI, problem=problem()),
    "load": call(cg.load, OSError, path="nowhere.npz"),
    "open_sweep": call(cg.open_sweep, OSError, path="nowhere.sqlite"),
    "replay": call(cg.replay, G=np.moveaxis(Z, 0, 1)[None], ordering="cd-grab", seed=1),
    "save_orders": call(cg.save_orders, OSError, path="orders.npy", pi=PI, indices="global", rows=np.arange(8).reshape(2, 4)),
    "simulate": call(cg.simulate, FloatingPointError, problem=problem(), ordering="cd-grab", epochs=2, step_size=0.01,
                     seed=1, replicates=2, x0=START, batch=2, threads=1, throw=False, record=cg.Record(), momentum=0.5,
                     weight_decay=0.1),
    "simulate, schedules": call(cg.simulate, problem="skewed", ordering="rr", epochs=2, step_size=np.array([0.01, 0.02]),
                                batch=np.array([1, 2]), update="adam"),
    "simulate_async": call(cg.simulate_async, problem=alone(), method="rennala", workers=2, job_times=np.array([1.0, 2.0]),
                           updates=4, until=9.0, step_size=0.01, order="rr", seed=1, x0=START, drain=True, abort="fresh",
                           patience=100, record=cg.asynchronous.AsyncRecord(every=2), projection=cg.asynchronous.ball(2.0)),
    "sweep": call(cg.sweep, OSError, fixed={name: one for name, one in CONFIG.items() if name != "kappa"}, grid={"kappa": [2.0, 3.0]}, zip={"sigma": [1.0, 2.0]}, jobs=1),
    "sweep of a list": call(cg.sweep, OSError, configs=[CONFIG], problems={"mine": problem()}, orderings={"mine": orderings.rr()},
                            updates={"mine": updates.sgd()}, store=None, executor=None, progress=False),
    "sweep of a value": call(lambda **given: cg.sweep([CONFIG | given]), kappa=2.0, x0=[0.5, 0.5], batch=2, seed=1, m=2,
                             momentum=0.5, record={"every": 1}, problem="skewed", ordering="rr"),
    "analysis.paired_test": call(analysis.paired_test, a=ERRORS[0], b=ERRORS[1]),
    "analysis.rate": call(analysis.rate, x=np.array([1.0, 2.0, 4.0]), y=ERRORS),
    "analysis.RateFit.predict": call(lambda x: fit().predict(x), x=np.array([1.0, 2.0])),
    "analysis.t_interval": call(analysis.t_interval, values=ERRORS[0], confidence=0.9, positive=True),
    "analysis.time_to": call(analysis.time_to, errors=ERRORS[0], accuracy=1.5, window=2),
    "analysis.tune": call(analysis.tune, error=pull, low=0.1, high=100.0),
    "analysis.uncensored": call(analysis.uncensored, times=ERRORS),
    "analysis.verdict": call(analysis.verdict, values=ERRORS[0], predicted=2.0, margin=1.0),
    "analysis.verdict_in_errors": call(analysis.verdict_in_errors, values=ERRORS[0], predicted=2.0, resolution=1.0),
    "asynchronous.AsyncRecord": as_async("record", cg.asynchronous.AsyncRecord, every=2, interval=1.0, loss=True, grad_norm=True,
                                         trajectory=True, virtual=True, average=True, events=True),
    "asynchronous.JobTimes": as_async("job_times", cg.asynchronous.JobTimes, name="mine", worker=1.0, step=1.0, law=(1.0, 0.0, 0.0),
                                      example=lambda given: np.ones((1, 4)), rates=lambda workers: np.ones((workers, 3))),
    "asynchronous.Method": as_async("method", cg.asynchronous.Method, name="mine", init=state, arrive=arrive, restarts=False,
                                    second_gradient=False, provenance="user", summary="none"),
    "asynchronous.ball": as_async("projection", cg.asynchronous.ball, radius=1.0, center=START),
    "asynchronous.box": as_async("projection", cg.asynchronous.box, low=-START, high=np.ones(2)),
    "job_times.fixed": as_async("job_times", job_times.fixed, worker=np.array([1.0, 2.0])),
    "job_times.exponential": as_async("job_times", job_times.exponential, worker=1.0),
    "job_times.lognormal": as_async("job_times", job_times.lognormal, spread=1.0, worker=1.0),
    "job_times.pareto": as_async("job_times", job_times.pareto, tail=2.0, worker=1.0),
    "job_times.straggler": as_async("job_times", job_times.straggler, probability=0.1, slowdown=3.0, worker=1.0),
    "job_times.by_example": as_async("job_times", job_times.by_example, times=np.ones(4), **TIMED),
    "job_times.two_classes": as_async("job_times", job_times.two_classes, slow=np.array([True, False, True, False]), ratio=2.0,
                                      mean=1.0, **TIMED),
    "job_times.by_norm": as_async("job_times", job_times.by_norm, power=1.0, **TIMED),
    "job_times.by_gradient": as_async("job_times", job_times.by_gradient, share=0.5, ratio=2.0, **TIMED),
    "job_times.by_loss": as_async("job_times", job_times.by_loss, power=1.0, floor=0.1, at=START, **TIMED),
    "job_times.shuffled": as_async("job_times", job_times.shuffled, times=job_times.by_example(np.ones(4)), seed=1),
    "job_times.trace": as_async("job_times", job_times.trace, rates=np.array([1.0, 0.5]), step=1.0, **TIMED),
    "job_times.on_off": as_async("job_times", job_times.on_off, on=1.0, off=1.0, seed=1, steps=8, **TIMED),
    "job_times.sinusoid": as_async("job_times", job_times.sinusoid, period=4.0, depth=0.5, **TIMED),
    "methods.make": call(methods.make, method="rennala", workers=2),
    "methods.vanilla": as_async("method", methods.vanilla),
    "methods.mini_batch": as_async("method", methods.mini_batch),
    "methods.first_k": as_async("method", methods.first_k, k=1),
    "methods.rennala": as_async("method", methods.rennala, batch=2, stop=True),
    "methods.delay_adaptive": as_async("method", methods.delay_adaptive),
    "methods.delay_capped": as_async("method", methods.delay_capped, smoothness=1.0),
    "methods.drop_by_age": as_async("method", methods.drop_by_age, threshold=2, advance=True),
    "methods.ringmaster": as_async("method", methods.ringmaster, threshold=2, stop=True),
    "methods.ordered_anytime": as_async("method", methods.ordered_anytime, correct=True),
    "methods.ordered_heavy_ball": as_async("method", methods.ordered_heavy_ball, momentum=0.5, early=True),
    "methods.ordered_mu_squared": as_async("method", methods.ordered_mu_squared),
    "balancing.SignRule": as_ordering(lambda **given: orderings.cd_grab(rule=balancing.SignRule(**given)), name="self-balancing",
                                      bound=9.0, c=50.0, delta=0.1, failure="clip"),
    "balancing.balance": call(balancing.balance, z=Z, rule="self-balancing", scope="coordinated", bound=4.0,
                              norm="inf", seed=1),
    "balancing.signs": call(balancing.signs, z=Z, rule="optimal", scope="independent", norm="l2", seed=1),
    "balancing.prefix_discrepancy": call(balancing.prefix_discrepancy, z=Z, eps=EPS, norm="inf"),
    "experiments.figure": call(cg.experiments.figure, result=result()),
    "experiments.has_figure": call(cg.experiments.has_figure, name="speedup"),
    "experiments.load": call(cg.experiments.load, name="speedup"),
    "herding.curve": call(herding.curve, z=Z, ordering="cd-grab", rounds=3, first=PI, seed=1, norm="inf"),
    "herding.error": call(herding.error, z=Z, pi=PI, norm="inf"),
    "herding.error_after_every_worker": call(herding.error_after_every_worker, z=Z, pi=PI, norm="l2"),
    "herding.greedy_order": call(herding.greedy_order, z=Z),
    "herding.order": call(herding.order, z=Z, ordering="cd-grab", rounds=2, first=PI, seed=1),
    "herding.prefix_sums": call(herding.prefix_sums, z=Z, pi=PI),
    "herding.profile": call(herding.profile, z=Z, pi=PI, norm="inf"),
    "herding.random_profile": call(herding.random_profile, z=Z),
    "herding.reorder": call(herding.reorder, eps=EPS),
    "herding.settle": call(herding.settle, z=Z, ordering="cd-grab", most=5, first=PI, seed=1),
    "herding.steinitz_order": call(herding.steinitz_order, z=Z[0]),
    "herding.worker_errors": call(herding.worker_errors, z=Z, pi=PI, norm="inf"),
    "orderings.make": call(orderings.make, ordering="rr"),
    "orderings.select": call(orderings.select, belongs=lambda ordering: ordering.compared),
    "orderings.mean": as_ordering(orderings.mean, scope="coordinated", exact=True, name="mine", **RULED),
    "orderings.pair": as_ordering(orderings.pair, scope="independent", name="mine", **RULED),
    "orderings.grab": as_ordering(orderings.grab, exact=False, rule="greedy", first=PI[0]),
    "orderings.fixed": as_ordering(orderings.fixed, pi=PI),
    "orderings.herding": as_ordering(orderings.herding, at=START),
    **{f"orderings.{one.__name__}": as_ordering(one, **RULED)
       for one in (orderings.cd_grab, orderings.d_grab, orderings.d_grab_pair)},
    **{f"orderings.{one.__name__}": as_ordering(one)
       for one in (orderings.flipflop, orderings.ig, orderings.pairwise, orderings.rr, orderings.sgd, orderings.so)},
    **{f"orderings.{one.__name__}": as_ordering(one, size=2)
       for one in (orderings.blocks, orderings.blocks_reversed, orderings.buffer)},
    "orderings.corgipile": as_ordering(orderings.corgipile, size=2, merged=2),
    "orderings.curriculum": as_ordering(orderings.curriculum, scores=np.arange(4.0), pacing="root", start=0.5, ramp=2, anti=True),
    "orderings.self_paced": as_ordering(orderings.self_paced, pacing="step", start=0.5, ramp=2, anti=True),
    "orderings.stratified": as_ordering(orderings.stratified, strata=2),
    "plots.discrepancy_histogram": call(plots.discrepancy_histogram, values={"greedy": ERRORS[0]}, bounds={"greedy": 6.0}, bins=4,
                                        xlabel="x", ax=None),
    "plots.dots_plot": call(plots.dots_plot, values={"rr": ERRORS[0]}, predicted={"rr": 2.0}, ax=None),
    "plots.herding_profile": call(plots.herding_profile, z=Z, orders=BY_NAME, norm="inf", ax=None),
    "plots.literal": call(plots.literal, name="_a$b"),
    "plots.look": call(plots.look, name="rr"),
    "plots.loss_curves": call(plots.loss_curves, runs={"rr": run()}, f_star=0.0, ax=None),
    "plots.order_map": call(plots.order_map, orders=PI, values=np.arange(4.0), rows="worker", ax=None),
    "plots.overview": call(plots.overview, z=Z, orders=BY_NAME, runs={"rr": run()}),
    "plots.points_plot": call(plots.points_plot, x=np.array([1.0, 2.0, 4.0]), values=CURVES, xlabel="m", ylabel="error", ax=None),
    "plots.prefix_walk": call(plots.prefix_walk, z=Z, orders=BY_NAME, ax=None),
    "plots.rate_plot": call(plots.rate_plot, x=np.array([1.0, 2.0, 4.0]), values=CURVES, xlabel="m", ylabel="error",
                            slopes=(-1.0,), ax=None),
    "plots.regime_map": call(plots.regime_map, m=[1, 2, 4], T=[10, 100], measured=np.array([[0.0, 0.0], [-2.0, -1.0]]),
                             predicted=np.zeros((2, 2)), regimes=np.zeros((2, 2), dtype=int), names=["a"], ax=None),
    "plots.speedup_plot": call(plots.speedup_plot, m=[1, 2, 4], errors=CURVES, gains=(1.0,), ylabel="gain", ax=None),
    "plots.style": call(styled),
    "plots.together": call(plots.together, panels=[lambda ax: ax]),
    "plots.save": call(plots.save, OSError, figure=figure(), folder=".", name="figure"),
    "plots.inline_svg": call(plots.inline_svg, figure=figure()),
    "online": call(cg.online, ordering="cd-grab", n=4, d=2, m=2, seed=1, batch=2, sketch=1, by="count"),
    "online, observe": call(lambda worker, gradient, step: cg.online("cd-grab", n=4, d=2, m=2).observe(worker, gradient, step=step),
                            worker=1, gradient=np.ones((2, 2)), step=1),
    "online, all": call(lambda gradients: cg.online("cd-grab", n=4, d=2, m=2).observe(gradients), gradients=np.ones((2, 2))),
    "online, load": call(lambda state: cg.online("cd-grab", n=4, d=2).load_state_dict(state), state=cg.online("cd-grab", n=4, d=2).state_dict()),
    "online, sampler": call(lambda worker, rows: list(cg.online("rr", n=4, d=2).sampler(worker, rows)), worker=0, rows=np.arange(4)),
    "online, skip": call(lambda worker, steps: cg.online("rr", n=4, d=2).skip(worker, steps), worker=0, steps=1),
    "problems.from_arrays": as_problem(problems.from_arrays, X=X, y=LABELS, loss="logistic", m=2, n=4, partition="dirichlet",
                                       concentration=1.0, ridge=0.1, seed=1),
    "problems.from_arrays, numbers": as_problem(problems.from_arrays, X=X, y=X[:, 1] + LABELS, loss="least-squares", m=2,
                                                partition="sorted", ridge=0.1),
    "problems.from_arrays, classes": as_problem(problems.from_arrays, X=X, y=LABELS, loss="mlp", m=2, hidden=2),
    "problems.from_hessians": as_problem(problems.from_hessians, hessians=np.tile(np.eye(2), (2, 4, 1, 1)), linear=Z),
    "problems.make": call(problems.make, problem="quadratic", seed=1),
    "problems.least_squares": as_problem(problems.least_squares, sigma=1.0, ridge=0.1, **FAMILY),
    "problems.logistic": as_problem(problems.logistic, ridge=0.1, **FAMILY),
    "problems.mlp": as_problem(problems.mlp, m=2, n=4, inputs=2, hidden=2, classes=2, sigma=0.1, heterogeneity=0.1, ridge=0.1, seed=1),
    "problems.quadratic": as_problem(problems.quadratic, eigenvalues=[1.0, 2.0], sigma=1.0, **FAMILY),
    "problems.robust": as_problem(problems.robust, sigma=0.5, outliers=0.1, ridge=0.1, **FAMILY),
    "problems.skewed": as_problem(problems.skewed, kappa=5.0, sigma=1.0, **FAMILY),
    "Problem.gradients": call(lambda x: problem().gradients(x), x=START),
    "Problem.values": call(lambda x: problem().values(x), x=START),
    "testing.assert_coordinated_pairs_halve": call(testing.assert_coordinated_pairs_halve, AssertionError, new=np.array([[0, 1], [0, 1]]),
                                                   z=np.array([[[1.0], [3.0]], [[2.0], [0.0]]]), eps=np.array([[1], [1]]), norm="inf"),
    "testing.assert_greedy_bound": call(testing.assert_greedy_bound, AssertionError, z=Z[0], eps=EPS[0]),
    "testing.assert_greedy_decisions": call(testing.assert_greedy_decisions, AssertionError, z=Z[0], eps=np.array([1, 1, 1, 1])),
    "testing.assert_pairs_halve": call(testing.assert_pairs_halve, AssertionError, z=np.array([[1.0], [3.0], [2.0]]), norm="inf",
                                       new=np.array([0, 2, 1]), eps=np.array([1])),
    "testing.assert_random_orders": call(testing.assert_random_orders, AssertionError, z=Z - Z.mean(1, keepdims=True), draw=draw, runs=9),
    "testing.assert_reorder_halves": call(testing.assert_reorder_halves, AssertionError, z=np.array([[1.0], [1.0], [-1.0], [-1.0]]),
                                          eps=EPS[0], new=np.array([0, 2, 3, 1]), norm="inf"),
    "testing.assert_rounds_halve": call(testing.assert_rounds_halve, AssertionError, errors=np.array([8.0, 5.0, 3.0]), balances=np.array([2.0, 1.0])),
    "testing.assert_stale_mean_costs": call(testing.assert_stale_mean_costs, AssertionError, z=np.array([[1.0], [3.0]]),
                                            eps=np.array([1, -1]), mean=np.array([0.0]), norm="inf"),
    "testing.assert_sub_gaussian": call(testing.assert_sub_gaussian, AssertionError, thresholds=np.array([2.0]),
                                        directions=np.array([[0.1], [1.0]]), **MEASURED),
    "testing.assert_walk_bound": call(testing.assert_walk_bound, AssertionError, rule=walk, z=np.eye(4), delta=0.05, norm="inf", runs=5),
    "testing.check_ordering": call(testing.check_ordering, AssertionError, ordering="cd-grab", seed=1, **SIZES),
    "testing.check_problem": call(testing.check_problem, AssertionError, problem=problem(), x=START, seed=1),
    "testing.check_sign_rule": call(testing.check_sign_rule, AssertionError, rule=balancing.signs, law="greedy", online=True, norm="inf",
                                    examples=2),
    "testing.check_update": call(testing.check_update, AssertionError, update="adam", m=2, d=2, seed=1),
    "testing.orders": call(testing.orders, m=2, n=3),
    "testing.signs": call(lambda shape: testing.signs(shape), shape=2),
    "testing.vectors": call(testing.vectors, kinds=("gaussian",), n=None, d=None, m=None),
    "testing.whole": call(testing.whole, shape=(2, 3)),
    "participation.Participation": as_participation(
        cg.participation.Participation, name="mine", cohorts=cohorts, looks=True, settings={}, provenance="user"
    ),
    "participation.make": call(cg.participation.make, participation="uniform", cohort=2),
    "participation.available": as_participation(cg.participation.available, chances=[0.5, 1.0]),
    "participation.ordered": as_participation(cg.participation.ordered, cohort=1, ordering="cd-grab"),
    "participation.uniform": as_participation(cg.participation.uniform, cohort=1),
    "updates.iterates": call(updates.iterates, x0=START, parameters=[1.0], points=2, vectors=1, counters=[1]),
    "updates.make": call(updates.make, update="adam"),
    "updates.adam": as_update(updates.adam, beta1=0.9, beta2=0.99, eps=1e-8),
    "updates.adamw": as_update(updates.adamw, beta1=0.9, beta2=0.99, eps=1e-8, weight_decay=0.1),
    "updates.heavy_ball": as_update(updates.heavy_ball, **MOVED),
    "updates.nesterov": as_update(updates.nesterov, **MOVED),
    "updates.sgd": as_update(updates.sgd, weight_decay=0.1),
}  # fmt: skip
