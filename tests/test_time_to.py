"""Time to accuracy, against hand-made curves, a loop, and what a horizon may not do to a fit."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdgrab_sim import analysis


@given(
    st.lists(st.floats(0.01, 100.0), min_size=3, max_size=30),
    st.floats(0.05, 50.0),
    st.integers(1, 3),
)
def test_the_time_lies_within_the_step_that_crosses(errors, accuracy, window):
    time = analysis.time_to(errors, accuracy, window=window)
    means = {t: np.mean(errors[t - window + 1 : t + 1]) for t in range(window - 1, len(errors))}
    tolerance = 1.0 + 1e-12
    first = next((t for t, mean in means.items() if mean <= accuracy * tolerance), None)
    if first is None or not means[first] * tolerance <= accuracy:
        assert time == np.inf or means[first] == pytest.approx(accuracy)
    else:
        assert first - 1 <= time <= first


@pytest.mark.parametrize("accuracy", [0.1, 0.3, 0.7, 1e-3, 5e-324, 1e308])
@pytest.mark.parametrize("window", [1, 2, 3, 7, 10])
def test_errors_equal_to_the_accuracy_have_reached_it(accuracy, window):
    """Their mean is the accuracy, whatever their sum rounds to."""
    assert analysis.time_to([accuracy] * 12, accuracy, window=window) == window - 1
    above = np.nextafter(accuracy, np.inf)
    assert analysis.time_to([above] * 12, accuracy, window=window) == np.inf


@given(
    st.lists(st.integers(0, 12), min_size=3, max_size=20),
    st.integers(1, 12),
    st.integers(1, 3),
    st.sampled_from([1.0, 0.1, 1e-3, 2.0**-1060, 2.0**1000]),
)
def test_the_crossing_is_that_of_exact_means(errors, accuracy, window, scale):
    e = [error * scale for error in errors]
    exact = [
        sum(map(Fraction, e[t - window + 1 : t + 1])) <= window * Fraction(accuracy * scale)
        for t in range(window - 1, len(e))
    ]
    time = analysis.time_to(e, accuracy * scale, window=window)
    if True in exact:
        first = exact.index(True) + window - 1
        assert first - 1 <= time <= first
    else:
        assert time == np.inf


def test_falls_by_more_than_the_largest_number():
    assert 0.0 < analysis.time_to([1e308, 1e-308], 1e-9) < 1.0
    assert analysis.time_to([1e308, 1e308, 1e-10], 1e-9) == pytest.approx(1 + 317 / 318)


def test_an_exponential_is_interpolated_exactly():
    errors = 5.0 * np.exp(-0.3 * np.arange(40))
    assert analysis.time_to(errors, 0.01) == pytest.approx(np.log(500.0) / 0.3, rel=1e-12)


def test_a_window_ignores_one_lucky_moment():
    errors = [8.0, 8.0, 0.1, 8.0, 8.0, 1.0, 1.0, 1.0]
    assert analysis.time_to(errors, 2.0) < 2.0
    assert analysis.time_to(errors, 2.0, window=3) > 6.0


def test_divergence_is_not_accuracy():
    assert analysis.time_to([1.0, np.nan, np.inf], 0.5) == np.inf
    assert analysis.time_to([np.nan, 0.1], 0.5) == 1.0


def test_dropping_slow_seeds_would_flatten_the_exponent():
    """Times 100 / m with noise, a horizon of 100: whole sizes are left out, not single seeds."""
    rng = np.random.RandomState(0)
    m = np.array([1, 2, 4, 8])
    times = 100.0 / m * np.exp(0.3 * rng.standard_normal((40, 4)))
    times[times > 100.0] = np.inf
    known = analysis.uncensored(times)
    assert known.tolist() == [False, False, True, True] or known.tolist() == [False, True, True, True]
    slope = analysis.rate(m[known], times[:, known]).slope
    kept = np.isfinite(times).all(axis=1)
    biased = np.polyfit(np.log(m), np.nanmean(np.log(np.where(np.isinf(times), np.nan, times)), axis=0), 1)[0]
    assert kept.sum() < len(times)
    assert slope < biased
    assert slope == pytest.approx(-1.0, abs=0.15)


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("errors: expected one error per time", lambda: analysis.time_to([[1.0]], 1.0)),
        ("errors: expected one error per time", lambda: analysis.time_to([], 1.0)),
        (r"errors\[1\]: expected errors >= 0; got -1.0", lambda: analysis.time_to([1.0, -1.0], 0.5)),
        ("accuracy: expected a finite number > 0; got 0", lambda: analysis.time_to([1.0], 0.0)),
        ("window: expected", lambda: analysis.time_to([1.0], 1.0, window=2)),
        ("times: expected shape", lambda: analysis.uncensored([1.0])),
    ],
)
def test_wrong_arguments_are_refused(message, call):
    with pytest.raises(ValueError, match=message):
        call()
