"""Slopes, intervals and verdicts, against formulas written another way and against known power laws."""

import itertools
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from cdgrab_sim import analysis

VALUES = [-1.02, -0.97, -1.05, -0.99, -1.0, -1.03]


def test_the_interval_is_students():
    expected = stats.ttest_1samp(VALUES, 0.0).confidence_interval(0.9)
    assert analysis.t_interval(VALUES, 0.9) == pytest.approx(tuple(expected), rel=1e-12)


def test_the_interval_covers_at_its_nominal_rate():
    """6 skewed values per interval; binomial 99.9 % band around the nominal 95 % of 2,000 intervals."""
    rng = np.random.RandomState(0)
    samples = np.log(rng.gamma(5.0, size=(2000, 6)))
    truth = float(stats.loggamma(5.0).mean())
    hits = sum(low <= truth <= high for low, high in map(analysis.t_interval, samples))
    assert 0.95 - 0.03 <= hits / 2000 <= 0.95 + 0.017


@given(
    slope=st.floats(-4, 4),
    scales=st.lists(st.floats(0.01, 100), min_size=2, max_size=6),
    x=st.lists(st.integers(1, 1000), min_size=2, max_size=8, unique=True),
)
def test_power_laws_are_recovered(slope, scales, x):
    y = np.array(scales)[:, None] * np.array(x, dtype=float) ** slope
    fit = analysis.rate(x, y)
    np.testing.assert_allclose(fit.slopes, slope, atol=1e-6)
    line, low, high = fit.predict([x[0]])
    assert low[0] <= line[0] * (1 + 1e-9)
    assert line[0] <= high[0] * (1 + 1e-9)


def test_a_noise_floor_is_noticed():
    """1/k^2 on top of a floor bends; the same data without the floor does not."""
    rng = np.random.RandomState(1)
    k = np.array([1, 2, 4, 8, 16, 32])
    noise = np.exp(0.02 * rng.standard_normal((6, 6)))
    assert analysis.rate(k, (k**-2.0 + 1e-2) * noise).bends
    assert not analysis.rate(k, k**-2.0 * noise).bends


def test_verdicts_cover_all_cases():
    def word(p, margin):
        return analysis.verdict(VALUES, p, margin).verdict

    assert word(-1.0, 0.2) == "agrees"
    assert word(-2.0, 0.25) == "disagrees"
    assert word(-1.0, 0.02) == "inconclusive"
    assert analysis.verdict(VALUES, None, None).verdict == "no prediction"


@pytest.mark.parametrize("predicted", [-1.0, -1.2, -0.6])
def test_agreement_needs_the_whole_90_percent_interval(predicted):
    low, high = analysis.t_interval(VALUES, 0.9)
    just = max(predicted - low, high - predicted)
    assert analysis.verdict(VALUES, predicted, just * 1.001).verdict == "agrees"
    assert analysis.verdict(VALUES, predicted, just * 0.999).verdict != "agrees"


@pytest.mark.parametrize(
    ("off", "resolution", "word"),
    [(2.9, 1.0, "agrees"), (3.1, 1.0, "inconclusive"), (-4.9, 1.0, "inconclusive"), (-5.1, 1.0, "disagrees"),
     (0.0, 1e-3, "inconclusive")],
)  # fmt: skip
def test_exact_statements_are_judged_in_standard_errors(off, resolution, word):
    error = stats.sem(VALUES)
    judged = analysis.verdict_in_errors(VALUES, np.mean(VALUES) + off * error, resolution)
    assert judged.verdict == word
    assert judged.margin == pytest.approx(3 * error)


def test_values_that_do_not_vary_are_judged_at_the_resolution():
    assert analysis.verdict_in_errors([0.0, 0.0], 1e-15, 0.01).verdict == "agrees"
    assert analysis.verdict_in_errors([0.0, 0.0], 1e-3, 0.01).verdict == "disagrees"


REFUSED = {
    "values: expected one per seed for at least 2 seeds; got 1": lambda: analysis.t_interval([1.0]),
    r"values\[1\]: expected finite numbers; got nan": lambda: analysis.t_interval([1.0, float("nan")]),
    "margin: expected a number > 0 beside the prediction -1": lambda: analysis.verdict(VALUES, -1, None),
    "margin: expected a finite number > 0; got 0": lambda: analysis.verdict(VALUES, -1, 0),
    r"y\[0, 1\]: expected numbers > 0 for a log-log fit; got 0.0": lambda: analysis.rate([1, 2], [[1, 0]]),
    "expected at least 2 different x": lambda: analysis.rate([2, 2], [[1, 1]]),
    "predicted: expected a finite number; got nan": lambda: analysis.verdict(VALUES, float("nan"), 0.1),
    "predicted: expected a finite number; got inf": lambda: analysis.verdict_in_errors(VALUES, np.inf, 0.1),
    "confidence: expected a number between 0 and 1; got 95": lambda: analysis.t_interval(VALUES, 95),
    r"a, b: expected pairs, at most 20; got shapes \(21,\)": lambda: analysis.paired_test([1] * 21, [2] * 21),
    "expected a finite error somewhere in": lambda: analysis.tune(lambda alpha: np.nan, 0.1, 1.0),
    r"y of shape \(seeds, 2\)": lambda: analysis.rate([1, 2], [[1, 1, 1]]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_wrong_input_is_refused(message):
    with pytest.raises(ValueError, match=message):
        REFUSED[message]()


@given(optimum=st.floats(0.02, 50), power=st.floats(0.5, 4))
def test_tuning_finds_the_minimum_to_its_resolution(optimum, power):
    """Unimodal in log alpha: the best grid point is within one fine ratio (1.08) of the optimum."""
    calls = []

    def error(alpha):
        calls.append(alpha)
        return 1.0 + abs(np.log(alpha / optimum)) ** power

    found = analysis.tune(error, 1e-3, 1e3)
    assert 1 / 1.081 <= found.step_size / optimum <= 1.081
    assert len(calls) == len(set(calls)) == len(found.errors)
    assert found.error == found.errors.min() == error(found.step_size)
    np.testing.assert_array_equal(found.step_sizes, sorted(set(calls)))
    np.testing.assert_array_equal(found.errors, [error(alpha) for alpha in found.step_sizes])


def test_tuning_passes_over_divergence_and_refuses_an_edge():
    def diverging(alpha):
        return np.inf if alpha > 1 else np.nan if alpha > 0.5 else 1 / alpha

    assert 0.4 < analysis.tune(diverging, 0.01, 100.0).step_size <= 0.5
    with pytest.raises(ValueError, match="got the largest step size as the best"):
        analysis.tune(lambda alpha: 1 / alpha, 0.01, 1.0)
    with pytest.raises(ValueError, match="got the smallest step size as the best"):
        analysis.tune(lambda alpha: alpha, 0.01, 1.0)


def test_the_paired_test_is_exact():
    """All six ratios on one side: 2 of 64 sign patterns. One small one on the other side: 4 of 64."""
    a = np.array([1.0, 1.1, 0.9, 1.0, 1.2, 1.0])
    assert analysis.paired_test(a, 2 * a) == 2 / 64
    assert analysis.paired_test(a * [1, 1, 1, 1, 1, 2.1], 2 * a) == 4 / 64
    assert analysis.paired_test(a, a) == 1.0
    signed = stats.permutation_test(
        (np.log(a / (2 * a * [1, 1, 1, 0.4, 1, 0.4])),), np.sum, permutation_type="samples"
    )
    assert analysis.paired_test(a, 2 * a * [1, 1, 1, 0.4, 1, 0.4]) == pytest.approx(signed.pvalue)


@pytest.mark.parametrize(
    ("a", "b", "p"),
    [
        ([8, 11, 3, 3, 6], [1, 9, 11, 6, 8], 1.0),  # 8 * 11 * 3 * 3 * 6 = 1 * 9 * 11 * 6 * 8 = 4752
        ([0.8, 1.1, 0.3, 0.3, 0.6], [0.1, 0.9, 1.1, 0.6, 0.8], 1.0),  # the same in tenths, as floats
        ([6, 1, 1, 1], [1, 2, 3, 1], 1.0),  # 6 = 2 * 3
        ([4, 2, 9, 5], [2, 1, 3, 5], 4 / 16),  # all of the ratios 2, 2, 3 on one side, 1 on either
        ([1e300, 1e300], [1e-300, 1e-300], 0.5),
        ([1.0] * 20, [2.0] * 20, 2.0**-19),
    ],
)
def test_ties_of_the_paired_test_are_ties(a, b, p):
    assert analysis.paired_test(a, b) == analysis.paired_test(b, a) == p


@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), min_size=1, max_size=8),
    st.sampled_from([1, 10, 2.0**-700, 1e200]),
)
def test_the_paired_test_counts_sign_patterns_in_exact_arithmetic(pairs, scale):
    def product(signs):
        factors = (Fraction(a, b) ** sign for (a, b), sign in zip(pairs, signs, strict=True))
        found = prod(factors, start=Fraction(1))
        return max(found, 1 / found)

    patterns = list(itertools.product((1, -1), repeat=len(pairs)))
    expected = sum(product(one) >= product(patterns[0]) for one in patterns) / len(patterns)
    a, b = np.array(pairs, dtype=float).T
    assert analysis.paired_test(a * scale, b * scale) == expected


@pytest.mark.parametrize(
    "x", [[1, 2, 4, 8], [1, 2, 3, 5, 9], [10, 11, 12], [0.001, 1, 1000], [1000, 1001, 1003]]
)
@pytest.mark.parametrize("power", [0, 1, -1, 0.5, -1.5, 3, 10])
def test_exact_laws_do_not_bend(x, power):
    """Their curvature is 0; what is computed is rounding, however many seeds agree on it."""
    y = np.multiply.outer([1.0, 1.0, 1.1, 3.0, 1e-100, 1e100], np.array(x, dtype=float) ** power)
    for seeds in (y, y[:2], y[2:4], y[4:]):
        assert not analysis.rate(x, seeds).bends


@given(
    st.lists(st.integers(1, 1000), min_size=3, max_size=8, unique=True),
    st.integers(-3, 3),
    st.lists(st.integers(1, 1000), min_size=2, max_size=6),
    st.integers(-60, 60),
)
def test_no_law_in_whole_numbers_bends(x, power, scales, shift):
    y = np.multiply.outer(scales, np.array(x, dtype=float) ** power) * 2.0**shift
    assert not analysis.rate(x, y).bends


def test_a_small_bend_is_still_seen():
    x = np.array([1.0, 2.0, 4.0, 8.0])
    bent = x * np.exp(1e-9 * np.log(x) ** 2)
    fit = analysis.rate(x, [bent, 2 * bent, 3 * bent])
    assert fit.bends
    np.testing.assert_allclose(fit.curvatures, 2e-9, rtol=1e-5)


def test_two_different_x_do_not_bend():
    assert not analysis.rate([1, 1, 2], [[1, 2, 3], [3, 4, 4]]).bends
    assert not analysis.rate([1, 2, np.nextafter(2, 3)], [[1, 2, 3], [3, 4, 4]]).bends
    with pytest.raises(ValueError, match="expected at least 2 different x"):
        analysis.rate([2, np.nextafter(2, 3)], [[1, 2], [3, 4]])


def test_lines_are_predicted_at_numbers_that_have_logarithms():
    fit = analysis.rate([1, 2], [[1, 2], [2, 4]])
    assert fit.predict(4.0)[0].shape == (1,)
    with pytest.raises(ValueError, match=r"x\[1\]: expected numbers > 0 for a log-log fit; got -1"):
        fit.predict([1.0, -1.0])


@pytest.mark.parametrize("k", [-1000, -600, -1, 600, 1000])
def test_intervals_scale_with_the_values(k):
    """Multiplying by a power of two commutes with every rounding, so all digits are the same."""
    low, high = analysis.t_interval(VALUES)
    scaled = np.ldexp(VALUES, k)
    assert analysis.t_interval(scaled) == (np.ldexp(low, k), np.ldexp(high, k))
    judged = analysis.verdict(scaled, float(np.ldexp(-1.0, k)), float(np.ldexp(0.2, k)))
    assert (judged.verdict, judged.measured) == ("agrees", np.ldexp(np.mean(VALUES), k))
    exact = analysis.verdict_in_errors(scaled, float(np.ldexp(-1.0, k)), float(np.ldexp(0.1, k)))
    assert exact.margin == np.ldexp(analysis.verdict_in_errors(VALUES, -1.0, 0.1).margin, k)


def test_intervals_of_the_largest_and_smallest_numbers():
    assert analysis.t_interval([1.7e308, 1.7e308]) == (1.7e308, 1.7e308)
    assert analysis.t_interval([1.7e308, -1.7e308]) == (-np.inf, np.inf)
    low, high = analysis.t_interval([5e-324, 2e-323])
    assert low < 0.0 < high


def test_tuning_stays_within_the_range():
    """The minimum at 110 lies above 100, hence at the edge of what may be tried."""
    tried = []

    def error(alpha, optimum):
        tried.append(alpha)
        return abs(np.log(alpha / optimum))

    with pytest.raises(ValueError, match="got the largest step size as the best"):
        analysis.tune(lambda alpha: error(alpha, 110.0), 0.01, 100.0)
    assert analysis.tune(lambda alpha: error(alpha, 80.0), 0.01, 100.0).step_size == pytest.approx(
        80, rel=0.08
    )
    assert min(tried) >= 0.01
    assert max(tried) <= 100.0


@given(optimum=st.floats(0.0, 1.0), low=st.floats(1e-6, 1e6), octaves=st.floats(0.5, 30.0))
def test_tuning_tries_nothing_outside_and_finds_what_is_well_inside(optimum, low, octaves):
    high, tried = low * 2.0**octaves, []
    best = low * (high / low) ** optimum

    def error(alpha):
        tried.append(alpha)
        return 1.0 + np.log(alpha / best) ** 2

    try:
        found = analysis.tune(error, low, high)
    except ValueError:
        assert best < 2.0 * low or best > high / 2.0
    else:
        assert 1 / 1.081 <= found.step_size / best <= 1.081
    assert low <= min(tried)
    assert max(tried) <= high


def test_ranges_of_hundreds_of_octaves():
    found = analysis.tune(lambda alpha: abs(np.log(alpha)), 1e-300, 1e300)
    assert found.step_size == pytest.approx(1.0, rel=0.08)


def test_positive_quantities_have_positive_intervals():
    """Errors of six seeds, one of them large: Student's interval for their mean begins below 0."""
    errors = [2e-9, 4e-9, 3e-9, 1e-9, 6e-9, 4.5e-8]
    assert analysis.t_interval(errors)[0] < 0.0
    low, high = analysis.t_interval(errors, positive=True)
    assert 0.0 < low < np.mean(errors) < high
    assert low * high == pytest.approx(np.mean(errors) ** 2)
    half = stats.t.ppf(0.975, 5) * stats.sem(errors) / np.mean(errors)
    assert np.log(high / low) == pytest.approx(2 * half)


@pytest.mark.parametrize("k", [-1000, -1, 900])
def test_positive_intervals_scale_with_the_values(k):
    low, high = analysis.t_interval([1.0, 2.0, 5.0], 0.9, positive=True)
    scaled = analysis.t_interval(np.ldexp([1.0, 2.0, 5.0], k), 0.9, positive=True)
    assert scaled == (np.ldexp(low, k), np.ldexp(high, k))


def test_positive_intervals_at_the_edges():
    assert analysis.t_interval([0.0, 0.0], positive=True) == (0.0, 0.0)
    assert analysis.t_interval([3.0, 3.0, 3.0], positive=True) == (3.0, 3.0)
    assert analysis.t_interval([0.0, 1.0], 1 - 1e-9, positive=True) == (0.0, np.inf)
    with pytest.raises(
        ValueError, match=r"values\[1\]: expected numbers >= 0 of a positive quantity; got -1e-20"
    ):
        analysis.t_interval([1e-10, -1e-20], positive=True)


@pytest.mark.parametrize(
    ("draw", "mean"),
    [
        (lambda rng, shape: rng.gamma(5.0, size=shape), 5.0),
        (lambda rng, shape: rng.exponential(size=shape), 1.0),
        (lambda rng, shape: np.exp(rng.standard_normal(shape)), np.exp(0.5)),
    ],
    ids=["gamma", "exponential", "log-normal"],
)
def test_positive_intervals_cover_skewed_means_more_often(draw, mean):
    samples = draw(np.random.RandomState(0), (4000, 6))
    hits = {
        positive: sum(
            low <= mean <= high
            for low, high in (analysis.t_interval(one, positive=positive) for one in samples)
        )
        for positive in (False, True)
    }
    assert hits[False] < hits[True] <= 0.96 * 4000


@pytest.mark.parametrize(("seeds", "low"), [(10, -0.05), (4, -0.08)])
def test_the_chance_to_agree_is_the_integral_over_estimated_deviations(seeds, low):
    """Of mean - t s / sqrt(R) >= low, where (R - 1) s^2 is chi-squared and independent of the mean."""
    error, chi, t = 0.1 / np.sqrt(seeds), stats.chi2(seeds - 1), stats.t(seeds - 1).ppf(0.95)

    def chance(x):
        return stats.norm.sf(low / error + t * np.sqrt(x / (seeds - 1))) * chi.pdf(x)

    expected = quad(chance, 0.0, 60.0, limit=200)[0]
    assert analysis.chance_to_agree(0.0, 0.1, seeds, low, np.inf) == pytest.approx(expected, rel=2e-5)
