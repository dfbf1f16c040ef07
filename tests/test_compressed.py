"""Compressors, and the updates that send compressed messages: naive twins, limits, and moments."""

import math
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim.synchronous._engine import Engine
from theory import compression

c = cg.compressors
ALL = sorted(c.COMPRESSORS)


# Compressors in plain Python, one coordinate at a time.


def naive_rand_k(v, u, k):
    taken, left = [], k
    for p in range(len(v)):
        if u[p] < left / (len(v) - p):
            taken.append(p)
            left -= 1
    return [len(v) / k * x if p in taken else 0.0 for p, x in enumerate(v)]


def naive_top_k(v, u, k):
    kept = sorted(range(len(v)), key=lambda p: -abs(v[p]))[:k]
    return [x if p in kept else 0.0 for p, x in enumerate(v)]


def naive_qsgd(v, u, levels):
    norm = math.sqrt(sum(x * x for x in v))
    if norm == 0.0:
        return list(v)
    return [
        math.copysign(norm * int(levels * abs(x) / norm + r) / levels, x) for x, r in zip(v, u, strict=True)
    ]


def naive_natural(v, u):
    sent = []
    for x, r in zip(v, u, strict=True):
        if x == 0.0:
            sent.append(0.0)
            continue
        low = 2.0 ** math.floor(math.log2(abs(x)))
        sent.append(math.copysign(2 * low if r < abs(x) / low - 1 else low, x))
    return sent


def naive_sign(v, u):
    mean = sum(map(abs, v)) / len(v)
    return [mean * ((x > 0) - (x < 0)) for x in v]


NAIVE = {
    "identity": (lambda v, u: list(v), {}),
    "rand-k": (naive_rand_k, {"k": 3}),
    "top-k": (naive_top_k, {"k": 3}),
    "qsgd": (naive_qsgd, {"levels": 3}),
    "natural": (naive_natural, {}),
    "sign": (naive_sign, {}),
}


def test_every_compressor_has_a_naive_twin():
    assert sorted(NAIVE) == ALL


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("d", [3, 8, 13])
def test_compressors_do_what_their_formulas_say(name, d):
    naive, settings = NAIVE[name]
    rng = np.random.default_rng(d)
    for v in (rng.standard_normal(d), np.rint(2 * rng.standard_normal(d)), np.zeros(d), np.eye(d)[1]):
        u = rng.random(d)
        assert_allclose(c.make(name, **settings)(v, u), naive(v.tolist(), u.tolist(), **settings), rtol=1e-14)


@pytest.mark.parametrize("name", ALL)
def test_what_diverges_is_passed_on_and_nothing_else_is_made_infinite(name):
    for bad in (np.inf, np.nan):
        v, q = np.array([1.0, bad, -1.0]), np.zeros(3)
        with np.errstate(all="ignore"):
            c.make(name).apply(q, v, np.full(3, 0.9), c.make(name).size)
        assert not np.isfinite(q).all() or name in ("rand-k", "top-k")
    assert np.isfinite(c.make(name)(np.full(3, 1e150), u=np.full(3, 0.5))).all()


def test_bits_of_a_message():
    bits = {name: c.make(name, **settings).bits(8) for name, (_, settings) in NAIVE.items()}
    assert bits == {"identity": 256, "rand-k": 96, "top-k": 105, "qsgd": 56, "natural": 72, "sign": 40}


# Updates, from the recurrences in the papers, with the uniform numbers of the run.


def linear(table):
    """Gradients (m, n, d) that do not depend on x."""

    def grads(out, x, who, idx, data):
        out[:] = data[0][who, idx]

    m, n, d = table.shape
    value = lambda x, data: 0.0  # noqa: E731
    return cg.Problem("linear", m=m, n=n, d=d, data=(table,), grads=grads, value=value)


def walked(problem, update, alpha, U, epochs=1, x0=None):
    """Engine after epochs in the order of the data, with given uniform numbers (n, m, draws)."""
    engine, pi = Engine(problem, update, x0), np.tile(np.arange(problem.n), (problem.m, 1))
    for _ in range(epochs):
        engine.epoch(pi, np.full(problem.n, alpha), None, draws=U)
    return engine.it


MADE = {"rand-k": c.rand_k(k=2), "top-k": c.top_k(k=2), "qsgd": c.qsgd(levels=2), "natural": c.natural()}


@pytest.fixture(scope="module")
def quadratic():
    return cg.problems.quadratic(m=3, n=5, d=4, heterogeneity=1.0, seed=1)


def naive_run(problem, Q, method, alpha, U, epochs, a=None):
    """Q-RR, EF and DIANA as the papers have them, in the order of the data."""
    lam, b = problem.data.eigenvalues, problem.data.b
    m, n, d = b.shape
    x, e = np.ones(d), np.zeros((m, d))
    h = {}
    for _ in range(epochs):
        for k in range(n):
            total = np.zeros(d)
            for i in range(m):
                g, u = lam * (x - b[i, k]), U[k, i]
                if method == "plain":
                    total += alpha * Q(g, u)
                elif method == "memory":
                    q = Q(e[i] + alpha * g, u)
                    e[i] = e[i] + alpha * g - q
                    total += q
                else:
                    key = (i, k) if method == "example" else i
                    old = h.get(key, np.zeros(d))
                    q = Q(g - old, u)
                    total += alpha * (old + q)
                    h[key] = old + a * q
            x = x - total / m
    return x


@pytest.mark.parametrize("name", sorted(MADE))
@pytest.mark.parametrize("method", ["plain", "memory", "example", "worker"])
def test_updates_follow_the_published_recurrences(name, method, quadratic):
    made, alpha = MADE[name], 0.01
    U = np.random.default_rng(0).random((5, 3, 4))
    if method in ("plain", "memory"):
        update = cg.updates.compressed(compressor=made, error_feedback=method == "memory")
    else:
        update = cg.updates.diana(compressor=made, shifts=method, rate=0.3)
    expected = naive_run(quadratic, lambda v, u: made(v, u), method, alpha, U, 4, a=0.3)
    given = U if update.draws_on(quadratic) else None
    it = walked(quadratic, update, alpha, given, 4, np.ones(4))
    assert_allclose(it.x, expected, rtol=1e-12)


@pytest.mark.parametrize(("batch", "tolerance"), [(1, 0.0), (2, 1e-12)])  # workers average first
def test_the_identity_is_plain_sgd_bit_for_bit(batch, tolerance):
    problem = cg.problems.logistic(m=3, n=7, d=9)
    how = {"epochs": 4, "step_size": 0.1, "batch": batch, "record": cg.Record(trajectory=True)}
    plain = cg.simulate(problem, "cd-grab", **how)
    same = cg.simulate(problem, "cd-grab", update=cg.updates.compressed(compressor="identity"), **how)
    assert_allclose(same.trajectory, plain.trajectory, rtol=0, atol=tolerance)


@pytest.mark.parametrize("shifts", ["example", "worker"])
def test_diana_with_the_identity_is_plain_sgd(shifts):
    problem = cg.problems.logistic(m=3, n=7, d=9)
    how = {"epochs": 4, "step_size": 0.1, "record": cg.Record(trajectory=True)}
    update = cg.updates.diana(compressor="identity", shifts=shifts)
    plain, same = (cg.simulate(problem, "rr", update=u, **how) for u in ("sgd", update))
    assert_allclose(same.trajectory, plain.trajectory, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["q_nastya", "diana_nastya"])
@pytest.mark.parametrize("steps", [None, 3])
def test_nastya_with_the_identity_is_nastya(name, steps):
    problem = cg.problems.skewed(m=3, n=6, d=3, heterogeneity=1.0)
    how = {"epochs": 4, "step_size": 0.01, "x0": np.ones(3), "record": cg.Record(trajectory=True)}
    given = {"server_step_size": 0.05, "steps": steps}
    plain = cg.simulate(problem, "rr", update=cg.updates.nastya(**given), **how)
    update = getattr(cg.updates, name)(compressor="identity", **given)
    assert_allclose(cg.simulate(problem, "rr", update=update, **how).trajectory, plain.trajectory, atol=1e-12)


def test_local_gradients_are_taken_at_the_local_points():
    """A published code takes them at the server's; then the local step size changes nothing."""
    problem = cg.problems.skewed(m=2, n=4, d=2)
    update = cg.updates.q_nastya(compressor="identity", server_step_size=0.01)
    how = {"epochs": 1, "x0": np.ones(2), "update": update}
    small, large = (cg.simulate(problem, "ig", step_size=a, **how).x for a in (1e-9, 1e-2))
    assert abs(small - large).max() > 1e-4


def test_nothing_is_lost_for_ever_with_error_feedback():
    """x less the mean of what was not sent moves by plain steps, whatever the compressor is."""
    table = np.random.default_rng(0).standard_normal((3, 6, 5))
    for made in (c.top_k(k=1), c.sign(), c.qsgd(levels=1)):
        update = cg.updates.compressed(compressor=made, error_feedback=True)
        U = np.random.default_rng(1).random((6, 3, 5)) if made.draws else None
        it = walked(linear(table), update, 0.1, U)
        assert_allclose(it.x - it.S[2:].mean(axis=0), -0.1 * table.mean(axis=0).sum(axis=0), atol=1e-14)


@pytest.mark.compiled
def test_the_second_moment_of_sparse_gradients_by_chance():
    """Six coordinates of which two are sent, eight examples, three workers, alpha = 0.1, one curvature."""
    problem = cg.problems.quadratic(m=3, n=8, d=6, eigenvalues=[1.0] * 6, heterogeneity=1.0)
    u = problem.data.b.swapaxes(0, 1) - problem.x_star
    exact = compression.compressed_moments(0.1, [1.0] * 6, 2.0, u, np.ones(6))[1, -1].sum()
    update = cg.updates.compressed(compressor=c.rand_k(k=2))
    how = {"epochs": 1, "step_size": 0.1, "x0": problem.x_star + 1.0, "update": update}
    run = cg.simulate(problem, "ig", replicates=4000, record=cg.Record(loss=False, grad_norm=False), **how)
    squares = run.distance[:, -1] ** 2
    assert abs(squares.mean() - exact) < 3.0 * squares.std(ddof=1) / math.sqrt(4000)  # fails once in 370
    assert exact > 1.05 * compression.compressed_moments(0.1, [1.0] * 6, 0.0, u, np.ones(6))[1, -1].sum()


def test_interpolation_has_no_floor():
    problem = cg.problems.quadratic(m=3, n=4, d=4, sigma=0.0)
    update = cg.updates.compressed(compressor=c.rand_k(k=1))
    assert cg.simulate(problem, "rr", epochs=400, step_size=0.02, update=update).distance[0, -1] < 1e-6


def test_shifts_remove_the_floor_of_full_gradients():
    problem = cg.problems.quadratic(m=4, n=1, d=4, heterogeneity=1.0)
    ends = [
        cg.simulate(problem, "ig", epochs=4000, step_size=0.01, update=update).distance[0, -1]
        for update in (cg.updates.compressed(), cg.updates.diana(shifts="worker"))
    ]
    assert ends[1] < 1e-12 < 1e-3 < ends[0]


# Control variates that are sent in pieces.


def coins(n, m, seed=0):
    return np.random.default_rng(seed).random((n, m, 2))


def test_all_workers_sending_everything_is_scaffnew():
    problem = cg.problems.quadratic(m=4, n=6, d=3, heterogeneity=1.0)
    U = coins(6, 4)
    plain = walked(problem, cg.updates.scaffnew(probability=0.4), 0.02, U[:, :, :1].copy(), 5)
    for update in (
        cg.updates.compressed_scaffnew(probability=0.4, s=4),
        cg.updates.tamuna(probability=0.4, s=4, cohort=4),
    ):
        assert_allclose(walked(problem, update, 0.02, U, 5).x, plain.x, atol=1e-12)


def test_tamuna_of_all_workers_is_compressed_scaffnew():
    problem = cg.problems.quadratic(m=4, n=6, d=3, heterogeneity=1.0)
    one, other = cg.updates.compressed_scaffnew(s=2), cg.updates.tamuna(s=2, cohort=4)
    assert_array_equal(
        walked(problem, one, 0.02, coins(6, 4), 5).x, walked(problem, other, 0.02, coins(6, 4), 5).x
    )


def test_certain_communication_is_gradient_descent():
    problem = cg.problems.quadratic(m=3, n=1, d=3, heterogeneity=1.0)
    how = {"epochs": 1, "step_size": 0.02, "x0": np.ones(3)}
    update = cg.updates.tamuna(probability=1.0, s=3)
    assert_allclose(
        cg.simulate(problem, "ig", update=update, **how).x, cg.simulate(problem, "ig", **how).x, atol=1e-14
    )


def naive_tamuna(problem, p, s, cohort, alpha, U):
    """Full gradients, a permutation by the second uniform numbers at the beginning of each round."""
    lam, b = problem.data.eigenvalues, problem.data.b[:, 0]
    m, d = b.shape
    x, h = np.ones((m, d)), np.zeros((m, d))
    chi, place = m * (s - 1) / (s * (m - 1)), None
    for u in U:
        if place is None:
            place = np.argsort(np.argsort(u[:, 1]))
        for i in range(m):
            if place[i] < cohort:
                x[i] = x[i] - alpha * (lam * (x[i] - b[i]) - h[i])
        if u[0, 0] < p:
            new = np.zeros(d)
            for q in range(d):
                owners = [i for i in range(m) if place[i] in [(q * s + r) % cohort for r in range(s)]]
                assert len(owners) == s
                new[q] = sum(x[i, q] for i in owners) / s
                for i in owners:
                    h[i, q] += p * chi / alpha * (new[q] - x[i, q])
            x[:] = new
            place = None
    return x, h


@pytest.mark.parametrize(("s", "cohort"), [(2, 5), (3, 4), (2, 2)])
def test_tamuna_follows_the_published_recurrence(s, cohort):
    problem = cg.problems.quadratic(m=5, n=1, d=4, heterogeneity=1.0)
    engine = Engine(problem, cg.updates.tamuna(probability=0.4, s=s, cohort=cohort), np.ones(4))
    U = np.random.default_rng(1).random((25, 5, 2))
    for u in U:
        engine.epoch(np.zeros((5, 1), dtype=np.int64), np.array([0.02]), None, draws=u[None])
    x, h = naive_tamuna(problem, 0.4, s, cohort, 0.02, U)
    assert_allclose(engine.it.X, x, rtol=1e-12)
    assert_allclose(engine.it.S, h, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("s", "cohort"), [(2, 5), (3, 5), (2, 3), (3, 3), (2, 2)])
def test_control_variates_sum_to_zero_and_the_minimiser_is_reached(s, cohort):
    problem = cg.problems.quadratic(m=5, n=1, d=4, eigenvalues=[1.0, 1.5, 2.0, 3.0], heterogeneity=1.0)
    engine = Engine(problem, cg.updates.tamuna(probability=0.5, s=s, cohort=cohort), np.ones(4))
    rng, pi = np.random.default_rng(0), np.zeros((5, 1), dtype=np.int64)
    for _ in range(1500):
        engine.epoch(pi, np.array([0.25]), None, draws=rng.random((1, 5, 2)))
        assert abs(engine.it.S.sum(axis=0)).max() < 1e-12
    assert_allclose(engine.it.x, problem.x_star, atol=1e-6)
    full = problem.gradients(problem.x_star)[:, 0]
    assert_allclose(engine.it.S, full, atol=1e-5)


LINEAR = {
    "compressed": {},
    "compressed with memory": {"error_feedback": True},
    "diana": {},
    "diana per worker": {"shifts": "worker"},
    "q-nastya": {},
    "diana-nastya": {},
    "compressed-scaffnew": {},
    "tamuna": {"s": 2},
}


@pytest.mark.parametrize("name", sorted(LINEAR))
def test_runs_have_the_whole_law_of_their_iterates(name):
    problem = cg.problems.quadratic(m=2, n=3, d=2, heterogeneity=1.0)
    update = cg.updates.UPDATES[name.split()[0]](**LINEAR[name])
    cells = {"cells": 2, "epochs": 1} if name == "compressed" else {}  # one of two coordinates
    cg.testing.assert_exact_law(problem, "rr", update, replicates=50, **cells)


BAD = {
    r"k: expected at most d = 3 coordinates to be kept; got 5": lambda p: c.rand_k(k=5),
    r"k: expected a whole number >= 1; got 0": lambda p: c.top_k(k=0),
    r"levels: expected a whole number >= 1; got 0": lambda p: c.qsgd(levels=0),
    r"unknown compressor 'rand-j'; did you mean 'rand-k'\?": lambda p: c.make("rand-j"),
}


@pytest.mark.parametrize("message", sorted(BAD))
def test_wrong_compressors_are_one_line(message):
    with pytest.raises(ValueError, match=message):
        run_with(lambda: cg.updates.compressed(compressor=BAD[message](None)))


WRONG = {
    r"rate: expected a number in \(0, 1\]; got 2.0; lower it": lambda: cg.updates.diana(rate=2.0),
    r"unknown shifts 'examples'; did you mean 'example'\?": lambda: cg.updates.diana(shifts="examples"),
    r"server_step_size: expected a finite number > 0": lambda: cg.updates.q_nastya(server_step_size=0.0),
    r"probability: expected a number in \(0, 1\]; got 1.5": lambda: cg.updates.tamuna(probability=1.5),
    r"s: expected a whole number >= 2; got 1": lambda: cg.updates.compressed_scaffnew(s=1),
    r"s: expected a whole number 2..3; got 4": lambda: cg.updates.compressed_scaffnew(s=4),
    r"cohort: expected a whole number 2..3; got 9": lambda: cg.updates.tamuna(cohort=9),
}


def run_with(make):
    cg.simulate(cg.problems.skewed(m=3, n=2, d=3), "rr", epochs=1, step_size=0.01, update=make())


@pytest.mark.parametrize("message", sorted(WRONG))
def test_wrong_arguments_are_one_line(message):
    with pytest.raises(ValueError, match=message):
        run_with(WRONG[message])


def test_moments_are_those_of_all_coins():
    """Rand-1 of two coordinates, two workers with their own coins: 2 v_p or 0, each with probability 1/2."""
    x, u = 0.3, np.random.default_rng(2).standard_normal((2, 2, 1))
    found = compression.compressed_moments(0.15, [2.0], 1.0, u, [0.7])
    law = np.array([0.7])
    kept = list(product([0.0, 2.0], repeat=2))
    for k, one in enumerate(u[..., 0], 1):
        law = np.array([e - x * np.mean(coins * (e - one)) for e in law for coins in kept])
        assert_allclose(found[:, k, 0], [law.mean(), (law**2).mean()], rtol=1e-13)
