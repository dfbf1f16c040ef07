"""Weighted draws and random projections."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import cdgrab_sim as cg
from cdgrab_sim.orderings import weighted
from cdgrab_sim.testing import assert_exact_law


def general(m, n, d, seed=0):
    """Every example has a Hessian of its own."""
    rng = np.random.default_rng([seed, m, n, d])
    root = rng.standard_normal((m, n, d, d))
    hessians = root @ root.swapaxes(-1, -2) + 0.3 * np.eye(d)
    return cg.problems.from_hessians(
        (hessians + hessians.swapaxes(-1, -2)) / 2, rng.standard_normal((m, n, d))
    )


@pytest.mark.parametrize("by", ["uniform", np.full(6, 0.3)], ids=["uniform", "alike"])
@pytest.mark.parametrize("update", ["sgd", "heavy-ball", "saga", "svrg"])
def test_uniform_draws_have_the_bits_of_sgd(by, update):
    problem = cg.problems.quadratic(m=3, n=6, d=2)
    how = {"epochs": 5, "step_size": 0.01, "update": update, "x0": [1.0, 2.0]}
    how["record"] = cg.Record(orders=True, trajectory=True)
    plain, same = (cg.simulate(problem, ordering, **how) for ordering in ("sgd", weighted(by)))
    assert_array_equal(same.orders, plain.orders)
    assert_array_equal(same.trajectory, plain.trajectory)


@pytest.mark.parametrize("by", ["smoothness", "half"])
def test_probabilities_follow_the_smoothness_of_examples(by):
    """Counted in 4,000 epochs; a right ordering fails once in 1,000 seeds."""
    problem = general(2, 5, 2)
    L = np.abs(np.linalg.eigvalsh(problem.data.hessians)).max(axis=2)
    p = L / L.sum(axis=1, keepdims=True)
    p = p if by == "smoothness" else (p + 0.2) / 2
    how = {"epochs": 4000, "step_size": 1e-9, "record": cg.Record(orders=True, loss=False, grad_norm=False)}
    orders = cg.simulate(problem, weighted(by), **how).orders[0]
    counts = np.stack([np.bincount(orders[:, i].ravel(), minlength=5) for i in (0, 1)])
    off = (counts - 20_000 * p) / np.sqrt(20_000 * p * (1 - p))
    assert (off**2).sum() * 0.8 < 26.1  # chi squared with 8 degrees of freedom
    assert_allclose(weighted(by).init(problem, np.random.default_rng(0)).weight, 0.2 / p, rtol=1e-13)


@pytest.mark.parametrize("update", ["sgd", "heavy-ball", "saga", "svrg"])
def test_runs_with_weights_have_their_exact_law(update):
    assert_exact_law(general(2, 3, 1), weighted([1.0, 2.0, 5.0]), update, law="any", replicates=10)


def test_uniform_draws_have_the_law_of_sgd():
    assert_exact_law(general(1, 3, 2), weighted(), law="sgd", replicates=100)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_no_example_is_lost_or_invented(n):
    p = np.geomspace(1.0, 1e-9, n)
    pi = weighted(p).init(cg.problems.quadratic(m=2, n=n, d=1), np.random.default_rng(0)).pi
    assert pi.dtype == np.int64
    assert ((pi >= 0) & (pi < n)).all()


def test_every_step_of_kaczmarz_is_a_projection():
    problem = cg.problems.linear_system(n=8, d=3, condition=5.0, seed=2)
    record = cg.Record(orders=True, trajectory=True)
    how = {"step_size": problem.constants["kaczmarz_step"], "x0": np.ones(3), "record": record}
    run = cg.simulate(problem, weighted("smoothness"), epochs=3, **how)
    A, b, x = problem.data.X, problem.data.y, np.ones(3)
    for j in run.orders[0, :, 0].ravel():
        x = x + (b[j] - A[j] @ x) / (A[j] @ A[j]) * A[j]
        assert abs(A[j] @ x - b[j]) < 1e-14
    assert_allclose(run.x[0], x, rtol=1e-12)


def test_linear_systems_have_the_singular_values_that_were_asked_for():
    problem = cg.problems.linear_system(m=2, n=5, d=3, condition=4.0, sigma=0.5)
    for rows in problem.data.X.reshape(2, 5, 3):
        assert_allclose(np.linalg.svd(rows, compute_uv=False), [1.0, 0.5, 0.25], rtol=1e-13)
    assert problem.constants["kaczmarz_step"] == pytest.approx(5 / (1 + 0.25 + 0.0625), rel=1e-13)
    assert problem.f_star > 0.0
    assert cg.problems.linear_system(n=5).f_star < 1e-28


def test_smoothness_is_that_of_every_example():
    for problem in (cg.problems.least_squares(m=2, n=3, ridge=0.5), general(2, 3, 3)):
        e, h = np.eye(3), problem.gradients(np.zeros(3))
        hessians = np.stack([problem.gradients(one) - h for one in e], axis=-1)
        assert_allclose(problem.smoothness, np.linalg.eigvalsh(hessians).max(axis=2), rtol=1e-12)
        assert problem.smoothness.max() == pytest.approx(problem.constants["L"], rel=1e-14)


BAD = {
    r"unknown by 'length' \(known: uniform, smoothness, half\)": lambda: weighted("length"),
    r"by: expected positive numbers; got 0": lambda: weighted([1.0, 0.0]),
    r"by: expected shape \(n,\) = \(64,\) or \(m, n\) = \(8, 64\); got \(2,\)": lambda: run(
        weighted([1.0, 2.0])
    ),
    r"expected a problem that knows its smoothness; got 'skewed'": lambda: run(weighted("half")),
}


def run(ordering):
    cg.simulate("skewed", ordering, epochs=1, step_size=1e-3)


@pytest.mark.parametrize("message", sorted(BAD))
def test_what_cannot_be_drawn_is_refused(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


def test_a_flat_example_is_refused_by_name():
    flat = cg.problems.from_hessians([[[[0.0]], [[2.0]]]], [[[1.0], [1.0]]])
    with pytest.raises(ValueError, match="got 0 at example 0 of worker 0; take 'half'"):
        cg.simulate(flat, weighted("smoothness"), epochs=1, step_size=0.1)
    with pytest.raises(ValueError, match=r"smoothness: expected numbers >= 0 of shape \(m, n\) = \(1, 2\)"):
        cg.Problem("mine", 1, 2, 1, (), flat.grads, flat.value, smoothness=np.ones((2, 2)))
