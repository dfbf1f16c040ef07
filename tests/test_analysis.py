"""Slopes, intervals and verdicts, against formulas written another way and against known power laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

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
