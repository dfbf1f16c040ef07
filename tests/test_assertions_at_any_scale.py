"""cg.testing: what is no number fails, and statements without a scale are judged at every scale."""

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import testing

SCALES = [1e-300, 1e-200, 1e-15, 1.0, 1e15, 1e200, 1e300]
Z = np.random.RandomState(0).standard_normal((32, 2))
ONE_SIDED = np.ones(32, dtype=int)
PAIRS = np.ones(16, dtype=int)
SAME = np.arange(32)
SORTED = np.sort(Z[:, :1], axis=0)


def test_a_bound_that_is_no_number_bounds_nothing():
    with pytest.raises(AssertionError, match="expected signed sums of at most nan"):
        testing.check_sign_rule(cg.balancing.signs, bound=lambda z: np.nan)


@pytest.mark.parametrize("position", range(5))
def test_nan_is_no_law(position):
    given = [np.array([0.5, 0.5]), np.array([[1.0], [-1.0]]), np.ones(1), 2 * np.ones(1), np.ones((1, 1))]
    testing.assert_sub_gaussian(*given)
    given[position] = given[position] * np.nan
    with pytest.raises((AssertionError, ValueError)):
        testing.assert_sub_gaussian(*given)


@pytest.mark.parametrize("length", [1e-3, 1.0, 30.0, 1e3])
def test_moments_beyond_the_machine(length):
    fair = ([0.5, 0.5], [[1.0], [-1.0]], [1.0], [2.0], [[length]])
    testing.assert_sub_gaussian(*fair)
    if length >= 1.0:
        with pytest.raises(AssertionError, match="V5"):
            testing.assert_sub_gaussian([1.0, 0.0], [[3000.0], [-1.0]], [1.0], [2.0], [[length]])


@pytest.mark.parametrize("scale", SCALES)
def test_wrong_signs_and_orders_are_found_at_any_scale(scale):
    with pytest.raises(AssertionError, match="V1"):
        testing.assert_greedy_bound(scale * np.abs(Z), ONE_SIDED)
    with pytest.raises(AssertionError, match="H3"):
        testing.assert_pairs_halve(scale * SORTED, SAME, [1, -1] * 8)
    with pytest.raises(AssertionError, match="H4"):
        testing.assert_coordinated_pairs_halve(scale * SORTED[None], SAME[None], [[1, -1] * 8])
    with pytest.raises(AssertionError, match="H1"):
        testing.assert_reorder_halves(scale * (SORTED - SORTED.mean()), [1, -1] * 16, SAME)
    with pytest.raises(AssertionError, match="H5"):
        testing.assert_rounds_halve(scale * np.array([8.0, 7.0]), scale * np.array([1.0]))
    with pytest.raises(AssertionError, match="V6"):
        testing.assert_walk_bound(lambda z, seed: ONE_SIDED, scale * np.abs(Z) * [1, 0], runs=20)


@pytest.mark.parametrize("scale", SCALES)
def test_right_ones_pass_at_any_scale(scale):
    eps = cg.balancing.signs(Z)
    testing.assert_greedy_bound(scale * Z, eps)
    testing.assert_reorder_halves(scale * Z, eps, cg.herding.reorder(eps))
    testing.assert_stale_mean_costs(scale * Z, eps, scale * Z[0])
    testing.assert_rounds_halve(scale * np.array([8.0, 5.0]), scale * np.array([2.0]))
    testing.assert_walk_bound(
        lambda z, seed: cg.balancing.signs(Z, "self-balancing", seed=seed), scale * Z, runs=20
    )
    centred = scale * (Z - Z.mean(axis=0))[None]
    testing.assert_random_orders(
        centred, lambda seed: np.random.RandomState(seed).permutation(32)[None], runs=50
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_vectors_that_are_none_are_refused(bad):
    z = Z.copy()
    z[3, 1] = bad
    eps, orders = cg.balancing.signs(Z), lambda seed: SAME[None]
    calls = [
        lambda: testing.assert_greedy_bound(z, eps),
        lambda: testing.assert_greedy_decisions(z, eps),
        lambda: testing.assert_reorder_halves(z, eps, SAME),
        lambda: testing.assert_stale_mean_costs(z, eps, Z[0]),
        lambda: testing.assert_stale_mean_costs(Z, eps, [bad, 0.0]),
        lambda: testing.assert_pairs_halve(z, SAME, PAIRS),
        lambda: testing.assert_coordinated_pairs_halve(z[None], SAME[None], PAIRS[None]),
        lambda: testing.assert_rounds_halve([8.0, bad], [1.0]),
        lambda: testing.assert_rounds_halve([8.0, 7.0], [bad]),
        lambda: testing.assert_walk_bound(lambda z, seed: eps, z),
        lambda: testing.assert_random_orders(z[None], orders),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="expected finite numbers"):
            call()
