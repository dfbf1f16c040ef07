"""Different Hessians: the subset recursion against n! orders, the biases against exact limits."""

import itertools
import math

import numpy as np
import pytest

from theory.instances import general_quadratics
from theory.quadratics import (
    affine_maps,
    average_product,
    expected_epoch,
    fixed_order_bias,
    reshuffling_bias,
    reversed_pair_bias,
    squares,
    stationary_mean,
)

EXACT = 1e-12


def problem(m, n, d, seed=0):
    """Symmetric Hessians around 1.5 I, some indefinite, and generic linear terms."""
    rng = np.random.default_rng([seed, m, n, d])
    half = rng.normal(size=(m, n, d, d))
    return 1.5 * np.eye(d) + (half + half.swapaxes(-1, -2)) / 2, rng.normal(size=(m, n, d))


def run(x, hessians, linear, orders, alpha):
    """The update rule on m workers."""
    for picks in zip(*orders, strict=True):
        x = x - alpha * np.mean([hessians[i, j] @ x - linear[i, j] for i, j in enumerate(picks)], axis=0)
    return x


def epoch_map(hessians, linear, orders, alpha):
    """Q and q of x -> Q x + q over the given steps, read off by running them."""
    d = hessians.shape[-1]
    q = run(np.zeros(d), hessians, linear, orders, alpha)
    return np.stack([run(e, hessians, linear, orders, alpha) - q for e in np.eye(d)], axis=1), q


def fixed_point(maps):
    Q, q = (np.mean([one[k] for one in maps], axis=0) for k in (0, 1))
    return np.linalg.solve(np.eye(len(q)) - Q, q)


@pytest.mark.parametrize(("n", "d"), [(1, 2), (3, 3), (5, 2), (6, 1)])
def test_subset_recursion_is_the_average_over_all_orders(n, d):
    hessians, linear = problem(1, n, d)
    alpha, start = 0.2, np.random.default_rng(1).normal(size=d)
    ends = np.array([run(start, hessians, linear, [pi], alpha) for pi in itertools.permutations(range(n))])
    homogeneous = np.column_stack([ends, np.ones(len(ends))])
    maps, y = affine_maps(alpha, hessians[0], linear[0]), np.append(start, 1.0)
    np.testing.assert_allclose(average_product(maps) @ y, homogeneous.mean(axis=0), rtol=EXACT, atol=EXACT)
    second = (average_product(squares(maps)) @ np.outer(y, y).ravel()).reshape(d + 1, d + 1)
    np.testing.assert_allclose(second, homogeneous.T @ homogeneous / len(ends), rtol=EXACT, atol=EXACT)


def test_draws_with_replacement_are_the_average_over_all_draws():
    hessians, linear = problem(1, 4, 2)
    maps = affine_maps(0.2, hessians[0], linear[0])
    for family in (maps, squares(maps)):
        products = [
            np.linalg.multi_dot([family[j] for j in draw]) for draw in itertools.product(range(4), repeat=4)
        ]
        np.testing.assert_allclose(expected_epoch("sgd", family), np.mean(products, axis=0), rtol=1e-11)


def test_stationary_mean_is_the_fixed_point_of_the_enumerated_epoch():
    hessians, linear = problem(1, 5, 3)
    maps = [epoch_map(hessians, linear, [pi], 0.05) for pi in itertools.permutations(range(5))]
    np.testing.assert_allclose(
        stationary_mean("rr", 0.05, hessians[0], linear[0]), fixed_point(maps), rtol=1e-11
    )


def test_the_mean_with_replacement_has_no_bias():
    hessians, linear = problem(1, 5, 3)
    optimum = general_quadratics(hessians, linear).x_star
    np.testing.assert_allclose(stationary_mean("sgd", 0.05, hessians[0], linear[0]), optimum, rtol=1e-11)


def halves_with_alpha(limit, bias, x_star, alphas=(4e-3, 2e-3, 1e-3)):
    """The relative error of a first-order term is O(alpha): it halves, and it is small at the end."""
    gaps = []
    for alpha in alphas:
        predicted = bias(alpha)
        gaps.append(np.linalg.norm(limit(alpha) - x_star - predicted) / np.linalg.norm(predicted))
    assert gaps[-1] < 0.02
    for coarse, fine in itertools.pairwise(gaps):
        assert fine / coarse == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(("m", "n"), [(1, 4), (2, 3), (3, 2)])
def test_bias_of_reshuffling(m, n):
    hessians, linear = problem(m, n, 2)
    data = general_quadratics(hessians, linear)
    orders = list(itertools.product(list(itertools.permutations(range(n))), repeat=m))

    def limit(alpha):
        return fixed_point([epoch_map(hessians, linear, one, alpha) for one in orders])

    halves_with_alpha(limit, lambda alpha: reshuffling_bias(alpha, hessians, data.gradients), data.x_star)


def test_bias_of_reshuffling_at_larger_n_by_the_recursion():
    hessians, linear = problem(1, 9, 2)
    data = general_quadratics(hessians, linear)
    halves_with_alpha(
        lambda alpha: stationary_mean("rr", alpha, hessians[0], linear[0]),
        lambda alpha: reshuffling_bias(alpha, hessians, data.gradients),
        data.x_star,
    )


@pytest.mark.parametrize("m", [1, 3])
def test_bias_of_a_fixed_order_and_of_an_order_with_its_reverse(m):
    n = 5
    hessians, linear = problem(m, n, 2, seed=m)
    data = general_quadratics(hessians, linear)
    rng = np.random.default_rng(8)
    orders = [list(rng.permutation(n)) for _ in range(m)]
    there_and_back = [pi + pi[::-1] for pi in orders]
    steps = [np.mean([v[i, pi] for i, pi in enumerate(orders)], axis=0) for v in (hessians, data.gradients)]

    def limit(passes):
        return lambda alpha: fixed_point([epoch_map(hessians, linear, passes, alpha)])

    halves_with_alpha(limit(orders), lambda alpha: fixed_order_bias(alpha, *steps), data.x_star)
    halves_with_alpha(limit(there_and_back), lambda alpha: reversed_pair_bias(alpha, *steps), data.x_star)


def test_the_three_biases_agree_where_they_must():
    """One worker: the average over all orders of G4 is G3, and G4b does not see the order."""
    hessians, linear = problem(1, 4, 3)
    z = general_quadratics(hessians, linear).gradients
    orders = [list(pi) for pi in itertools.permutations(range(4))]
    average = np.mean([fixed_order_bias(0.1, hessians[0, pi], z[0, pi]) for pi in orders], axis=0)
    np.testing.assert_allclose(average, reshuffling_bias(0.1, hessians, z), rtol=1e-10)
    for pi in orders[::7]:
        np.testing.assert_allclose(
            reversed_pair_bias(0.1, hessians[0, pi], z[0, pi]), reshuffling_bias(0.1, hessians, z), rtol=1e-10
        )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: affine_maps(0.0, np.ones((2, 1, 1)), np.ones((2, 1))), "alpha > 0"),
        (lambda: affine_maps(0.1, np.ones((2, 1, 2)), np.ones((2, 1))), "hessians with shape"),
        (lambda: affine_maps(0.1, np.ones((2, 1, 1)), np.ones((3, 1))), "linear of shape"),
        (
            lambda: affine_maps(0.1, [[[1.0]], [[1.0], [2.0]]], [[1.0]]),
            "hessians as an array of real numbers",
        ),
        (lambda: affine_maps(0.1, np.full((2, 1, 1), np.nan), np.ones((2, 1))), "finite hessians"),
        (lambda: average_product(np.ones((24, 4, 4))), "fewer or smaller maps"),
        (lambda: expected_epoch("so", np.ones((2, 1, 1))), "rr, sgd"),
        (lambda: stationary_mean("rr", 3.0, np.ones((2, 1, 1)), np.ones((2, 1))), "contracting"),
        (lambda: reshuffling_bias(-1.0, np.ones((1, 2, 1, 1)), np.ones((1, 2, 1))), "alpha > 0"),
    ],
)
def test_bad_parameters_are_refused_in_one_line(call, message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_the_cost_is_that_of_subsets():
    """14 maps have 14! = 8.7e10 orders; the recursion needs 2^14 products, checked on commuting maps."""
    factors = np.linspace(0.5, 1.5, 14)
    assert average_product(factors[:, None, None])[0, 0] == pytest.approx(math.prod(factors), rel=EXACT)
