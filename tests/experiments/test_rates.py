"""`cdgrab rates`: its measures against direct runs, its verdicts at small sizes, and a wrong prediction."""

import math

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import experiments
from cdgrab_sim.analysis import time_to
from cdgrab_sim.experiments import _measures, rates
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments.rates import bounds, tuned
from cdgrab_sim.experiments.rates.figure import PANELS
from cdgrab_sim.experiments.rates.times import times_part
from theory import slopes

pytestmark = pytest.mark.compiled  # whole experiments: minutes as plain Python

SKEWED = {"family": "skewed", "kappa": 5.0, "d": 2}
CELL = {
    "ordering": "rr",
    "problem": SKEWED,
    "m": 2,
    "n": 8,
    "seed": 3,
    "replicates": {"others": 2},
    "x0": 1.0,
}
ALL = ["sgd", "rr", "d-grab-pair", "cd-grab"]
TINY = {
    "seeds": 3,
    "problem": SKEWED,
    "n": 8,
    "tuned": {
        "orderings": ALL,
        "m": {"m": [1, 4], "T": 40},
        "T": {"T": [30, 60], "m": 2},
        "steps": [0.5, 128.0],
        "replicates": {"sgd": 2, "others": 1},
    },
    "times": {
        "orderings": ALL,
        "m": [1, 2, 4],
        "T": 30,
        "accuracy": {"sgd": 1e-9, "others": 1e-2},
        "rates": [0.01, 4.0],
        "replicates": {"others": 1},
    },
    "floors": {
        "m": 2,
        "relaxations": 4,
        "alpha": {"alpha_n_L": [0.1, 0.2]},
        "quadratic": {"family": "quadratic", "d": 2, "eigenvalues": [1.0, 3.0]},
        "n": {"n": [4, 8], "alpha_n_L": 0.2},
        "ms": {"m": [1, 2], "alpha_n_L": 0.2},
        "replicates": {"others": 1},
    },
    "bounds": {
        "problem": {"family": "robust", "d": 2},
        "orderings": ["rr", "d-grab-pair", "cd-grab"],
        "m": [1, 2],
        "n": 8,
        "T": 20,
        "alpha_n_L": 1 / 12,
    },
}


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rates, "QUICK", TINY)
        return rates.run(Options(quick=True, jobs=1))


def test_rows_cover_every_part(result):
    found = {(row.name, row.quantity) for row in result.rows}
    for name in ALL:
        power = "" if name == "sgd" else "²"
        for variable in ("m", "T"):
            assert (name, f"tuned error / (α μ n T){power} exponent in {variable}") in found
            assert (name, f"tuned error exponent in {variable}") in found
        for variable in ("alpha", "n", "m"):
            assert (name, f"floor exponent in {variable}") in found
    assert ("so", "floor (quadratic) exponent in alpha") in found
    assert sum(row.verdict == "holds" for row in result.rows) == 8  # T1 for three orderings, T5 for one


def test_raw_slopes_have_no_verdict(result):
    raw = [row for row in result.rows if row.quantity.startswith("tuned error exponent")]
    assert raw
    assert {row.verdict for row in raw} == {"no prediction"}


def test_what_the_horizon_censors_is_reported_and_not_fitted(result):
    assert np.isinf(result.data["times sgd"]).all()
    assert ("sgd", "time to accuracy exponent in m") not in {(r.name, r.quantity) for r in result.rows}
    assert any(
        "sgd: f - f* <= 1e-09 takes more than T = 30 epochs at m = 1: 3 of 3 seeds" in note
        for note in result.notes
    )


def test_the_figure_has_a_panel_per_part(result):
    drawn = experiments.figure(result)
    assert len(drawn.axes) == sum(map(len, PANELS.values())) == 8


def test_parts_can_be_asked_for(monkeypatch):
    monkeypatch.setattr(rates, "QUICK", TINY)
    result = rates.run(Options(quick=True, jobs=1), parts=["bounds"])
    assert {row.quantity.split()[0] for row in result.rows} == {"mean", "T1", "T5"}
    assert len(experiments.figure(result).axes) == 1
    with pytest.raises(ValueError, match="did you mean 'tuned'"):
        rates.run(Options(), parts=["tune"])


def test_a_tuned_error_is_that_of_its_step_and_no_neighbour_is_better():
    cell = CELL | {"T": 30, "steps": [1.0, 64.0]}
    found = _measures.tuned_error(cell)
    unit = 1.0 / (8 * 30)
    problem = cg.problems.skewed(m=2, n=8, d=2, kappa=5.0, seed=3)

    def error(step):
        run = cg.simulate(
            problem, "rr", epochs=30, step_size=step * unit, seed=3, replicates=2, x0=[1.0, 1.0]
        )
        return run.loss[:, -5:].mean()

    assert found["error"] == pytest.approx(error(found["step"]), rel=1e-9)
    assert found["error"] <= min(error(found["step"] * 1.08), error(found["step"] / 1.08))


def test_the_fewest_epochs_are_those_of_the_best_step():
    cell = CELL | {"T": 60, "accuracy": {"others": 1e-3}, "rates": [0.02, 4.0]}
    found = _measures.time_to_accuracy(cell)
    problem = cg.problems.skewed(m=2, n=8, d=2, kappa=5.0, seed=3)

    def epochs(rate):
        run = cg.simulate(problem, "rr", epochs=60, step_size=rate / 8, seed=3, replicates=2, x0=[1.0, 1.0])
        return time_to(run.loss.mean(axis=0), 1e-3, window=5)

    assert found["epochs"] == pytest.approx(epochs(found["rate"]), rel=1e-9)
    assert found["epochs"] <= min(epochs(rate) for rate in (0.1, 0.2, 0.4))


def test_dealing_changes_neither_the_objective_nor_the_examples():
    one = cg.problems.skewed(m=1, n=12, d=2, kappa=5.0, seed=1)
    four = _measures.deal(one, 4)
    assert (four.m, four.n) == (4, 3)
    x = np.array([0.3, -0.7])
    assert four.value(x, four.data) == one.value(x, one.data)
    gradients = np.empty((12, 2)), np.empty((12, 2))
    one.grads(gradients[0], x, np.zeros(12, dtype=np.int64), np.arange(12), one.data)
    four.grads(gradients[1], x, np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4), four.data)
    np.testing.assert_array_equal(*gradients)


def test_rescaling_removes_the_logarithm_of_a_tuned_step():
    """For err = exp(-alpha T) + alpha^2, tuned exactly, the raw slope in T is off and this one is not."""
    T = np.array([1e3, 1e4, 1e5])
    alpha = np.geomspace(1e-6, 1.0, 400_001)
    best = [np.argmin(np.exp(-alpha * t) + alpha**2) for t in T]
    error = np.array([math.exp(-alpha[k] * t) + alpha[k] ** 2 for k, t in zip(best, T, strict=True)])
    label, clean = tuned.rescaled("rr", error[None], (alpha[best] * T)[None])
    raw = np.polyfit(np.log(T), np.log(error), 1)[0]
    assert label.endswith("²")
    assert raw > -1.9
    assert np.polyfit(np.log(T), np.log(clean[0]), 1)[0] == pytest.approx(-2.0, abs=0.03)


def test_a_bound_below_the_measurement_fails(monkeypatch):
    cell = {
        "ordering": "cd-grab",
        "seed": 2,
        "m": 2,
        **{k: TINY["bounds"][k] for k in ("n", "T", "alpha_n_L")},
    }
    cell["problem"] = TINY["bounds"]["problem"]
    honest = bounds.bounded_run(cell)
    assert 1.0 <= honest["T1 least"] <= honest["T1 most"] <= 50.0
    assert 1.0 <= honest["T5 least"] <= honest["T5 most"] <= 50.0
    monkeypatch.setattr(bounds, "nonconvex_bound", lambda gap, L, V, alpha, n, k: gap / (2 * alpha * n * k))
    assert bounds.bounded_run(cell)["T1 least"] < 1.0
    rows = bounds._rows("rr", "T1", np.array([[0.4]]), np.array([[70.0]]))
    assert [row.verdict for row in rows] == ["fails", "fails"]


def test_the_bounds_are_made_of_what_the_run_recorded():
    """T1 and T5 at the last epoch, written out."""
    n, m, T = 8, 2, 20
    cell = {"ordering": "cd-grab", "seed": 2, "m": m, "n": n, "T": T, "alpha_n_L": 1 / 12}
    found = bounds.bounded_run(cell | {"problem": TINY["bounds"]["problem"]})
    problem = cg.problems.robust(m=m, n=n, d=2, seed=2)
    L = problem.constants["L"]
    alpha = 1 / 12 / (n * L)
    record = cg.Record(herding=("l2",), balance=True)
    run = cg.simulate(problem, "cd-grab", epochs=T, step_size=alpha, seed=2, record=record)
    H, A, F0 = run.herding["l2"][0] / m, run.balance[0], run.loss[0, 0] - run.loss[0].min()
    noise = (alpha * L) ** 2
    t1 = 10 / 3 * F0 / (alpha * n * T) + 8 * noise * np.mean(H**2)
    t5 = 2.05 * F0 / (alpha * n * T) + 9.9 * noise * H[0] ** 2 / T + 22.5 * noise * np.mean(A**2) / m**2
    assert found["measured"] == pytest.approx(np.mean(run.grad_norm[0, :-1] ** 2), rel=1e-12)
    assert (found["T1"], found["T5"]) == pytest.approx((t1, t5), rel=1e-12)


@pytest.mark.compiled
def test_times_separate_the_orderings_and_a_wrong_prediction_disagrees(monkeypatch):
    sizes = TINY["times"] | {
        "orderings": ["rr", "cd-grab"],
        "m": [1, 2, 4],
        "T": 400,
        "accuracy": {"others": 3e-6},
        "rates": [0.02, 2.0],
    }
    config = {"problem": SKEWED, "n": 32, "times": sizes}
    part = times_part(config, [1, 2, 3])
    values = [_measures.time_to_accuracy(cell) for cell in part.cells]
    rows = {row.name: row for row in part.read(values).rows}
    assert rows["cd-grab"].measured < rows["rr"].measured - 0.25
    assert rows["cd-grab"].verdict != "disagrees"
    real = slopes.predicted("time to accuracy", "sgd", "m")
    monkeypatch.setattr(slopes, "predicted", lambda *names: real)
    assert {row.name: row.verdict for row in part.read(values).rows}["rr"] == "disagrees"
