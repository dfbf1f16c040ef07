"""`cdgrab centralized`: the same examples, fewer sequential steps."""

import numpy as np
import pytest

from cdgrab_sim import experiments
from cdgrab_sim.experiments import _measures, centralized
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments.centralized import errors as centralized_errors

pytestmark = pytest.mark.compiled  # whole experiments: minutes as plain Python

SMALL = centralized.SIZES | {
    "seeds": 3,
    "problem": {"family": "skewed", "kappa": 5.0, "d": 2},
    "N": 64,
    "m": [1, 4],
    "steps": {"T": 80, "accuracy": {"others": 1e-3}, "rates": [0.02, 5.0], "replicates": {"others": 1}},
    "errors": {"T": 30, "steps": [0.5, 128.0], "replicates": {"others": 1}},
}


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(centralized, "QUICK", SMALL)
        return centralized.run(Options(quick=True, jobs=1))


def test_four_workers_take_about_a_fourth_of_the_steps(result):
    """K = n T, and T hardly changes with m: the ratio lies near 1 / 4, far from 1 and 1 / 16."""
    steps = result.data["steps cd-grab"].mean(axis=0)
    assert 1 / 7 < steps[1] / steps[0] < 1 / 2.2
    assert result.data["steps grab"].shape == (3, 1)


def test_rows_judge_the_rescaled_steps_and_the_errors(result):
    judged = {(row.name, row.quantity): row.predicted for row in result.rows if row.predicted is not None}
    assert judged == {
        ("rr", "steps K / log K exponent in m"): -1.0,
        ("cd-grab", "steps K / log K exponent in m"): -1.0,
        ("rr", "tuned error (fixed N) exponent in m"): 0.0,
        ("cd-grab", "tuned error (fixed N) exponent in m"): 0.0,
        ("rr", f"{centralized_errors.SHARE} exponent in m"): 0.0,
        ("cd-grab", f"{centralized_errors.SHARE} exponent in m"): 0.0,
    }


CELL = {"problem": SMALL["problem"], "T": 30, "steps": [0.5, 128.0], "seed": 3, "x0": 1.0, "dealt": True}


def test_the_prefix_of_random_orders_is_that_of_r2():
    """N sigma^2 (n + 1) / (6 n), sigma^2 within workers; pairs are random ones."""
    cell = CELL | {"ordering": "rr", "m": 2, "n": 16, "T": 60, "replicates": {"others": 40}}
    found = centralized_errors.herded_error(cell)
    z = _measures.problem_of(cell).data[0]
    variance = ((z - z.mean(axis=1, keepdims=True)) ** 2).sum(axis=-1).mean()
    # 1200 orders, each with a relative standard deviation near 0.8: a standard error of 2.5 %
    assert found["prefix"] == pytest.approx(32 * variance * 17 / 96, rel=0.1)
    assert found["pair"] == pytest.approx(1.0, rel=0.03)


def test_neighbours_in_an_order_of_one_worker_repel():
    cell = CELL | {"ordering": "cd-grab", "replicates": {"others": 2}}
    one, eight = (centralized_errors.herded_error(cell | {"m": m, "n": 128 // m}) for m in (1, 8))
    assert one["pair"] > 1.1 * eight["pair"]
    assert one["prefix"] > eight["prefix"]


def test_cells_hold_the_number_of_examples(result):
    cells = centralized._cells(SMALL, [1], {})
    assert {cell["m"] * cell["n"] for cell in cells} == {64}
    assert all(cell["dealt"] for cell in cells)


def test_the_speedup_is_the_ratio_of_geometric_means():
    base, steps = np.array([[80.0], [20.0]]), np.array([[10.0], [10.0]])
    row = centralized._speedup(0, steps, base, np.array([4]))
    assert row.measured == pytest.approx(4.0)
    assert row.verdict == "no prediction"


def test_the_figure_shows_both_sides(result):
    left, right = experiments.figure(result).axes
    assert "steps" in left.get_ylabel()
    assert "f − f*" in right.get_ylabel()


def test_notes_tell_means_over_seeds():
    pair, prefix = np.array([[2.0, 1.0, 1.2], [1.0, 1.0, 1.0]]), np.array([[9.0, 6.0, 3.0], [3.0, 2.0, 1.0]])
    text = " ".join(centralized_errors._pair_notes([1, 2, 4], pair, prefix))
    assert "falls by a factor 3.00" in text
    assert "is 1.50 times that of random pairs at m = 1, 1.10 times at m = 4" in text
