"""Errors at rounding level, and times beyond the horizon, are said, and reach no logarithm."""

from dataclasses import replace

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import experiments
from cdgrab_sim.analysis import t_interval, verdict, verdict_in_errors
from cdgrab_sim.experiments import _measures, _training, async_compare, centralized, speedup
from cdgrab_sim.experiments._exponents import bend_notes, slope_row
from cdgrab_sim.experiments._readings import paired, ratio, smaller
from cdgrab_sim.experiments.rates import tuned
from cdgrab_sim.experiments.regimes import gain
from cdgrab_sim.experiments.regimes import map as regimes_map

CELL = {"ordering": "rr", "m": 2, "n": 4, "seed": 0, "replicates": {"others": 1}}
EXACT = {"family": "least-squares", "d": 2, "sigma": 0.0}


def below(problem):
    """A point whose value lies below f_star, by rounding."""
    eps = np.finfo(float).eps
    points = (problem.x_star * (1.0 + k * eps) for k in range(-40, 41))
    return next(x for x in points if problem.value(x, problem.arrays) < problem.f_star)


def test_errors_are_zero_where_rounding_hides_them():
    cell = CELL | {"problem": EXACT, "x0": 1.0}
    problem = _measures.problem_of(cell)
    found = _measures.errors(cell, problem, 0.05, 3000)
    run = cg.simulate(problem, "rr", epochs=3000, step_size=0.05, seed=0, x0=[1.0, 1.0])
    assert found[0, 0] == run.loss[0, 0] - problem.f_star > 0.1
    assert found[0, -1] == 0.0
    assert (found >= 0.0).all()


def test_an_f_star_that_is_none_is_refused():
    problem = _measures.problem_of(CELL | {"problem": {"family": "skewed", "kappa": 2.0, "d": 2}})
    x = np.array([1.0, 1.0])
    with pytest.raises(ValueError, match=r"problem 'skewed': expected f >= f_star; got .* no minimiser"):
        _measures.errors(CELL, replace(problem, x_star=x, f_star=problem.value(x, problem.data)), 0.01, 3)


@pytest.mark.compiled
def test_other_places_measure_the_same_excess():
    problem = cg.problems.least_squares(m=1, n=50, d=3, seed=1)
    assert async_compare._above(problem, below(problem)) == 0.0
    cell = {"table": "cancer", "problem": {"m": 4, "ridge": 0.01}, "ordering": "fixed", "epochs": 4000}
    cell |= {"alpha": 0.5, "momentum": 0.9, "batch": 142, "every": 10, "herding": False, "seed": 0}
    excess = _training.train(cell)["excess"]  # full gradients end at the minimum
    assert excess[0] > 0.1
    assert (excess >= 0.0).all()
    assert (excess[-100:] == 0.0).all()
    still = CELL | {"problem": {"family": "quadratic", "d": 1, "eigenvalues": [1.0], "sigma": 0.0}}
    assert gain.filtered_floor(still | {"step_size": 0.1, "epochs": 8})["error"] == 0.0


def test_sizes_that_a_seed_did_not_measure_leave_the_fit_and_the_row_says_so():
    values = np.array([[8.0, 4.0, 2.0, 0.0], [16.0, 8.0, 4.0, 1.0]])
    row = slope_row("x", "error exponent in m", [1, 2, 4, 8], values, -1.0, 0.2)
    assert (row.quantity, row.verdict) == ("error exponent in m (3 of 4 sizes)", "agrees")
    assert row.measured == pytest.approx(-1.0)
    assert bend_notes("error", "m", [1, 2, 4, 8], {"x": values}) == []
    for lost, word in ((0.0, "at rounding level"), (np.inf, "censored")):
        row = slope_row("x", "exponent", [1, 2], np.array([[1.0, lost], [1.0, 1.0]]))
        assert (row.measured, row.ci_low, row.verdict) == (None, None, word)
        assert row.cells()["measured"] == ""


def test_comparisons_of_what_is_lost_in_rounding_say_so():
    a, b = np.array([0.0, 1.0]), np.array([1.0, 1.0])
    for row in (ratio("x", "q", a, b), ratio("x", "q", b, a), smaller("x", "q", a, b)):
        assert (row.measured, row.ci_low, row.verdict) == (None, None, "at rounding level")
    assert paired(a, b) == "not to be compared, as errors are at rounding level"
    notes = tuned._comparisons(4, {"rr": np.ones((2, 1)), "cd-grab": np.zeros((2, 1))})
    assert notes == [f"cd-grab against rr at m = 4: errors 0.00e+00 and 1.00e+00, {paired(a, b)}"]


def test_a_map_leaves_out_what_underflows():
    config = {"map": {"n": [8], "T": [5, 20], "m": [1, 4, 16], "kappa": 30.0}, "problem": {"d": 3}}
    error = np.array([1.0, 0.1, 0.01])[None, None, :, None] * np.ones((1, 2, 1, 3))
    whole = regimes_map._findings(config, error.copy())
    error[0, 0, 2, 1] = 0.0
    rest = regimes_map._findings(config, error)
    assert len(rest.rows) == len(whole.rows) > 0
    assert all(np.isfinite(row.measured) for row in rest.rows)


def test_times_beyond_the_horizon_are_censored():
    steps = np.array([[100.0, 50.0, np.inf], [100.0, 50.0, 25.0]])
    assert centralized._without_log(steps)[0].tolist() == [100 / np.log(100), 50 / np.log(50), np.inf]
    row = centralized._speedup(2, steps, np.full((2, 1), 200.0), np.array([1, 2, 4]))
    assert (row.measured, row.verdict) == (None, "censored")


def test_a_positive_quantity_has_a_positive_interval():
    values = [1e-9, 0.0, 3e-8, 1e-10]
    assert t_interval(values)[0] < 0.0  # Student's interval is not
    for judged in (
        verdict(values, 0.0, 1.0, positive=True),
        verdict(values, None, None, positive=True),
        verdict_in_errors(values, 0.0, 1.0, positive=True),
    ):
        assert 0.0 < judged.ci_low < judged.measured < judged.ci_high


@pytest.mark.compiled
def test_an_experiment_on_exact_fits_ends_with_rows_and_a_figure(monkeypatch):
    sizes = speedup.SIZES | {"m": [1, 2, 4], "epochs": 20, "n": 4, "seeds": 2}
    monkeypatch.setattr(speedup, "QUICK", sizes)

    def exact(m, n, seed):
        return cg.problems.least_squares(m=m, n=n, d=2, sigma=0.0, seed=seed)

    result = experiments.run("speedup", orderings=["rr", "cd-grab"], problem=exact, quick=True)
    assert [row.verdict for row in result.rows] == ["at rounding level"] * 2
    assert "NaN" not in result.to_json()
    assert result.table()
    figure = experiments.figure(result)
    figure.draw_without_rendering()
    assert figure.axes[0].texts[0].get_text() == "nothing above the level of rounding"
