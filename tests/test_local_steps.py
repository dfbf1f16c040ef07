"""Updates with rounds: each against its published recurrence, its exact limits, and its fixed point."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim._rng import Role, Stream
from cdgrab_sim.synchronous._engine import Engine

TRAJECTORY = cg.Record(trajectory=True)


def grads(out, x, who, idx, data):
    out[:] = (data.hessians[who, idx] * x).sum(axis=-1) - data.linear[who, idx]


def plain(problem):
    return replace(problem, name="plain", grads=grads, walk=None)


def quadratics(m=3, n=6, d=2, seed=0):
    """Every example has a Hessian of its own, with eigenvalues between 0.2 and 1.2.

    Its gradients are plain Python: the loop around them is then too, and nothing is compiled here.
    """
    rng = np.random.RandomState(seed)
    half = rng.standard_normal((m, n, d, d))
    square = half @ half.swapaxes(2, 3)
    A = 0.2 * np.eye(d) + square / np.trace(square, axis1=2, axis2=3)[..., None, None]
    return plain(cg.problems.from_hessians(A, rng.standard_normal((m, n, d))))


def run_of(problem, update, **more):
    given = {"ordering": "rr", "epochs": 5, "step_size": 0.1, "x0": np.ones(problem.d), "record": TRAJECTORY}
    given |= more
    return cg.simulate(problem, given.pop("ordering"), update=update, **given)


# Recurrences as published: worker by worker, with points instead of collected moves.


def naive_rounds(problem, orders, alpha, H, round_end, correct, batch=1):
    """Follow `orders` (T, m, n); ``round_end(x, X)`` returns x, ``correct(i)`` what steps subtract."""
    A, c = problem.data.hessians, problem.data.linear
    m, x, path, taken = problem.m, np.ones(problem.d), [np.ones(problem.d)], 0
    X = [x] * m
    for pi in orders:
        for k in range(0, problem.n, batch):
            for i in range(m):
                js = pi[i, k : k + batch]
                g = sum(A[i, j] @ X[i] - c[i, j] for j in js) / batch
                X[i] = X[i] - alpha * (g - correct(i))
            taken += 1
            if taken % H == 0:
                x = round_end(x, X)
                X = [x] * m
        path.append(x)
    return np.array(path)


def nothing(i):
    return 0.0


def naive_local(problem, orders, alpha, batch=1, H=4, scale=1.0, weights=None):
    w = np.full(problem.m, 1 / problem.m) if weights is None else weights
    return naive_rounds(problem, orders, alpha, H, lambda x, X: x + scale * (w @ X - x), nothing, batch)


def naive_nastya(problem, orders, alpha, batch=1, H=4, eta=0.3):
    def round_end(x, X):
        return x - eta * np.mean([(x - xi) / (alpha * H) for xi in X], axis=0)

    return naive_rounds(problem, orders, alpha, H, round_end, nothing, batch)


def naive_scaffold(problem, orders, alpha, batch=1, H=4, scale=1.0):
    """In the letters of arXiv 1910.06378: variates c_i of workers and c of the server, option II."""
    ci, c = np.zeros((problem.m, problem.d)), np.zeros(problem.d)

    def round_end(x, X):
        new = [ci[i] - c + (x - X[i]) / (H * alpha) for i in range(problem.m)]
        c[:] += np.mean(new - ci, axis=0)
        ci[:] = new
        return x + scale * np.mean([xi - x for xi in X], axis=0)

    return naive_rounds(problem, orders, alpha, H, round_end, lambda i: ci[i] - c, batch)


NAIVE = {
    "local": (naive_local, {"steps": 4}, {}),
    "server": (naive_local, {"steps": 4, "server_step": 1.5}, {"scale": 1.5}),
    "weighted": (naive_local, {"weights": [0.5, 0.25, 0.25]}, {"weights": np.array([0.5, 0.25, 0.25])}),
    "nastya": (naive_nastya, {"steps": 4, "server_step_size": 0.3}, {}),
    "scaffold": (naive_scaffold, {"steps": 4, "server_step": 0.75}, {"scale": 0.75}),
}


@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("name", sorted(NAIVE))
def test_rounds_equal_the_published_recurrence(name, batch):
    """Rounds of four steps in epochs of six, or of three: they need not end together."""
    naive, settings, same = NAIVE[name]
    problem, factory = quadratics(), getattr(cg.updates, name if name in ("nastya", "scaffold") else "local")
    run = run_of(problem, factory(**settings), batch=batch, record=cg.Record(trajectory=True, orders=True))
    expected = naive(problem, run.orders[0], 0.1, batch, **same)
    assert_allclose(run.trajectory[0], expected, rtol=0, atol=1e-14)


def test_scaffnew_equals_the_published_recurrence():
    problem, p, alpha, m = quadratics(), 0.3, 0.1, 3
    run = run_of(
        problem, cg.updates.scaffnew(probability=p), seed=5, record=cg.Record(trajectory=True, orders=True)
    )
    A, c, h = problem.data.hessians, problem.data.linear, np.zeros((m, 2))
    X, x, coins = np.ones((m, 2)), np.ones(2), Stream(5, Role.UPDATE, 0)
    for t, pi in enumerate(run.orders[0]):
        tosses = coins.at(t).random((m, 6, 1))[0, :, 0]
        for k in range(6):
            g = np.array([A[i, pi[i, k]] @ X[i] - c[i, pi[i, k]] for i in range(m)])
            ahead = X - alpha * (g - h)
            X = np.tile(ahead.mean(axis=0), (m, 1)) if tosses[k] < p else ahead
            h = h + p / alpha * (X - ahead)
            x = X[0] if tosses[k] < p else x
        assert_allclose(run.trajectory[0, t + 1], x, rtol=0, atol=1e-14)
    assert not np.array_equal(x, np.ones(2))


ONE_STEP = {
    "local": cg.updates.local(steps=1),
    "scaffold": cg.updates.scaffold(steps=1),
    "scaffnew": cg.updates.scaffnew(probability=1.0),
    "nastya": cg.updates.nastya(server_step_size=0.1, steps=1),
}


@pytest.mark.parametrize("name", sorted(ONE_STEP))
@pytest.mark.parametrize("d", [2, 9])
def test_rounds_of_one_step_have_the_bits_of_plain_sgd(name, d):
    problem = quadratics(d=d)
    plain = run_of(problem, "sgd", ordering="cd-grab")
    assert_array_equal(run_of(problem, ONE_STEP[name], ordering="cd-grab").trajectory, plain.trajectory)


@pytest.mark.parametrize("steps", [1, 2, 4, 8])
@pytest.mark.parametrize("ordering", ["rr", "cd-grab", "d-grab-pair"])
def test_on_a_shared_hessian_the_server_is_where_minibatches_would_be(ordering, steps):
    one = quadratics(m=1, n=1).data.hessians[0, 0]
    problem = plain(cg.problems.from_hessians(np.tile(one, (3, 8, 1, 1)), quadratics(n=8).data.linear))
    how = {"ordering": "fixed", "step_size": 0.1}
    pi = run_of(problem, "sgd", ordering=ordering, record=cg.Record(orders=True)).orders[0, -1]
    runs = [
        run_of(problem, u, **how | {"ordering": cg.orderings.fixed(pi)})
        for u in ("sgd", cg.updates.local(steps=steps))
    ]
    assert_allclose(runs[1].trajectory, runs[0].trajectory, rtol=0, atol=1e-13)


def test_local_gradient_descent_ends_at_its_own_fixed_point_and_control_variates_at_the_minimiser():
    problem, alpha, H = quadratics(m=4, n=1, d=3), 0.3, 5
    A, c = problem.data.hessians[:, 0], problem.data.linear[:, 0]
    P = np.array([np.linalg.matrix_power(np.eye(3) - alpha * a, H) for a in A])
    pull = np.array([(np.eye(3) - p) @ np.linalg.solve(a, b) for p, a, b in zip(P, A, c, strict=True)])
    fixed = np.linalg.solve(np.eye(3) - P.mean(axis=0), pull.mean(axis=0))
    star = np.linalg.solve(A.mean(axis=0), c.mean(axis=0))
    how = {"step_size": alpha, "epochs": 2000, "record": None}
    assert_allclose(run_of(problem, cg.updates.local(steps=H), **how).x[0], fixed, rtol=0, atol=1e-12)
    assert np.linalg.norm(fixed - star) > 0.01
    for exact in (cg.updates.scaffold(steps=H), cg.updates.scaffnew(probability=0.3)):
        assert_allclose(run_of(problem, exact, **how).x[0], star, rtol=0, atol=1e-12)


def test_control_variates_sum_to_zero_in_every_step_and_become_the_gradients_at_the_minimiser():
    problem, pi = quadratics(m=4, n=1, d=3), np.zeros((4, 1), dtype=np.int64)
    at_star = problem.gradients(problem.x_star)[:, 0]
    coins = Stream(0, Role.UPDATE, 0)
    for update in (cg.updates.scaffold(steps=5), cg.updates.scaffnew(probability=0.3)):
        engine = Engine(problem, update, np.ones(3))
        for t in range(2000):
            engine.epoch(pi, np.array([0.3]), None, draws=coins.at(t).random((1, 4, 1)))
            h = engine.it.S[2:6]
            assert np.abs(h.sum(axis=0)).max() < 1e-12
        assert_allclose(h, at_star, rtol=0, atol=1e-12)


def test_nastya_is_fedrr_where_its_steps_agree_and_gradient_descent_where_local_steps_vanish():
    problem, n, alpha = quadratics(), 6, 0.1
    fedrr = run_of(problem, cg.updates.local(steps=n)).trajectory
    same = run_of(problem, cg.updates.nastya(server_step_size=alpha * n)).trajectory
    assert_allclose(same, fedrr, rtol=0, atol=1e-13)
    server = run_of(problem, cg.updates.local(steps=n, server_step=2.0)).trajectory
    assert_allclose(
        run_of(problem, cg.updates.nastya(server_step_size=2 * alpha * n)).trajectory, server, atol=1e-13
    )
    descent = run_of(problem, "sgd", batch=n, step_size=0.6).trajectory
    nastya = cg.updates.nastya(server_step_size=0.6)
    far = [abs(run_of(problem, nastya, step_size=g).trajectory - descent).max() for g in (1e-3, 5e-4, 1e-300)]
    assert far[0] / far[1] == pytest.approx(2.0, rel=0.02)
    assert far[2] < 1e-14


def test_an_average_of_epochs_is_not_an_average_of_steps():
    """Workers with 2 and 6 examples, filled up with empty ones: n_i / N counts the large one twice.

    As alpha -> 0 a round moves by alpha sum_i w_i n_i grad f_i: zero at sum w_i n_i x_i* / sum w_i n_i.
    """
    own, n, minima = np.array([2, 6]), 6, np.array([1.0, -1.0])
    A = np.where(np.arange(n) < own[:, None], 1.0, 0.0)
    problem = plain(cg.problems.from_hessians(A[..., None, None], (A * minima[:, None])[..., None]))
    how = {"epochs": 1500, "step_size": 1e-3, "record": None, "x0": [0.0]}
    equal = run_of(problem, cg.updates.local(steps=n), **how).x[0, 0]
    fedavg = run_of(problem, cg.updates.local(steps=n, weights=own / own.sum()), **how).x[0, 0]
    assert equal == pytest.approx(own @ minima / own.sum(), abs=0.01)  # all examples alike: -1/2
    assert fedavg == pytest.approx(own**2 @ minima / (own**2).sum(), abs=0.01)  # -4/5
    assert_allclose(problem.x_star, -0.5)


def test_empty_examples_are_no_steps():
    """Filling up a worker changes nothing: its epoch is its own few steps, whatever comes between."""
    own = quadratics(m=1, n=4)
    A, c = np.zeros((1, 6, 2, 2)), np.zeros((1, 6, 2))
    A[0, [0, 2, 3, 5]], c[0, [0, 2, 3, 5]] = own.data.hessians[0], own.data.linear[0]
    filled = plain(cg.problems.from_hessians(A, c))
    runs = [run_of(p, cg.updates.local(steps=p.n), ordering="ig") for p in (own, filled)]
    assert_array_equal(runs[0].trajectory, runs[1].trajectory)


BAD = {
    r"steps: expected a whole number >= 1; got 0": lambda: cg.updates.local(steps=0),
    r"server_step: expected a finite number > 0; got 0": lambda: cg.updates.scaffold(server_step=0.0),
    r"server_step_size: expected a finite number > 0; got -1": lambda: cg.updates.nastya(
        server_step_size=-1.0
    ),
    r"weights: expected positive numbers of sum 1; got \[0.5, 0.25\]": lambda: cg.updates.local(
        weights=[0.5, 0.25]
    ),
    r"probability: expected a number in \(0, 1\]; got 1.5": lambda: cg.updates.scaffnew(probability=1.5),
    r"probability: expected a number in \(0, 1\]; got 0.0; raise it": lambda: cg.updates.scaffnew(
        probability=0.0
    ),
    r"weights: expected one for each of m = 3 workers; got 2": lambda: run_of(
        quadratics(), cg.updates.local(weights=[0.5, 0.5])
    ),
}


@pytest.mark.parametrize("message", sorted(BAD))
def test_wrong_arguments_are_refused_in_one_line(message):
    with pytest.raises(ValueError, match=message) as refused:
        BAD[message]()
    assert "\n" not in str(refused.value)


LINEAR = {
    "local": cg.updates.local(steps=3, server_step=1.5),  # rounds that end within an epoch and across
    "nastya": cg.updates.nastya(server_step_size=0.3),
    "scaffold": cg.updates.scaffold(steps=2),
    "scaffnew": cg.updates.scaffnew(probability=0.5),
}


@pytest.mark.parametrize("name", sorted(LINEAR))
def test_rounds_have_the_law_of_their_affine_maps(name):
    cells = 2 if LINEAR[name].draws else 0
    cg.testing.assert_exact_law(quadratics(m=2, n=2), "rr", LINEAR[name], cells=cells)
