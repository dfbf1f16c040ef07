"""Offline orders and profiles: naive twins, theory's bounds, and the ideal reference in a run."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import cdgrab_sim as cg
from tests import naive
from tests.strategies import few, orders, thorough, vectors, whole
from theory.herding import independent_reorder_bound, steinitz_bound
from theory.random_orders import prefix_second_moment

MEASURES = {"inf": np.inf, "l1": 1, "l2": 2}
h = cg.herding


def naive_greedy(z):
    m, n, d = len(z), len(z[0]), len(z[0][0])
    pi, s, left = [[] for _ in z], [0.0] * d, [list(range(n)) for _ in z]
    for _ in range(n):
        for i in range(m):
            j = min(left[i], key=lambda j, i=i: naive.inner(*[naive.plus(s, z[i][j])] * 2))
            left[i].remove(j)
            pi[i].append(j)
            s = naive.plus(s, z[i][j])
    return pi


@thorough
@given(z=vectors())
def test_greedy_herding_equals_its_naive_twin(z):
    assert h.greedy_order(z).tolist() == naive_greedy(z.tolist())
    assert_array_equal(h.greedy_order(z[0]), h.greedy_order(z[:1])[0])


def test_greedy_herding_is_far_below_random_orders():
    z = np.random.RandomState(0).standard_normal((4, 128, 3))
    z -= z.mean(axis=1, keepdims=True)
    assert h.error(z, h.greedy_order(z), "l2") < 0.3 * h.random_profile(z).max()


@pytest.mark.parametrize("measure", MEASURES)
@thorough
@given(z=st.tuples(st.integers(1, 12), few).flatmap(whole))
def test_the_steinitz_order_keeps_its_bound_in_every_norm(measure, z):
    z[-1] -= z.sum(axis=0)
    bound = steinitz_bound(z.shape[1], np.linalg.norm(z, MEASURES[measure], axis=1).max())
    pi = h.steinitz_order(z)
    assert sorted(pi) == list(range(len(z)))
    assert h.error(z, pi, measure) <= bound * (1 + 1e-9)


def test_the_steinitz_order_of_a_longer_list():
    z = np.random.RandomState(0).standard_normal((64, 3))
    z -= z.mean(axis=0)
    for measure, length in MEASURES.items():
        assert h.error(z, h.steinitz_order(z), measure) <= 3 * np.linalg.norm(z, length, axis=1).max()
    assert h.error(z, np.arange(64), "l2") > 2 * h.error(z, h.steinitz_order(z), "l2")


@pytest.mark.parametrize("ordering", ["cd-grab", "d-grab"])
def test_a_settled_order_comes_back_after_its_period_and_not_before(ordering):
    z = np.random.RandomState(3).standard_normal((2, 6, 1))
    z -= z.mean(axis=1, keepdims=True)
    for seed in range(10):
        pi, rounds, period = h.settle(z, ordering, seed=seed)
        assert_array_equal(h.order(z, ordering, rounds, seed=seed), pi)
        later = [h.order(z, ordering, t, first=pi) for t in range(1, period + 1)]
        assert [np.array_equal(one, pi) for one in later] == [False] * (period - 1) + [True]
        assert period > (ordering == "cd-grab")  # pairs: the second of the first pair always moves
    assert h.settle(z, ordering, 0).period == 0


@pytest.mark.parametrize("measure", MEASURES)
@thorough
@given(z=vectors(), data=st.data())
def test_profiles_and_errors_agree_with_their_twins(measure, z, data):
    pi = data.draw(orders(*z.shape[:2]))
    stream = naive.follow(z.tolist(), pi.tolist())
    sums = np.cumsum(np.array(stream).sum(axis=1), axis=0)
    expected = np.linalg.norm(sums, MEASURES[measure], axis=1)
    assert_allclose(h.profile(z, pi, measure), expected, rtol=1e-14)
    assert h.error(z, pi, measure) == pytest.approx(expected.max(), rel=1e-14)
    own = [h.error(z[i], pi[i], measure) for i in range(len(z))]
    assert_allclose(h.worker_errors(z, pi, measure), own, rtol=1e-14)
    assert h.error(z, pi, measure) <= sum(own) * (1 + 1e-12)


def test_independent_reorders_keep_the_sum_of_the_workers_bounds():
    z = np.random.RandomState(0).standard_normal((3, 32, 2))
    z -= z.mean(axis=1, keepdims=True)
    first = np.tile(np.arange(32), (3, 1))
    eps = cg.balancing.signs(z)
    own = [cg.balancing.prefix_discrepancy(v, e, "l2") for v, e in zip(z, eps, strict=True)]
    bound = independent_reorder_bound(h.worker_errors(z, first, "l2"), own)
    assert h.error(z, h.order(z, "d-grab", first=first), "l2") <= bound


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 4), (2, 3)])
def test_the_profile_of_random_orders_is_exact(m, n):
    """Every order of every worker, sum not zero."""
    z = np.random.RandomState(m).standard_normal((m, n, 2)) + 1.0
    squares = [
        h.profile(z, np.array(pi), "l2") ** 2
        for pi in itertools.product(itertools.permutations(range(n)), repeat=m)
    ]
    assert_allclose(h.random_profile(z) ** 2, np.mean(squares, axis=0), rtol=1e-12)


def test_the_profile_of_random_orders_is_that_of_theory():
    z = np.random.RandomState(0).standard_normal((3, 10, 2))
    z -= z.mean(axis=1, keepdims=True)
    variance = (z * z).sum() / 30
    assert_allclose(h.random_profile(z) ** 2, prefix_second_moment(10, 3, variance), rtol=1e-12, atol=1e-12)


def test_herding_at_the_minimiser_is_the_greedy_order_there():
    problem = cg.problems.skewed(m=3, n=12, d=2, heterogeneity=0.5)
    record = cg.Record(orders=True, herding=("l2",))
    run = cg.simulate(problem, "herding", epochs=3, step_size=1e-4, x0=problem.x_star, record=record)
    z = problem.gradients(problem.x_star)
    expected = h.greedy_order(z - z.mean(axis=1, keepdims=True))
    assert_array_equal(run.orders[0], np.broadcast_to(expected, (3, 3, 12)))
    random = cg.simulate(problem, "rr", epochs=3, step_size=1e-4, x0=problem.x_star, record=record)
    assert run.herding["l2"][0, 0] < random.herding["l2"][0].mean()
    elsewhere = cg.orderings.herding(at=[1.0, -2.0])
    cg.simulate(problem, elsewhere, epochs=1, step_size=1e-4)
    with pytest.raises(ValueError, match=r"at: expected shape \(d,\) = \(2,\); got \(3,\)"):
        cg.simulate(problem, cg.orderings.herding(at=np.zeros(3)), epochs=1, step_size=1e-4)


def test_herding_starts_from_the_origin_where_the_minimiser_is_not_known():
    given_ = cg.problems.quadratic(m=2, n=6, d=2)
    unknown = cg.Problem("same", m=2, n=6, d=2, data=given_.data, grads=given_.grads, value=given_.value)
    at_zero, default = (
        cg.simulate(
            unknown, cg.orderings.herding(at=at), epochs=1, step_size=1e-4, record=cg.Record(orders=True)
        )
        for at in ([0.0, 0.0], None)
    )
    assert_array_equal(at_zero.orders, default.orders)


REFUSED = {
    r"z: expected a non-empty array with 2 axes; got shape \(1, 2, 1\)": lambda: h.steinitz_order(
        np.zeros((1, 2, 1))
    ),
    "expected vectors with sum zero; .* subtract their mean": lambda: h.steinitz_order([[1.0], [1.0]]),
    "unknown norm 'l3'": lambda: h.profile(np.zeros((2, 1)), [0, 1], "l3"),
    "most: expected a whole number >= 0; got -1": lambda: h.settle(np.zeros((2, 1)), "rr", -1),
}


@pytest.mark.parametrize("message", REFUSED)
def test_wrong_arguments_are_refused_in_one_line(message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        REFUSED[message]()
    assert "\n" not in str(caught.value)
