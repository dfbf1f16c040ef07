"""Minimisers of tables in any units: what only renames units changes x_star and f_star by those units."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cdgrab_sim as cg
from cdgrab_sim.problems import _minimum

RNG = np.random.RandomState(2)
X = np.hstack([np.ones((60, 1)), RNG.standard_normal((60, 3))])
NOISE = RNG.standard_normal(60)
Y = X @ [1.0, -2.0, 0.5, 3.0] + NOISE
LABELS = (X @ [0.3, -1.0, 0.5, 1.0] + 2.0 * NOISE > 0).astype(int)


def fit(features, y, loss="least-squares", **more):
    return cg.problems.from_arrays(features, y, loss=loss, m=3, **more)


@pytest.mark.parametrize("scale", [1e-140, 1e-12, 1e-5, 2e5, 1e12, 1e90])
@pytest.mark.parametrize("shift", [0.0, 7.0])
def test_targets_of_any_scale_have_their_minimiser(scale, shift):
    """f(c x; c y) = c^2 f(x; y)."""
    one, many = fit(X, Y + shift), fit(X, scale * (Y + shift))
    assert_allclose(many.x_star, scale * one.x_star, rtol=1e-9)
    if scale > 1e-100:
        assert_allclose(many.f_star, scale**2 * one.f_star, rtol=1e-9)


@pytest.mark.parametrize("units", [[1, 1e5, 1e-5, 1], [1e-9, 1, 1e9, 1e3], [1, 1e12, 1, 1], [1e60] * 4])
@pytest.mark.parametrize(("loss", "y"), [("least-squares", Y), ("logistic", LABELS)])
def test_features_in_raw_units_have_their_minimiser(units, loss, y):
    """<a u, x / u> = <a, x>."""
    one, many = fit(X, y, loss), fit(X * units, y, loss)
    assert_allclose(many.f_star, one.f_star, rtol=1e-9)
    assert_allclose(many.x_star * units, one.x_star, rtol=1e-6)


def test_raw_units_with_a_ridge():
    """The gradient of the whole vanishes coordinate by coordinate, relative to what is added up in it."""
    problem = fit(X * [1, 1e5, 1e-5, 1], 2e5 + Y, ridge=0.3)
    G = problem.gradients(problem.x_star)
    assert (np.abs(G.mean(axis=(0, 1))) <= 1e-11 * np.abs(G).mean(axis=(0, 1))).all()


def test_constant_and_empty_columns():
    for column in (np.zeros(60), np.ones(60)):
        problem = fit(np.column_stack([X * [1e6, 1, 1, 1], column]), Y)
        assert_allclose(problem.f_star, fit(X, Y).f_star, rtol=1e-9)
    zero = np.column_stack([X, np.zeros(60)])
    assert_allclose(fit(zero, Y, ridge=0.1).f_star, fit(X, Y, ridge=0.1).f_star, rtol=1e-12)


@pytest.mark.parametrize("units", [1.0, 1e6, 1e-6])
def test_separable_classes_have_no_minimiser(units):
    separable = (X[:, 1] > 0).astype(int)
    problem = fit(units * X, separable, "logistic")
    assert problem.x_star is None
    assert problem.f_star is None
    with pytest.raises(ValueError, match=r"problem .logistic.: expected a minimiser .* ridge") as caught:
        _minimum.required(problem)
    assert "\n" not in str(caught.value)
    assert fit(units * X, separable, "logistic", ridge=0.1 * units**2).x_star is not None


@pytest.mark.parametrize("entry", [1e200, -1e300, 1e100])
def test_numbers_whose_squares_leave_the_machine_are_refused(entry):
    huge = X.copy()
    huge[5, 1] = entry
    with pytest.raises(ValueError, match=r"X: expected entries below 1e\+100 .* scale"):
        fit(huge, Y)
    with pytest.raises(ValueError, match=r"y: expected entries below 1e\+100 .* scale"):
        fit(X, np.where(np.arange(60) == 3, entry, Y))


@pytest.mark.parametrize("scale", [1.0, 2e5, 1e-8])
def test_an_exact_fit_ends_at_rounding_level(scale):
    """y an exact linear function: the minimum is 0, and f - f_star is rounding of either sign in the end."""
    problem = fit(X, scale * (X @ [1.0, -2.0, 0.5, 3.0]))
    run = cg.simulate(problem, "rr", epochs=2000, step_size=0.05)
    errors = _minimum.excess(problem, run.loss)
    assert errors[0, 0] == run.loss[0, 0] - problem.f_star
    assert errors[0, -1] == 0.0
    assert (errors >= 0.0).all()
    assert (errors[errors > 0.0] > 1e-40 * scale**2).all()


def test_excess_of_what_is_not_at_rounding_level_is_the_difference():
    problem = fit(X, Y)
    loss = problem.f_star * np.array([1.0, 1.0 + 1e-16, 1.0 - 2e-16, 1.0 + 1e-10, 2.0, np.inf])
    assert _minimum.excess(problem, loss).tolist() == [0, 0, 0, *(loss[3:] - problem.f_star)]
    below = _minimum.excess(problem, [0.9 * problem.f_star])
    assert below[0] < 0.0  # no rounding: an f_star that is none shows
    assert np.isnan(_minimum.excess(problem, [np.nan])).all()
