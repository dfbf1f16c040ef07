"""R1 to R7: moments against every order at n <= 6, m <= 2; tails and limits against exact laws."""

import math

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import hypergeom

from tests.theory.naive_theory import NORMS, all_prefixes
from theory import random_orders as ro


def centred(shape, seed):
    """Vectors with global sum 0 whose worker means differ."""
    z = np.random.default_rng(seed).standard_normal(shape) + 2.0 * np.arange(shape[0])[:, None, None]
    return z - z.mean(axis=(0, 1))


def within(z):
    return z - z.mean(axis=1, keepdims=True)


def variance(z):
    return float((within(z) ** 2).sum() / (z.shape[0] * z.shape[1]))


def enumerate_workers(z, statistic):
    """Mean of ``statistic`` (of S (orders, n, d)) over all pairs of orders of m <= 2 workers."""
    tables = [all_prefixes(worker) for worker in z]
    if len(tables) == 1:
        return statistic(tables[0])
    return sum(statistic(tables[1] + first) for first in tables[0]) / len(tables[0])


# R1, R2 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "n"), [(1, 2), (1, 5), (1, 6), (2, 3), (2, 6)])
def test_prefix_moments_equal_their_mean_over_all_orders(m, n):
    z = centred((m, n, 2), seed=n)
    second = enumerate_workers(z, lambda S: (S**2).sum(axis=2).mean(axis=0))
    np.testing.assert_allclose(second, ro.prefix_second_moment(n, m, variance(z)), rtol=1e-12, atol=1e-12)
    assert second.mean() == pytest.approx(ro.mean_square_prefix(n, m, variance(z)), rel=1e-12)
    mean_prefix = enumerate_workers(z, lambda S: (S.mean(axis=1) ** 2).sum(axis=1).mean())
    assert mean_prefix == pytest.approx(ro.mean_prefix_second_moment(n, m, variance(z)), rel=1e-12)
    assert np.abs(enumerate_workers(z, lambda S: S.mean(axis=0))).max() < 1e-12


@pytest.mark.parametrize(("m", "n"), [(1, 6), (2, 4)])
def test_prefix_covariances_equal_their_mean_over_all_orders(m, n):
    z = centred((m, n, 2), seed=10 + n)
    flat = within(z).reshape(-1, 2)
    covariance = flat.T @ flat / (m * n)
    measured = enumerate_workers(z, lambda S: np.einsum("pka,plb->klab", S, S) / len(S))
    assert (ro.prefix_covariance(n, m, covariance, 0, n - 1) == 0).all()  # of nothing
    for k in range(1, n + 1):
        for length in range(1, n + 1):
            predicted = ro.prefix_covariance(n, m, covariance, k, length)
            np.testing.assert_allclose(measured[k - 1, length - 1], predicted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("m", "n"), [(2, 6), (3, 5)])
def test_shared_orders_lose_the_factor_m(m, n):
    z = centred((m, n, 2), seed=20 + n)
    measured = (all_prefixes(z.sum(axis=0)) ** 2).sum(axis=2).mean(axis=0)
    np.testing.assert_allclose(measured, ro.same_order_second_moment(z), rtol=1e-12, atol=1e-12)
    equal = np.repeat(within(z[:1]), m, axis=0)
    independent = ro.prefix_second_moment(n, m, variance(equal))
    np.testing.assert_allclose(ro.same_order_second_moment(equal), m * independent, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("m", "n"), [(2, 3), (3, 2), (1, 6)])
def test_pooled_orders_by_enumeration(m, n):
    z = centred((m, n, 2), seed=30 + n)
    S = all_prefixes(z.reshape(m * n, 2))[:, m - 1 :: m]
    measured = (S**2).sum(axis=2).mean(axis=0)
    total = float((z**2).sum() / (m * n))
    np.testing.assert_allclose(measured, ro.pooled_second_moment(n, m, total), rtol=1e-12, atol=1e-12)


def test_any_order_stays_below_the_worst_and_the_worst_is_attained():
    z = centred((2, 5, 2), seed=40)
    bound, second = ro.any_order_bound(5, 2, variance(z)), all_prefixes(z[1])
    for first in all_prefixes(z[0]):
        assert (NORMS["l2"](second + first) - bound).max() <= 1e-12
    m, n = 3, 8
    sorted_signs = np.repeat([1.0, -1.0], n // 2)
    assert m * sorted_signs.cumsum().max() == ro.any_order_bound(n, m, 1.0).max() == m * n / 2


# R3 ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "n"), [(1, 2), (1, 6), (2, 5)])
def test_expected_maximum_lies_between_its_bounds(m, n):
    z = centred((m, n, 2), seed=50 + n)
    measured = enumerate_workers(z, lambda S: (S**2).sum(axis=2).max(axis=1).mean())
    lower, upper = ro.maximum_second_moment_bounds(n, m, variance(z))
    assert lower * (1 - 1e-12) <= measured <= upper
    assert upper <= 40 * measured
    if n == 2:
        assert measured == pytest.approx(lower, rel=1e-12)


def test_doobs_bound_on_the_maximum():
    """Forwards and backwards, each four times the second moment at its end, at most m sigma^2 n^2/(n - 1)."""
    assert ro.maximum_second_moment_bounds(3, 2, 0.5)[1] == pytest.approx(8 * 2 * 0.5 * 9 / 2)


# Exact laws of a list of +-1, n/2 of each: S_k = 2 X - k with X hypergeometric ------------------------------


def sign_prefix_law(n, k):
    log_factorial = gammaln(np.arange(n + 1.0) + 1)
    plus = np.arange(max(0, k - n // 2), min(k, n // 2) + 1)
    ways = log_factorial[n // 2] * 2 - log_factorial[plus] - log_factorial[k - plus]
    ways -= log_factorial[n // 2 - plus] + log_factorial[n // 2 - k + plus]
    return 2.0 * plus - k, np.exp(ways - log_factorial[n] + log_factorial[k] + log_factorial[n - k])


def sign_maximum_tail(n, h):
    """P(max_k |S_k| >= h) for integers h >= 1, by counting reflected paths."""
    j = np.arange(1, n // (2 * h) + 1)
    log_binomial = -gammaln(n / 2 + j * h + 1) - gammaln(n / 2 - j * h + 1)
    ratio = np.exp(log_binomial + 2 * gammaln(n / 2 + 1))
    return float(2 * ((-1.0) ** (j - 1) * ratio).sum())


def test_reflected_paths_count_what_enumeration_counts():
    S = np.abs(all_prefixes(np.repeat([1.0, -1.0], 4)[:, None])[:, :, 0]).max(axis=1)
    for h in range(1, 5):
        assert sign_maximum_tail(8, h) == pytest.approx(np.mean(h <= S), rel=1e-9)
    values, law = sign_prefix_law(8, 3)
    np.testing.assert_allclose(law, hypergeom.pmf((values + 3) / 2, 8, 4, 3), rtol=1e-9)


# R4, R4', R7 ------------------------------------------------------------------------------------------------


def test_hoeffding_tail_covers_the_exact_law():
    n = 40
    for t in (4.0, 8.0, 12.0):
        bound = ro.hoeffding_tail(t, n, 1, 2.0)
        for k in range(1, n):
            values, law = sign_prefix_law(n, k)
            exact = law[np.abs(values) >= t].sum()
            assert exact <= bound[k - 1] * (1 + 1e-12)
        np.testing.assert_array_equal(bound[:-1], bound[-2::-1])  # S_k and the rest of the list sum to 0
    assert bound[-1] == 0.0
    values, law = sign_prefix_law(1000, 100)  # few draws: the bound is nearly that of the fair coin
    assert ro.hoeffding_tail(20.0, 1000, 1, 2.0)[99] <= 10 * law[np.abs(values) >= 20.0].sum()


def test_hoeffding_tail_covers_two_workers():
    n, k, t = 20, 7, 8.0
    values, law = sign_prefix_law(n, k)
    joint = np.outer(law, law)[np.abs(values[:, None] + values) >= t].sum()
    assert joint <= ro.hoeffding_tail(t, n, 2, 2.0)[k - 1] <= 40 * joint


@pytest.mark.parametrize("delta", [0.5, 0.05])
def test_maximum_inf_bound_holds_exactly_and_a_quarter_of_it_fails(delta):
    n = 400
    bound = ro.maximum_inf_bound(n, 1, 1, 2.0, delta)
    assert sign_maximum_tail(n, math.floor(bound) + 1) <= delta
    assert sign_maximum_tail(n, math.ceil(bound / 4)) > delta


def test_maximum_inf_bound_over_workers_and_coordinates_by_enumeration():
    z = np.random.default_rng(8).choice([-0.5, 0.5], (2, 6, 3))
    z[1] += 3.0  # the interval may sit elsewhere on another worker
    z -= z.mean(axis=(0, 1))
    for delta in (0.9, 0.3):
        bound = ro.maximum_inf_bound(6, 2, 3, 1.0, delta)
        exceed = enumerate_workers(z, lambda S, b=bound: (NORMS["inf"](S).max(axis=1) > b).mean())
        assert exceed <= delta


@pytest.mark.parametrize("delta", [0.3, 0.01])
def test_hoeffding_serfling_radius_covers_the_exact_law(delta):
    n = 60
    radius = ro.hoeffding_serfling_radius(n, 2.0, delta)
    assert radius[0] == pytest.approx(2.0 * math.sqrt(math.log(1 / delta) / 2))  # one draw: nothing to gain
    gains = 0
    for k in range(1, n):
        values, law = sign_prefix_law(n, k)
        assert law[values / k > radius[k - 1] * (1 + 1e-12)].sum() <= delta
        gains += law[values / k > radius[k - 1] / 4].sum() > delta
    assert gains > n / 2  # a quarter of the radius is too short at most lengths
    assert radius[-1] == 0.0


def test_bernstein_tail_covers_a_skewed_list_and_beats_hoeffding_there():
    n, ones = 200, 4
    mean = ones / n
    sigma2 = mean * (1 - mean)
    for t in (1.0, 2.0, 3.0):
        bound = ro.bernstein_tail(t, n, 1, sigma2, 1 - mean)
        for k in range(1, n):
            hits = np.arange(min(k, ones) + 1)
            exact = hypergeom.pmf(hits, n, ones, k)[np.abs(hits - k * mean) >= t].sum()
            assert exact <= bound[k - 1] * (1 + 1e-12)
    assert bound[19] < 0.1 * ro.hoeffding_tail(3.0, n, 1, 1.0)[19]
    values, law = sign_prefix_law(20_000, 1000)  # three standard deviations of a nearly Gaussian sum
    exact = law[np.abs(values) >= 95.0].sum()
    assert exact <= ro.bernstein_tail(95.0, 20_000, 1, 1.0, 1.0)[999] <= 15 * exact


@pytest.mark.parametrize("delta", [0.5, 0.05])
def test_empirical_bernstein_radius_covers_the_exact_law(delta):
    n, ones = 400, 100
    for k in (10, 200, 390):
        hits = np.arange(min(k, ones) + 1)
        seen = hits / k
        law = hypergeom.pmf(hits, n, ones, k)
        radii = [
            ro.empirical_bernstein_radius(n, np.full(n, math.sqrt(p * (1 - p))), 1.0, delta)[k - 1]
            for p in seen
        ]
        assert law[np.abs(seen - ones / n) > radii].sum() <= delta


def test_the_part_of_the_deviations_is_the_published_one():
    """sd_k sqrt(2 rho_k log(10/delta) / k); rho_k = 1 - (k-1)/n up to n/2, then (1 - k/n) (1 + 1/k)."""
    some, none = (ro.empirical_bernstein_radius(4, np.full(4, sd), 3.0, 0.1) for sd in (1.7, 0.0))
    rho = np.array([1.0, 3 / 4, 1 / 4 * 4 / 3, 0.0])
    expected = 1.7 * np.sqrt(2 * rho * math.log(100.0) / np.arange(1, 5))
    np.testing.assert_allclose(some - none, expected, rtol=1e-12, atol=1e-12)


# R5, R6 -----------------------------------------------------------------------------------------------------


def test_largest_prefix_of_a_sign_list_has_the_bridge_limits():
    n = 10**6
    tails = np.array([sign_maximum_tail(n, h) for h in range(1, 6 * math.isqrt(n))])
    assert tails.sum() / math.sqrt(n) == pytest.approx(ro.BRIDGE_MAXIMUM_MEAN, abs=1e-3)
    second = (2 * np.arange(1, len(tails) + 1) - 1) @ tails  # E X^2 = sum_h (2h - 1) P(X >= h)
    assert second / n == pytest.approx(ro.BRIDGE_MAXIMUM_SECOND_MOMENT, abs=2e-3)
    for x in (0.5, 0.8, 1.2, 2.0):
        below = 1 - tails[int(x * math.sqrt(n))]
        assert below == pytest.approx(ro.bridge_maximum_cdf(x), abs=2e-3)
    assert ro.bridge_maximum_cdf(0.0) == 0.0


def test_area_of_a_sign_list_has_the_bridge_limit():
    n = 4000
    area = 0.0
    for k in range(1, n):
        values, law = sign_prefix_law(n, k)
        area += float(np.abs(values) @ law)
    assert area / n**1.5 == pytest.approx(ro.BRIDGE_AREA_MEAN, abs=5e-5)


def test_workers_add_up_when_identical_and_in_squares_when_independent():
    z = within(centred((2, 5, 2), seed=60))
    singles = [np.sqrt((all_prefixes(worker) ** 2).sum(axis=2).mean(axis=0)) for worker in z]
    joint = np.sqrt(enumerate_workers(z, lambda S: (S**2).sum(axis=2).mean(axis=0)))
    for k in range(4):
        sizes = [single[k] for single in singles]
        assert ro.workers_herding(sizes, "independent") == pytest.approx(joint[k], rel=1e-12)
    S = np.cumsum(z[0], axis=0)
    for norm in NORMS.values():
        assert ro.workers_herding([norm(S).max()] * 7, "identical") == pytest.approx(
            norm(7 * S).max(), rel=1e-12
        )


# arguments --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ro.prefix_second_moment(1, 2, 1.0), "expected n >= 2; got 1"),
        (lambda: ro.prefix_second_moment(4, 0, 1.0), "expected m >= 1; got 0"),
        (lambda: ro.prefix_second_moment(4, 2, -1.0), "expected variance >= 0; got -1.0"),
        (lambda: ro.prefix_covariance(4, 1, [[1.0, 2.0], [0.0, 1.0]], 1, 2), "expected covariance symmetric"),
        (lambda: ro.prefix_covariance(4, 1, [[-1.0]], 1, 2), "expected covariance positive semi-definite"),
        (lambda: ro.prefix_covariance(4, 1, [[1.0]], 1, 5), "expected lengths of at most n = 4; got 5"),
        (lambda: ro.same_order_second_moment([[1.0], [2.0]]), "expected z with shape"),
        (lambda: ro.same_order_second_moment([[[1.0], [2.0]]]), "expected global sum 0"),
        (lambda: ro.maximum_inf_bound(4, 1, 1, 1.0, 0.0), "expected 0 < delta < 1; got 0.0"),
        (lambda: ro.hoeffding_tail(0.0, 4, 1, 1.0), "expected t > 0; got 0.0"),
        (lambda: ro.hoeffding_serfling_radius(4, 0.0, 0.1), "expected width > 0; got 0.0"),
        (lambda: ro.bernstein_tail(1.0, 4, 1, 1.0, 0.0), "expected bound > 0; got 0.0"),
        (lambda: ro.empirical_bernstein_radius(4, [1.0], 1.0, 0.1), "expected deviations with shape"),
        (lambda: ro.bridge_maximum_cdf(-1.0), "expected x >= 0; got -1.0"),
        (lambda: ro.workers_herding([1.0, 2.0], "identical"), "expected equal sizes for identical workers"),
        (lambda: ro.workers_herding([1.0], "similar"), "expected relation among identical, independent"),
    ],
)
def test_bad_arguments_are_refused_in_one_clear_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
