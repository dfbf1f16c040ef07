"""`cdgrab local`: floors and tuned errors beside what prefixes predict."""

import numpy as np
import pytest

from cdgrab_sim import experiments
from cdgrab_sim.experiments import local
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments.local.floors import beside, doubling

SMALL = local.SIZES | {
    "seeds": 2,
    "problem": {"family": "skewed", "kappa": 5.0, "d": 2},
    "n": 16,
    "floors": local.SIZES["floors"] | {"m": [1, 8], "H": [1, 2, 4, 16], "epochs": 500, "standing": 40},
    "heterogeneous": {"m": [2, 8], "H": 16, "heterogeneity": 1.0},
    "tuned": local.SIZES["tuned"] | {"n": 16, "m": [1, 4], "H": [1, 16], "T": 60, "steps": [1.0, 64.0]},
}


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "QUICK", SMALL)
        return local.run(Options(quick=True, jobs=1))


@pytest.mark.compiled
def test_floors_are_where_theory_says_and_fall_as_it_says(result):
    for name in SMALL["orderings"]:
        measured, predicted = result.data[f"floor {name}"], result.data[f"predicted {name}"]
        assert measured.shape == (4, 2, 2)
        assert np.abs(np.log(measured / predicted)).mean() < 0.3
        drift = result.data[f"drift {name}"]
        assert max(drift[0].max(), drift[:, :, 0].max()) < 1e-20  # of one step, of one worker
    gain = {name: np.log(result.data[f"floor {name}"]).mean(axis=1) for name in SMALL["orderings"]}
    steps, epoch = ({name: g[h, 0] - g[h, 1] for name, g in gain.items()} for h in (0, 3))
    assert steps["cd-grab"] > 1.5 * steps["d-grab-pair"] > np.log(3.0)
    assert abs(epoch["rr"]) < 0.4
    assert epoch["cd-grab"] < -0.3


@pytest.mark.compiled
def test_every_exponent_has_a_prediction(result):
    exponents = [row for row in result.rows if " exponent in m" in row.quantity]
    assert len(exponents) == len(SMALL["orderings"]) * (4 + 1 + 2)
    assert all(row.predicted is not None for row in exponents)
    assert not [row for row in exponents if row.verdict == "disagrees"]


@pytest.mark.compiled
def test_the_figure_has_a_panel_for_every_h_and_part(result):
    titles = [ax.get_title() for ax in experiments.figure(result).axes]
    assert [title.split(";")[0] for title in titles[:4]] == ["H = 1", "H = 2", "H = 4", "H = n = 16"]
    assert "workers differ" in titles[4]
    assert "T = 60" in titles[5]


def test_twice_the_floor_lies_between_sizes_in_logarithms():
    assert doubling([1, 4, 16], np.array([1.0, 1.5, 1.9])) == np.inf
    assert doubling([1, 4], np.array([1.0, 16.0])) == pytest.approx(2**0.5)


def test_exponents_are_compared_seed_by_seed():
    """Two instances whose floors differ in m as their predictions do: no spread is left."""
    predicted = np.array([[1.0, 0.5], [1.0, 0.25]])
    slope, level = beside("rr", "floor", "H = 1", [1, 2], 1.1 * predicted, predicted)
    assert slope.measured == pytest.approx(-1.5)
    assert slope.ci_high - slope.ci_low < 1e-9
    assert level.measured == pytest.approx(1.1)
