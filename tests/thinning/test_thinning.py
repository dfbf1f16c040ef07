"""Halving, thinning and compression against the papers' own words, and what holds for any points."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from cdgrab_sim import thinning
from cdgrab_sim._kernels import jit
from cdgrab_sim._rng import Role, stream
from cdgrab_sim.thinning._loops import sums_loop
from tests import naive_thinning as naive

KERNELS = {
    "linear": thinning.linear(),
    "gaussian": thinning.gaussian(0.8),
    "inverse-multiquadric": thinning.inverse_multiquadric(0.8),
    "matern 1/2": thinning.matern(0.8, smoothness=0.5),
    "matern 3/2": thinning.matern(0.8, smoothness=1.5),
    "matern 5/2": thinning.matern(0.8, smoothness=2.5),
}
EVERY = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


def points(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def value(kernel, x, y):
    return kernel.function(np.array(x), np.array(y), kernel.settings)


@EVERY
@pytest.mark.parametrize("d", [1, 7, 8, 19])
def test_matrices_of_a_kernel_have_no_negative_eigenvalue(kernel, d):
    X = points(12, d)
    K = naive.matrix(X, lambda x, y: value(kernel, x, y))
    assert_allclose(K, K.T, rtol=0.0, atol=0.0)
    assert np.linalg.eigvalsh(K).min() > -1e-12 * np.trace(K)


def test_eight_exponentials_are_those_of_the_library():
    distances = np.concatenate((np.linspace(0.01, 8.0, 200), [12.0, 24.0, 30.0, 50.0, 1e8]))
    points = np.concatenate(([0.0], distances))[:, None]
    out = np.empty(len(points))
    sums_loop(thinning.gaussian(), points)(out, np.zeros((1, 1)))
    assert_allclose(out[1:], np.exp(-0.5 * distances**2), rtol=1e-12, atol=1e-100)
    assert out[0] == 1.0


def test_values_of_the_kernels():
    # x - y = (3, 4) has length 5; with scale 5 the argument of the radial functions is 1.
    x, y = [3.0, 4.0], [0.0, 0.0]
    assert value(thinning.linear(), [1.0, 2.0], [3.0, 4.0]) == 11.0
    expected = {
        thinning.gaussian(5.0): math.exp(-0.5),
        thinning.inverse_multiquadric(5.0): 1.0 / math.sqrt(2.0),
        thinning.matern(5.0, smoothness=0.5): math.exp(-1.0),
        thinning.matern(5.0, smoothness=1.5): (1.0 + math.sqrt(3.0)) * math.exp(-math.sqrt(3.0)),
        thinning.matern(5.0, smoothness=2.5): (1.0 + math.sqrt(5.0) + 5.0 / 3.0) * math.exp(-math.sqrt(5.0)),
    }
    for kernel, number in expected.items():
        assert value(kernel, x, y) == pytest.approx(number, rel=1e-15)


@EVERY
@pytest.mark.parametrize("n", [1, 2, 3, 40, 41])
def test_halves_are_those_of_the_papers_loop(kernel, n):
    X, delta = points(n, 3, seed=n), 0.3
    halves = thinning.halve(X, kernel, delta=delta, seed=5)
    K = naive.matrix(X, lambda x, y: value(kernel, x, y))
    uniforms = stream(5, Role.THINNING).random(n // 2)
    first, second, sigma2 = naive.halving(K, uniforms, delta)
    assert_array_equal(halves.first, first)
    assert_array_equal(halves.second, second)
    assert halves.variance == pytest.approx(sigma2, rel=1e-12)


def test_whole_numbers_halve_exactly():
    # Differences of the linear kernel: with b = |v| and no clip the running sum is the only memory, so
    # once |s| reaches the threshold the sign is certain; here both pairs differ by 4 and must cancel.
    X = np.array([[4.0], [0.0], [0.0], [4.0], [4.0], [0.0], [4.0], [0.0]])
    for seed in range(20):
        halves = thinning.halve(X, "linear", seed=seed)
        assert abs(X[halves.first].sum() - X[halves.second].sum()) <= 8.0


@EVERY
def test_mmd_is_the_quadratic_form(kernel):
    X = points(30, 2)
    K = naive.matrix(X, lambda x, y: value(kernel, x, y))
    for chosen in ([0], [3, 7, 11], [2, 2, 5], list(range(30))):
        expected = naive.mmd(K, chosen)
        assert thinning.mmd(X, chosen, kernel) == pytest.approx(expected, rel=1e-9, abs=1e-7)


SIZES = st.integers(1, 40)


@settings(max_examples=30)
@given(n=SIZES, d=st.integers(1, 3), seed=st.integers(0, 100))
def test_halves_share_out_the_points(n, d, seed):
    halves = thinning.halve(points(n, d, seed), seed=seed)
    assert_array_equal(np.sort(np.concatenate((halves.first, halves.second))), np.arange(n))
    assert len(halves.first) == -(-n // 2)
    again = thinning.halve(points(n, d, seed), seed=seed)
    assert_array_equal(halves.first, again.first)


@settings(max_examples=30)
@given(n=SIZES, halvings=st.integers(0, 5), seed=st.integers(0, 100))
def test_coresets_are_distinct_points_and_swaps_never_harm(n, halvings, seed):
    halvings = min(halvings, n.bit_length() - 1)
    X = points(n, 2, seed)
    errors = []
    for passes in (0, 1, 3):
        coreset = thinning.thin(X, halvings, passes=passes, seed=seed)
        assert len(np.unique(coreset.indices)) == len(coreset.indices)
        assert len(coreset.indices) in (n // 2**halvings, -(-n // 2**halvings))
        assert coreset.indices.min() >= 0
        assert coreset.indices.max() < n
        assert coreset.mmd == pytest.approx(thinning.mmd(X, coreset.indices), abs=1e-7)
        errors.append(coreset.mmd)
    assert errors[0] >= errors[1] >= errors[2]


@settings(max_examples=20)
@given(n=st.integers(1, 150), g=st.integers(0, 2), seed=st.integers(0, 100))
def test_compression_takes_distinct_points(n, g, seed):
    chosen = thinning.compress(points(n, 2, seed), oversampling=g, seed=seed).indices
    assert len(np.unique(chosen)) == len(chosen)
    assert chosen.min() >= 0
    assert chosen.max() < n


@pytest.mark.parametrize("g", [0, 1, 2])
def test_a_power_of_four_is_compressed_to_its_root(g):
    assert len(thinning.compress(points(256, 2), oversampling=g).indices) == 16


@settings(max_examples=20)
@given(power=st.integers(-20, 20), seed=st.integers(0, 100))
def test_halves_do_not_depend_on_the_scale_of_the_kernel(power, seed):
    X = points(31, 3, seed)
    halves = [thinning.halve(c * X, "linear", seed=seed) for c in (1.0, 2.0**power)]
    assert_array_equal(halves[0].first, halves[1].first)


@settings(max_examples=20)
@given(n=SIZES, seed=st.integers(0, 100))
def test_nested_orders_begin_with_halves(n, seed):
    X = points(n, 2, seed)
    order = thinning.nested_order(X, seed=seed, delta=0.5)
    assert_array_equal(np.sort(order), np.arange(n))
    if n > 1:
        halves = thinning.halve(X, seed=seed, delta=0.25)
        assert set(order[: len(halves.first)]) == set(halves.first)


def test_either_of_two_points_comes_first():
    X = points(2, 2)
    assert {tuple(thinning.nested_order(X, seed=seed)) for seed in range(20)} == {(0, 1), (1, 0)}


def test_herding_is_the_greedy_choice():
    X = points(40, 2)
    K = naive.matrix(X, lambda x, y: naive.gaussian(x, y, 1.0))
    chosen = []
    for t in range(10):
        left = [j for j in range(40) if j not in chosen]
        chosen.append(max(left, key=lambda j: K[j].mean() - sum(K[j, r] for r in chosen) / (t + 1)))
    assert_array_equal(thinning.herd(X, 10), chosen)


def test_the_linear_kernel_needs_no_matrix_and_agrees_with_one_that_takes_it():
    def product(x, y, settings):
        total = 0.0
        for p in range(x.shape[0]):
            total += x[p] * y[p]
        return total

    X = np.random.default_rng(0).integers(-3, 4, (64, 5)).astype(float)  # exact in any order of summation
    online = thinning.halve(X, "linear", seed=1)
    assert_array_equal(online.first, thinning.halve(X, thinning.Kernel("mine", product), seed=1).first)
    if jit.compiles():
        import numba

        mine = thinning.Kernel("mine", numba.njit(product))
        assert_array_equal(online.first, thinning.halve(X, mine, seed=1).first)


def test_thinned_points_are_closer_than_random_ones():
    X = points(256, 2)
    drawn = np.mean([thinning.mmd(X, np.random.default_rng(s).permutation(256)[:128]) for s in range(5)])
    assert thinning.thin(X, 1).mmd < drawn / 4


def test_the_split_kernel_is_what_is_walked_in():
    X = points(64, 2)
    wide = thinning.gaussian(4.0)
    parts = thinning.thin(X, 1, "gaussian", split_kernel=wide, passes=0, seed=3)
    halves = thinning.halve(X, wide, seed=3)
    candidates = [halves.first, halves.second, np.arange(1, 64, 2)]
    best = min(candidates, key=lambda one: thinning.mmd(X, one))
    assert_array_equal(parts.indices, best)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: thinning.halve([1.0, 2.0]), "points: expected a non-empty array with 2 axes"),
        (lambda: thinning.halve([[1e200]]), "points: expected entries below"),
        (lambda: thinning.halve([[1.0]], "gausian"), "did you mean 'gaussian'"),
        (lambda: thinning.halve([[1.0]], delta=1.0), "delta: expected a probability"),
        (lambda: thinning.thin([[1.0], [2.0]], 2), "halvings: expected a whole number 0..1"),
        (lambda: thinning.herd([[1.0]], 2), "size: expected a whole number 1..1"),
        (lambda: thinning.mmd([[1.0]], [1]), "chosen: expected indices of points, from 0 to 0"),
        (lambda: thinning.gaussian(0.0), "scale: expected a finite number > 1e-100"),
        (lambda: thinning.matern(smoothness=2.0), "smoothness: expected one of 0.5, 1.5, 2.5"),
        (lambda: thinning.compress([[1.0]], oversampling=-1), "oversampling: expected a whole number"),
    ],
)
def test_refusals_are_one_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_function_with_other_arguments_is_refused():
    with pytest.raises(TypeError, match="expected arguments \\(x, y, settings\\)"):
        thinning.Kernel("mine", lambda x, y: 0.0)
