"""The experiment `discrepancy`: right rules agree with theory, wrong numbers do not."""

import numpy as np
import pytest

from cdgrab_sim import experiments
from cdgrab_sim.experiments import discrepancy
from cdgrab_sim.experiments._experiment import Options

pytestmark = pytest.mark.compiled  # whole experiments: minutes as plain Python

SMALL = {
    "m": {"m": [1, 4, 16, 64], "n": 64, "d": 4},
    "n": {"n": [64, 256, 1024], "m": 4, "d": 4},
    "d": {"d": [2, 8], "m": 4, "n": 512},
    "small": {"vectors": 8, "d": 2},
    "seeds": 6,
}


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(discrepancy, "QUICK", SMALL)
    return Options(quick=True, jobs=1)


def words(result):
    return {(row.name, row.quantity): row.verdict for row in result.rows}


def test_measured_agrees_with_predicted_and_bounds_hold(small):
    result = discrepancy.run(small)
    found = words(result)
    assert not set(found.values()) & {"disagrees", "fails"}
    assert found["greedy", "largest sum exponent in m"] == "agrees"
    assert found["greedy", "mean sum / V3, largest n"] == "agrees"
    assert found["greedy, independent", "largest sum exponent in m"] in ("agrees", "inconclusive")
    for rule, statement in (("greedy", 1), ("self-balancing", 6), ("hilbert", 5), ("random", 4)):
        assert found[rule, f"largest sum / bound of V{statement}, over m"] == "holds"
    ratios = [row for row in result.rows if "optimum" in row.quantity]
    assert {row.name for row in ratios} == {"greedy", "self-balancing", "hilbert", "random", "prefix"}
    assert all(row.ci_high >= row.measured >= 1.0 for row in ratios)
    # The bound of the walk is of use: never more than four times the largest sum seen.
    assert (
        result.data["m self-balancing bound"][1:] < 4 * result.data["m self-balancing"].max(axis=0)[1:]
    ).all()


def test_numbers_that_are_wrong_fail(small, monkeypatch):
    right = discrepancy.wander

    def longer(cell):
        return {key: value * cell["m"] for key, value in right(cell).items()}

    monkeypatch.setattr(discrepancy, "wander", longer)
    monkeypatch.setattr(discrepancy, "run_cells", lambda task, cells, options: [task(cell) for cell in cells])
    found = words(discrepancy.run(small, rules=("greedy", "self-balancing")))
    assert found["greedy", "largest sum exponent in m"] == "disagrees"
    assert found["greedy", "mean sum / V3, largest n"] == "disagrees"
    assert found["self-balancing", "largest sum / bound of V6, over m"] == "fails"


def test_the_figure_has_a_panel_for_each_variable(small):
    result = discrepancy.run(small, rules=("greedy", "self-balancing"))
    drawn = experiments.figure(result)
    assert [ax.get_xlabel()[-1] for ax in drawn.axes] == ["m", "n", "d"]
    for ax in drawn.axes:
        assert "self-balancing, bound V6" in ax.get_legend_handles_labels()[1]
    np.testing.assert_array_equal(result.data["m"], SMALL["m"]["m"])
