"""Updates: each against its recurrence in plain Python and closed forms, and the shape that they share."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim._kernels import jit
from cdgrab_sim.synchronous._engine import Engine


def scalar(curvature=1.0, n=1, m=1):
    """f(x) = curvature x^2 / 2, by every example."""
    shape = (m, n, 1, 1)
    return cg.problems.from_hessians(np.full(shape, curvature), np.zeros(shape[:3]))


def run_of(problem, update, **more):
    given = {"epochs": 1, "step_size": 0.1, "update": update, "record": cg.Record(trajectory=True)}
    return cg.simulate(problem, more.pop("ordering", "ig"), **(given | more))


def linear(table):
    """One worker, whose gradient at step t is row t of a table, wherever x is."""
    table = np.array(table)[None]

    def grads(out, x, who, idx, data):
        out[:] = data[0][who, idx]

    def value(x, data):
        return float(data[0].mean(axis=(0, 1)) @ x)

    m, n, d = table.shape
    return cg.Problem("linear", m=m, n=n, d=d, data=(table,), grads=grads, value=value)


# Recurrences in plain Python, one coordinate at a time: x, gradients g_1, g_2, ..., step size -> x.


def naive_sgd(x, gradients, alpha, weight_decay=0.0):
    for g in gradients:
        x = x - alpha * (g + weight_decay * x)
    return x


def naive_heavy_ball(x, gradients, alpha, momentum=0.9, weight_decay=0.0):
    v = 0.0
    for g in gradients:
        v = momentum * v + (g + weight_decay * x)
        x = x - alpha * v
    return x


def naive_nesterov(x, gradients, alpha, momentum=0.9, weight_decay=0.0):
    v = 0.0
    for g in gradients:
        g = g + weight_decay * x
        v = momentum * v + g
        x = x - alpha * (g + momentum * v)
    return x


def naive_adamw(x, gradients, alpha, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0):
    mean = square = 0.0
    for t, g in enumerate(gradients, start=1):
        x = x - alpha * weight_decay * x
        mean = beta1 * mean + (1.0 - beta1) * g
        square = beta2 * square + (1.0 - beta2) * g**2
        x = x - alpha * (mean / (1.0 - beta1**t)) / (math.sqrt(square / (1.0 - beta2**t)) + eps)
    return x


NAIVE = {
    "sgd": (naive_sgd, {"weight_decay": 0.25}),
    "heavy-ball": (naive_heavy_ball, {"momentum": 0.75, "weight_decay": 0.25}),
    "nesterov": (naive_nesterov, {"momentum": 0.75, "weight_decay": 0.25}),
    "adam": (naive_adamw, {"beta1": 0.75, "beta2": 0.5, "eps": 0.125}),
    "adamw": (naive_adamw, {"beta1": 0.75, "beta2": 0.5, "eps": 0.125, "weight_decay": 0.25}),
}
TABLE = [[((7 * t * t + 3 * t) % 11 - 5) / 4.0, ((5 * t) % 7 - 3) / 8.0] for t in range(50)]


@pytest.mark.parametrize("name", sorted(NAIVE))
def test_fifty_steps_equal_the_published_recurrence(name):
    naive, settings = NAIVE[name]
    run = run_of(linear(TABLE), cg.updates.UPDATES[name](**settings), x0=[1.0, -2.0])
    first, second = np.array(TABLE).T.tolist()
    expected = [naive(1.0, first, 0.1, **settings), naive(-2.0, second, 0.1, **settings)]
    assert_allclose(run.x[0], expected, rtol=1e-15)
    assert run.meta["update"] == {"name": name, **settings}


@pytest.mark.parametrize("momentum", [0.0, 0.75])
def test_the_fused_walk_has_the_bits_of_the_update_it_stands_for(momentum):
    """A weight of 1 for every example leads around the fused walk."""

    def weighted(inner):
        class State:
            def __init__(self, state):
                self.state, self.pi, self.weight = state, state.pi, np.ones(state.pi.shape)

        return cg.Ordering(
            "weighted",
            lambda problem, rng: State(inner.init(problem, rng)),
            None,
            lambda state, rng: State(inner.advance(state.state, rng)),
        )

    problem, rule = cg.problems.logistic(m=3, n=7, d=9), {"momentum": momentum, "weight_decay": 0.125}
    how = {"epochs": 5, "step_size": 0.1, "batch": 2, "record": cg.Record(trajectory=True)} | rule
    fused, stepped = (cg.simulate(problem, o, **how) for o in ("rr", weighted(cg.orderings.rr())))
    assert_array_equal(fused.trajectory, stepped.trajectory)


def radius(blocks):
    return max(abs(np.linalg.eigvals(np.array(blocks))))


SPECTRA = {
    "heavy-ball": lambda h, beta: radius([[1 - h + beta, -beta], [1.0, 0.0]]),
    "nesterov": lambda h, beta: radius([[(1 + beta) * (1 - h), -beta * (1 - h)], [1.0, 0.0]]),
}


@pytest.mark.parametrize("name", sorted(SPECTRA))
@pytest.mark.parametrize(("h", "beta"), [(0.3, 0.1), (0.05, 0.3), (0.01, 0.5)])
def test_momentum_contracts_by_the_spectral_radius_of_its_companion_matrix(name, h, beta):
    """Real, distinct roots: the ratio of successive distances tends to the larger one."""
    problem = scalar(curvature=2.0)
    run = run_of(problem, cg.updates.UPDATES[name](momentum=beta), epochs=200, step_size=h / 2.0, x0=[1.0])
    distances = abs(run.trajectory[0, :, 0])
    exact = SPECTRA[name](h, beta)
    settled = distances > 1e-300
    ratios = (distances[1:] / distances[:-1])[settled[1:]]
    assert_allclose(ratios[-1], exact, rtol=1e-10)


def test_adam_and_adamw_reach_the_minimiser_of_a_quadratic():
    problem = cg.problems.quadratic(m=2, n=4, d=3, seed=0)
    falling = 0.5 * 0.99 ** np.arange(2500)
    for update in (cg.updates.adam(), cg.updates.adamw(weight_decay=0.0)):
        run = cg.simulate(problem, "rr", epochs=2500, step_size=falling, batch=4, update=update)
        assert_allclose(run.x[0], problem.x_star, atol=1e-9)


def test_weight_decay_of_adamw_shrinks_x_where_gradients_vanish():
    run = run_of(scalar(curvature=1.0), cg.updates.adamw(weight_decay=0.5), x0=[0.0])
    assert run.x.tolist() == [[0.0]]
    still = linear(np.zeros((3, 1)))
    run = run_of(still, cg.updates.adamw(weight_decay=0.5), step_size=0.5, x0=[1.0])
    assert_allclose(run.x, [[0.75**3]], rtol=1e-15)


# The shape has room for what the library does not have yet: points of workers, tables, draws.


def local_steps(H):
    """Every worker steps by itself; every H steps they average."""

    def init(x0, problem):
        return cg.updates.iterates(x0, points=problem.m, counters=[0])

    def take(it, out, g, alpha, i, j, u):
        for q in range(g.shape[0]):
            it.X[i, q] -= alpha * g[q]

    def step(it, g, alpha, u):
        it.c[0] += 1
        if it.c[0] % H == 0:
            for q in range(it.x.shape[0]):
                it.x[q] = it.X[:, q].sum() / it.X.shape[0]
                it.X[:, q] = it.x[q]

    return init, step, take


def saga_like():
    """SAG: a table of the last gradient of every example (one worker)."""

    def init(x0, problem):
        return cg.updates.iterates(x0, [problem.n], vectors=problem.n + 1)

    def take(it, out, g, alpha, i, j, u):
        for q in range(g.shape[0]):
            it.S[-1, q] += (g[q] - it.S[j, q]) / it.p[0]
            it.S[j, q] = g[q]

    def step(it, g, alpha, u):
        for q in range(g.shape[0]):
            it.x[q] -= alpha * it.S[-1, q]

    return init, step, take


def sparse():
    """Each coordinate of a gradient is sent with probability 1/2, doubled."""

    def init(x0, problem):
        return cg.updates.iterates(x0)

    def take(it, out, g, alpha, i, j, u):
        for q in range(g.shape[0]):
            if u[q] < 0.5:
                out[q] += 2.0 * g[q]

    def step(it, g, alpha, u):
        for q in range(g.shape[0]):
            it.x[q] -= alpha * g[q]

    return init, step, take


def compiled(parts):
    init, *functions = parts
    return init, *(jit.numba.njit(f) for f in functions)


FORMS = {"local": (local_steps(3), 0), "table": (saga_like(), 0), "sparse": (sparse(), 2)}


@pytest.mark.compiled
@pytest.mark.parametrize("name", sorted(FORMS))
def test_other_peoples_updates_have_the_same_bits_compiled(name):
    parts, draws = FORMS[name]
    problem = cg.problems.quadratic(m=1 if name == "table" else 3, n=6, d=2)
    runs = []
    for init, step, take in (parts, compiled(parts)):
        update = cg.Update(name, init, step, take, draws=draws)
        runs.append(run_of(problem, update, ordering="rr", epochs=5, step_size=0.01, x0=[1.0, 2.0]))
    assert_array_equal(runs[0].trajectory, runs[1].trajectory)


def test_one_local_step_is_sgd_and_n_are_each_worker_alone():
    problem = cg.problems.quadratic(m=3, n=6, d=2, heterogeneity=1.0)
    init, step, take = local_steps(1)
    how = {"ordering": "rr", "epochs": 5, "step_size": 0.01, "x0": [1.0, 2.0]}
    plain, every = run_of(problem, "sgd", **how), run_of(problem, cg.Update("local", init, step, take), **how)
    assert_allclose(every.trajectory, plain.trajectory, rtol=0, atol=1e-15)
    init, step, take = local_steps(6)
    once = run_of(problem, cg.Update("local", init, step, take), **(how | {"ordering": "ig", "epochs": 1}))
    b, ends = problem.data.b, []
    lam = problem.data.eigenvalues
    for i in range(3):
        x = np.array([1.0, 2.0])
        for j in range(6):
            x = x - 0.01 * lam * (x - b[i, j])
        ends.append(x)
    assert_allclose(once.x[0], np.mean(ends, axis=0), rtol=1e-14)


def test_a_table_of_gradients_removes_the_floor():
    problem = cg.problems.quadratic(m=1, n=8, d=2)
    init, step, take = saga_like()
    alpha = 1 / (8 * 16 * problem.constants["L"])
    how = {"ordering": "rr", "epochs": 2500, "step_size": 8 * alpha, "record": cg.Record(every=2500)}
    table = run_of(problem, cg.Update("table", init, step, take), **how)
    assert table.distance[0, -1] < 1e-9 < run_of(problem, "sgd", **how).distance[0, -1]


def test_draws_of_a_worker_depend_neither_on_m_nor_on_the_ordering():
    seen = {}

    def update(key):
        def take(it, out, g, alpha, i, j, u):
            seen.setdefault((key, i), []).append(u.tolist())

        init = lambda x0, problem: cg.updates.iterates(x0)  # noqa: E731
        return cg.Update("watching", init, lambda it, g, alpha, u: None, take, draws=2)

    for m, ordering in ((2, "rr"), (4, "cd-grab")):
        run_of(cg.problems.quadratic(m=m, n=4, d=1), update(m), ordering=ordering, epochs=2)
    assert seen[2, 1] == seen[4, 1] != seen[4, 2]
    assert len({tuple(u) for u in seen[4, 1]}) == 8


def test_batches_may_grow_and_draws_of_a_step_are_those_of_its_last_gradients():
    problem = cg.problems.quadratic(m=2, n=8, d=1)
    grown = cg.simulate(problem, "ig", epochs=3, step_size=0.1, batch=lambda t: 2**t)
    x = np.zeros(1)
    for b in (1, 2, 4):
        x = cg.simulate(problem, "ig", epochs=1, step_size=0.1, batch=b, x0=x).x[0]
    assert_array_equal(grown.x[0], x)
    assert grown.meta["batch"] == [1, 2, 4]
    assert_array_equal(cg.simulate(problem, "ig", epochs=3, step_size=0.1, batch=[1, 2, 4]).x, grown.x)


def test_weights_multiply_gradients_in_the_update_and_nowhere_else():
    """Weights n p_j of a draw that shows one example twice and another never."""
    seen = []

    class State:
        pi = np.array([[0, 0, 2, 3]])
        weight = np.array([[0.5, 7.0, 1.0, 2.0]])

    ordering = cg.Ordering(
        "weighted", lambda p, r: State(), lambda s, piece: seen.extend(piece.G.copy()), lambda s, r: s, True
    )
    run_of(linear([[1.0], [2.0], [4.0], [8.0]]), "sgd", ordering=ordering, step_size=0.25)
    run = run_of(linear([[1.0], [2.0], [4.0], [8.0]]), "sgd", ordering=ordering, step_size=0.25)
    assert run.x.tolist() == [[-0.25 * (0.5 + 0.5 + 4.0 + 16.0)]]
    assert np.ravel(seen[-4:]).tolist() == [1.0, 1.0, 4.0, 8.0]


BAD = {
    r"update: expected no momentum= and weight_decay= beside it; got 0.5 and 0": {"momentum": 0.5},
    r"unknown update 'adan'; did you mean 'adam'\?": {"update": "adan"},
    r"batch\(1\): expected a whole number 1..4; got 8": {"batch": lambda t: 4 * (t + 1)},
    r"batch: expected a whole number, a function of the epoch, or shape \(T,\) = \(2,\)": {"batch": [1]},
}


@pytest.mark.parametrize("message", sorted(BAD))
def test_wrong_arguments_are_refused_before_work(message):
    given = {"epochs": 2, "step_size": 0.1, "update": "adam"} | BAD[message]
    with pytest.raises(ValueError, match=message):
        cg.simulate(cg.problems.quadratic(m=1, n=4, d=1), "rr", **given)


@pytest.mark.parametrize("made", ["nothing", "x0 itself", "a point too many", "integers"])
def test_iterates_that_kernels_cannot_read_are_refused(made):
    def init(x0, problem):
        good = cg.updates.iterates(x0, points=problem.m)
        return {
            "nothing": None,
            "x0 itself": good._replace(x=x0),
            "a point too many": good._replace(X=np.zeros((problem.m + 1, problem.d))),
            "integers": good._replace(p=np.zeros(1, dtype=int)),
        }[made]

    update = cg.Update("mine", init, lambda it, g, alpha, u: None)
    with pytest.raises((TypeError, ValueError), match=r"update 'mine': init: .*expected"):
        run_of(cg.problems.quadratic(m=2, n=4, d=1), update)


def test_weights_of_the_wrong_shape_are_refused():
    class State:
        pi = np.zeros((1, 4), dtype=np.int64)
        weight = np.ones(4)

    ordering = cg.Ordering("flat", lambda p, r: State(), None, lambda s, r: s, replacement=True)
    with pytest.raises(ValueError, match=r"state\.weight: expected a non-empty array with 2 axes"):
        cg.simulate(cg.problems.quadratic(m=1, n=4, d=1), ordering, epochs=1, step_size=0.1)


@pytest.mark.compiled
def test_an_update_that_allocates_is_compiled_all_the_same():
    @jit.numba.njit
    def step(it, g, alpha, u):
        it.x[:] = it.x - alpha * g

    problem = cg.problems.quadratic(m=2, n=4, d=3)
    mine = cg.Update("mine", cg.updates.sgd().init, step)
    assert_array_equal(run_of(problem, mine).x, run_of(problem, "sgd").x)


def test_standing_still_leaves_the_iterates_of_an_update_alone():
    problem = cg.problems.quadratic(m=2, n=4, d=3)
    engine = Engine(problem, cg.updates.adam(), np.ones(3))
    mean = engine.full_gradient(np.zeros(3))
    assert_allclose(mean, problem.gradients(np.zeros(3)).mean(axis=(0, 1)), rtol=1e-13)
    assert engine.it.x.tolist() == [1.0, 1.0, 1.0]
    assert not engine.it.S.any()
