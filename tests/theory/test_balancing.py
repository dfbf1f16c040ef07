"""V1 to V9: identities exactly, laws by enumeration, frequencies by one-sided tests at level 1e-6."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.integrate import quad
from scipy.stats import binomtest

from tests.theory.naive_theory import NORMS, greedy, walk_laws, walk_runs
from theory import balancing as vb

LEVEL = 1e-6  # probability that a true bound is called violated, per frequency test
vectors = arrays(
    float,
    array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9),
    elements=st.floats(-4, 4).map(lambda x: round(x, 3)),
)


def unit_vectors(rng, n, d):
    z = rng.standard_normal((n, d))
    return z / np.linalg.norm(z, axis=1, keepdims=True)


# V1, V2 -----------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(vectors)
def test_greedy_norms_follow_the_identity_and_stay_below_the_bound(z):
    _, r, inner = greedy(z)
    squared, norms = (r**2).sum(axis=1), np.linalg.norm(z, axis=1)
    np.testing.assert_allclose(vb.greedy_squared_norms(norms, inner), squared, rtol=1e-12, atol=1e-10)
    assert (np.sqrt(squared) <= vb.greedy_prefix_bound(norms) * (1 + 1e-12) + 1e-12).all()


@pytest.mark.parametrize("d", [2, 3])
def test_greedy_worst_case_reaches_the_bound(d):
    z = vb.greedy_worst_case(400, d)
    r = np.linalg.norm(greedy(z)[1], axis=1)
    assert z.shape == (400, d)
    np.testing.assert_allclose(np.linalg.norm(z, axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(r / vb.greedy_prefix_bound(np.ones(400)), 1.0, rtol=1e-8)


def test_orthogonal_answers_defeat_every_sign_rule():
    rng, r = np.random.default_rng(1), np.array([1.0, 0.0])
    for k in range(2, 200):
        z = np.array([-r[1], r[0]]) / np.linalg.norm(r)
        r = r + rng.choice([-1, 1]) * z
        assert np.linalg.norm(r) == pytest.approx(math.sqrt(k), rel=1e-12)


@settings(deadline=None)
@given(arrays(float, st.integers(1, 20), elements=st.floats(-4, 4)))
def test_greedy_on_the_line_never_exceeds_the_largest_vector(z):
    r = greedy(z[:, None])[1][:, 0]
    bound = vb.greedy_line_bound(np.abs(z))
    assert (np.abs(r) <= bound + 1e-12).all()
    assert abs(r[0]) == bound[0]


# V3 ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 5, 16])
def test_mean_projection_is_the_integral_over_the_sphere(d):
    weight = lambda angle: math.sin(angle) ** (d - 2)  # noqa: E731
    top = quad(lambda a: abs(math.cos(a)) * weight(a), 0, math.pi, points=[math.pi / 2])[0]
    assert vb.mean_projection(d) == pytest.approx(top / quad(weight, 0, math.pi)[0], rel=1e-9)


def test_greedy_norm_sum_is_exact_for_every_finite_horizon():
    values, n = [-2.0, -1.0, 1.0, 2.0], 5
    sums, last = 0.0, 0.0
    for path in itertools.product(values, repeat=n):
        r = greedy(np.array(path)[:, None])[1][:, 0]
        sums += np.abs(r[:-1]).sum() / len(values) ** n
        last += r[-1] ** 2 / len(values) ** n
    assert vb.greedy_norm_sum(n, 2.5, 1.5, last) == pytest.approx(sums, rel=1e-12)


@pytest.mark.parametrize("law", ["sphere", "gaussian"])
@pytest.mark.parametrize("d", [2, 5, 16, 64])
def test_greedy_time_average_on_isotropic_vectors(d, law):
    rng, chains, burn, steps = np.random.default_rng(d), 200, 10 * d, 800
    r, total = np.zeros((chains, d)), 0.0
    for k in range(burn + steps):
        z = rng.standard_normal((chains, d))
        if law == "sphere":
            z /= np.linalg.norm(z, axis=1, keepdims=True)
        r = r + np.where((r * z).sum(axis=1) <= 0, 1.0, -1.0)[:, None] * z
        total += np.linalg.norm(r, axis=1).mean() * (k >= burn)
    assert total / steps == pytest.approx(vb.greedy_stationary_norm(d, law), rel=0.03)


def test_greedy_stationary_norm_grows_like_the_root_of_d():
    assert vb.greedy_stationary_norm(10**6) == pytest.approx(math.sqrt(math.pi * 10**6 / 8), rel=1e-6)
    assert vb.greedy_stationary_norm(3) == pytest.approx(1.0, rel=1e-12)  # c = 1/2 by Archimedes


# V4 ---------------------------------------------------------------------------------------------------------


def all_signed_sums(z):
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=len(z))))
    return np.cumsum(signs[:, :, None] * z, axis=1)


def test_random_signs_second_moment_by_enumeration():
    z = np.random.default_rng(3).standard_normal((10, 3))
    squared = (all_signed_sums(z) ** 2).sum(axis=2)
    moments = vb.random_signs_second_moment(np.linalg.norm(z, axis=1))
    np.testing.assert_allclose(squared.mean(axis=0), moments, rtol=1e-12)
    largest = squared.max(axis=1).mean()
    assert moments[-1] <= largest <= 4 * moments[-1]


@pytest.mark.parametrize("delta", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("d", [1, 3])
def test_random_signs_tails_by_enumeration(d, delta):
    z = np.random.default_rng(d).choice([-1.0, 1.0], (14, d))
    sums = all_signed_sums(z)
    inf, l2 = (NORMS[name](sums).max(axis=1) for name in ("inf", "l2"))
    bound_inf = vb.random_signs_inf_bound((z**2).sum(axis=0).max(), d, delta)
    bound_l2 = vb.random_signs_l2_bound(np.linalg.norm(z, axis=1), delta)
    assert (inf > bound_inf).mean() <= delta < (inf > bound_inf / 2).mean()
    assert (l2 > bound_l2).mean() <= delta < (l2 > bound_l2 / 4).mean()


# V5 ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [0.6, 1.0, 3.0])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_walk_is_sub_gaussian_by_enumeration_of_its_law(d, scale):
    rng = np.random.default_rng([d, int(10 * scale)])
    v = rng.standard_normal((9, d))
    b = np.linalg.norm(v, axis=1)
    a = scale * b**2 * rng.uniform(0.8, 1.5, len(b))
    variances = vb.self_balancing_variances(b, a)
    laws, clips = walk_laws(v, a)
    tightest = 0.0
    for (probabilities, w), variance in zip(laws, variances, strict=True):
        for size in (0.05, 0.5, 1.0, 2.0):
            u = size * unit_vectors(rng, 40, d) / math.sqrt(variance)
            log_moment = np.log(probabilities @ np.exp(w @ u.T))
            assert (log_moment <= variance * (u**2).sum(axis=1) / 2 + 1e-12).all()
            tightest = max(tightest, (log_moment / (variance * (u**2).sum(axis=1) / 2)).max())
    assert (clips <= vb.clip_probabilities(b, a) + 1e-12).all()
    assert clips.max() > 0 or scale == 3.0  # the fallback was really exercised
    assert tightest > 0.9  # the first vector is a fair coin: cosh(x) against exp(x^2/2)


def test_clip_bound_covers_the_exact_probability_on_the_line():
    b, a = np.ones(10), np.full(10, 1.9)
    clips = walk_laws(b[:, None], a)[1]
    bound = vb.clip_probabilities(b, a)
    assert (clips <= bound).all()
    assert clips[2] == pytest.approx((1 - 1 / 1.9) / 2)  # from |w| = 1 one step further out, after two steps
    assert bound[-2] <= 3 * clips[-2]
    np.testing.assert_array_equal(
        vb.clip_probabilities(b, 0.6 * b), [0.0] + [1.0] * 9
    )  # no more than certain


def test_constant_threshold_settles_at_the_limit_and_never_above():
    a, b = 3.0, 1.2
    variances = vb.self_balancing_variances(np.full(200, b), np.full(200, a))
    limit = vb.self_balancing_variance_limit(a, b)
    slope = (1 - b * b / a) ** 2  # the recursion is affine below its fixed point b^2 / (1 - slope)
    assert limit == pytest.approx(b * b / (1 - slope), rel=1e-12)
    assert variances[-1] == pytest.approx(limit, rel=1e-12)
    mixed = vb.self_balancing_variances(np.random.default_rng(0).uniform(0, b, 500), np.full(500, a))
    assert mixed.max() <= limit * (1 + 1e-12)
    assert limit <= a


@pytest.mark.parametrize("delta", [0.9, 0.1, 1e-4])
def test_kernel_halving_thresholds_keep_clips_rare_and_variance_bounded(delta):
    b = np.full(20_000, 0.7)
    a = vb.kernel_halving_thresholds(b, delta)
    limit = vb.kernel_halving_variance_bound(delta, 0.7)
    variances = vb.self_balancing_variances(b, a)
    assert variances[-1] == pytest.approx(limit, rel=2e-3)
    assert variances.max() <= limit * (1 + 1e-12)
    assert vb.clip_probabilities(b, a).max() <= delta * (1 + 1e-9)
    mixed = np.random.default_rng(1).uniform(0.01, 0.7, 2000)
    assert vb.self_balancing_variances(mixed, vb.kernel_halving_thresholds(mixed, delta)).max() <= limit


# V6, V7, V8 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["random", "axes", "repeated"])
@pytest.mark.parametrize(("N", "d"), [(64, 2), (256, 8)])
def test_self_balancing_bound_holds_at_its_level_and_is_not_vacuous(N, d, kind):
    rng, runs, delta = np.random.default_rng([N, d]), 2000, 0.1
    v = {
        "random": unit_vectors(rng, N, d),
        "axes": np.eye(d)[np.arange(N) % d],
        "repeated": np.eye(d)[[0] * N],
    }[kind]
    sums, clipped = walk_runs(v, vb.self_balancing_threshold(N, delta), runs, rng)
    for norm in ("inf", "l2"):
        largest = NORMS[norm](sums).max(axis=0)
        bound = vb.self_balancing_bound(N, d, delta, norm)
        bad = int((clipped | (largest > bound)).sum())
        assert binomtest(bad, runs, delta, alternative="greater").pvalue > LEVEL
        if norm == "inf":
            assert bound <= 3 * largest.max()


def test_self_balancing_bound_scales_with_the_vectors_and_its_threshold_with_their_square():
    rng, N, d, delta, B = np.random.default_rng(4), 128, 3, 0.1, 5.0
    v = B * unit_vectors(rng, N, d)
    sums, clipped = walk_runs(v, vb.self_balancing_threshold(N, delta, B), 1000, rng)
    largest = NORMS["inf"](sums).max(axis=0)
    bound = vb.self_balancing_bound(N, d, delta, "inf", B)
    assert (
        binomtest(int((clipped | (largest > bound)).sum()), 1000, delta, alternative="greater").pvalue > LEVEL
    )
    assert bound <= 3 * largest.max()


@pytest.mark.parametrize("delta", [0.3, 1e-3])
def test_self_balancing_bound_on_the_line_is_its_threshold(delta):
    """At d = 1 clips and coordinates are one event, so both halves of the proof give the same number."""
    assert vb.self_balancing_bound(99, 1, delta, "inf") == pytest.approx(
        vb.self_balancing_threshold(99, delta)
    )


def test_alweiss_threshold_is_a_weaker_bound_than_the_derived_one():
    for N, d, delta in itertools.product([2, 100, 10**6], [1, 10, 1000], [0.5, 1e-3]):
        assert vb.alweiss_threshold(N, d, delta) > vb.self_balancing_bound(N, d, delta, "inf")


def test_walk_balance_over_epochs_and_workers_holds_at_its_level():
    m, n, d, T, delta, runs = 3, 9, 2, 4, 0.2, 500
    rng = np.random.default_rng(6)
    threshold = vb.self_balancing_threshold(m * (n // 2), delta / T)
    bound = vb.walk_balance_bound(m, n, d, T, delta, "inf")
    bad, largest = np.zeros(runs, dtype=bool), 0.0
    for _ in range(T):
        sums, clipped = walk_runs(unit_vectors(rng, m * (n // 2), d), threshold, runs, rng)
        balance = NORMS["inf"](sums[m - 1 :: m]).max(axis=0)
        bad |= clipped | (balance > bound)
        largest = max(largest, balance.max())
    assert binomtest(int(bad.sum()), runs, delta, alternative="greater").pvalue > LEVEL
    assert bound <= 4 * largest


# arguments --------------------------------------------------------------------------------------------------


def test_all_workers_pairs_of_an_epoch_share_one_walk():
    """Of 7 examples, 3 pairs on each of 5 workers; each of 4 epochs may fail with a fourth of delta."""
    walk = vb.self_balancing_bound(15, 2, 0.025, "inf", 3.0)
    assert vb.walk_balance_bound(5, 7, 2, 4, 0.1, "inf", 3.0) == walk


@pytest.mark.parametrize(("N", "d"), [(1, 1), (100, 4)])
def test_lines_of_others_are_as_written(N, d):
    assert vb.banaszczyk_prefix_bound(N, d, "inf") == 5 * math.sqrt(2 * math.log(4 * N * d))
    assert vb.banaszczyk_prefix_bound(N, d, "l2") == 5 * (d**0.5 + math.sqrt(2 * math.log(2 * N)))
    published = math.sqrt(2 * math.log(4 * d / 0.01) * math.log(4 * N / 0.01))
    assert vb.cd_grab_balance_published(N, d, 0.01) == pytest.approx(published, rel=1e-14)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: vb.self_balancing_bound(8, 2, 1.0, "l2"), "expected 0 < delta < 1; got 1.0"),
        (lambda: vb.self_balancing_bound(0, 2, 0.1, "l2"), "expected N >= 1; got 0"),
        (lambda: vb.self_balancing_bound(8, 2, 0.1, "l7"), "expected norm among l2, inf; got 'l7'"),
        (lambda: vb.self_balancing_bound(8, 2, 0.1, "inf", B=-1.0), "expected B > 0; got -1.0"),
        (lambda: vb.greedy_stationary_norm(0), "expected d >= 1; got 0"),
        (lambda: vb.greedy_stationary_norm(2, "cauchy"), "expected law among sphere, gaussian"),
        (lambda: vb.greedy_worst_case(3, 1), "expected d >= 2; got 1"),
        (lambda: vb.greedy_prefix_bound([1.0, -1.0]), "expected norms >= 0; got -1.0"),
        (lambda: vb.greedy_prefix_bound([1.0, math.nan]), "expected finite norms; got nan at index"),
        (lambda: vb.self_balancing_variances([1.0], [1.0, 2.0]), "expected thresholds with shape"),
        (lambda: vb.self_balancing_variance_limit(0.9, 1.0), "expected threshold >= B"),
        (lambda: vb.random_signs_inf_bound(-1.0, 2, 0.1), "expected variance >= 0; got -1.0"),
        (lambda: vb.walk_balance_bound(2, 1, 2, 3, 0.1, "inf"), "expected n >= 2; got 1"),
        (lambda: vb.banaszczyk_prefix_bound(8, 2, "l1"), "expected norm among"),
    ],
)
def test_bad_arguments_are_refused_in_one_clear_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_sizes_that_are_not_integers_are_refused():
    with pytest.raises(TypeError, match=r"expected N as an integer; got 8\.5"):
        vb.self_balancing_bound(8.5, 2, 0.1, "l2")


def test_a_half_of_points_is_as_close_as_its_eigenvalues_let_it_be():
    # By hand: variances 2 for each direction that is kept, N = 3 times the largest eigenvalue that is not.
    eigenvalues, n = [5.0, 1.0, 0.1], 6
    by_rank = [0 * 2.0 + 3 * 5.0, 1 * 2.0 + 3 * 1.0, 2 * 2.0 + 3 * 0.1, 3 * 2.0]
    assert vb.halving_discrepancy(eigenvalues, 2.0, n) == pytest.approx(min(by_rank) / 36, rel=1e-15)
    with pytest.raises(ValueError, match="one eigenvalue for each of n / 2 = 4 pairs; got 3"):
        vb.halving_discrepancy(eigenvalues, 2.0, 8)
