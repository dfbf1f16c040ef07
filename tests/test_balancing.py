"""Signs and discrepancies against naive twins, and the growth law of the greedy rule."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import cdgrab_sim as cg
from tests import naive
from tests.strategies import signs, thorough, vectors

SCOPES = ["coordinated", "independent"]


def stream_of(z):
    return z.swapaxes(0, 1).tolist()


@pytest.mark.parametrize("scope", SCOPES)
@thorough
@given(z=vectors())
def test_greedy_signs_equal_their_naive_twin(scope, z):
    expected, _ = naive.greedy_signs(stream_of(z), scope)
    assert cg.balancing.signs(z, scope=scope).tolist() == expected


@pytest.mark.parametrize("norm", ["inf", "l2"])
@thorough
@given(z=vectors(), data=st.data())
def test_discrepancy_equals_its_naive_twin(norm, z, data):
    eps = data.draw(signs(*z.shape[:2]))
    expected = naive.largest_prefix(stream_of(eps[:, :, None] * z), norm)
    assert cg.balancing.prefix_discrepancy(z, eps, norm) == expected


@thorough
@given(z=vectors(m=st.just(1)))
def test_the_greedy_sum_grows_no_faster_than_the_squares(z):
    r"""|s_k|^2 = sum_{j <= k} (|z_j|^2 - 2 |<s_{j-1}, z_j>|), exact on whole numbers."""
    z = z[0]
    s = np.cumsum(cg.balancing.signs(z)[:, None] * z, axis=0)
    before = np.vstack((np.zeros(z.shape[1]), s[:-1]))
    steps = (z * z).sum(axis=1) - 2 * np.abs((before * z).sum(axis=1))
    assert_array_equal((s * s).sum(axis=1), np.cumsum(steps))
    bound = np.sqrt((z * z).sum())
    assert cg.balancing.prefix_discrepancy(z, cg.balancing.signs(z), "l2") <= bound * (1 + 1e-12)


def test_orthogonal_vectors_reach_the_greedy_bound():
    n = 9
    z = np.eye(n)
    assert cg.balancing.prefix_discrepancy(z, cg.balancing.signs(z), "l2") == 3.0


def test_ties_go_to_plus():
    assert cg.balancing.signs(np.zeros((4, 2))).tolist() == [1, 1, 1, 1]
    assert cg.balancing.signs(np.eye(3)).tolist() == [1, 1, 1]


def test_random_signs_are_fair_repeatable_and_do_not_depend_on_m():
    many = cg.balancing.signs(np.zeros((16, 512, 1)), "random", seed=5)
    few = cg.balancing.signs(np.zeros((4, 512, 1)), "random", seed=5)
    assert_array_equal(many[:4], few)
    assert set(np.unique(many)) == {-1, 1}
    # 8192 fair coins: the mean has standard deviation 0.011; 5 of them are missed with chance 6e-7
    assert abs(many.mean()) < 5 / np.sqrt(many.size)
    assert (cg.balancing.signs(np.zeros((16, 512, 1)), "random", seed=6) != many).any()


def test_vectors_of_one_worker_need_no_worker_axis():
    z = np.random.RandomState(0).standard_normal((7, 2))
    eps = cg.balancing.signs(z)
    assert eps.shape == (7,)
    assert_array_equal(eps, cg.balancing.signs(z[None])[0])
    assert cg.balancing.prefix_discrepancy(z, eps) == cg.balancing.prefix_discrepancy(z[None], eps[None])


Z = np.zeros((2, 3, 1))
REFUSED = {
    "unknown rule 'greed'; did you mean 'greedy'": lambda: cg.balancing.signs(Z, "greed"),
    "unknown scope 'joint'": lambda: cg.balancing.signs(Z, scope="joint"),
    r"z\[1, 0\]: expected finite numbers; got nan": lambda: cg.balancing.signs([[0.0], [np.nan]]),
    r"eps: expected one sign per vector, shape \(2, 3\); got \(3,\)": (
        lambda: cg.balancing.prefix_discrepancy(Z, [1, 1, -1])
    ),
    r"eps\[0\]: expected a sign \+1 or -1; got 2": lambda: cg.balancing.prefix_discrepancy([[1.0]], [2]),
    "eps: expected signs .* dtype bool": lambda: cg.balancing.prefix_discrepancy([[1.0]], [True]),
    "bound: expected none for rule 'optimal'; got 2.0": lambda: cg.balancing.signs(Z, "optimal", bound=2.0),
    "z: expected rows of one length": lambda: cg.balancing.signs([[1.0], [1.0, 2.0]]),
    "z: expected an array without masked": lambda: cg.balancing.signs(np.ma.masked_less(Z - 1.0, 0.0)[0]),
    "unknown norm 'l3'": lambda: cg.balancing.prefix_discrepancy([[1.0]], [1], "l3"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_wrong_arguments_are_refused_in_one_line(message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        REFUSED[message]()
    assert "\n" not in str(caught.value)
