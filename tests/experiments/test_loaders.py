"""`cdgrab loaders`: what its cells measure, against numbers known otherwise; rows and figure."""

import json

import numpy as np
import pytest

from cdgrab_sim import cli
from cdgrab_sim.experiments import loaders

CELL = {"n": 16, "epochs": 400, "seed": 3}
TINY = loaders.SIZES | {
    "prefixes": {"n": 128, "epochs": 4},
    "floors": {"n": 61, "d": 2, "h": 1.0, "T": 150, "first": 40},
    "worst": 5,
    "seeds": 2,
}


def test_sorted_values_have_the_largest_herding_error():
    found = [loaders.worst({"n": 6, "seed": seed})["ratio"] for seed in range(4)]
    assert found == pytest.approx([1.0] * 4, abs=1e-12)


def test_the_stream_itself_has_its_prefixes_exactly():
    z = loaders.sorted_values(16, 3)[:, 0]
    unit = np.mean(z**2) * 17 / 6  # R1
    found = loaders.prefixes(CELL | {"order": "sorted"})
    assert found["ratio"] == pytest.approx(np.mean(np.cumsum(z) ** 2) / unit, rel=1e-12)
    assert found["exact"] == pytest.approx(1.0, rel=1e-12)


def test_centres_are_sorted_and_keep_their_mean():
    problem = loaders.sorted_problem(9, 2, seed=1)
    assert (np.diff(problem.data.b, axis=1) >= 0.0).all()
    np.testing.assert_allclose(problem.data.b.mean(axis=(0, 1)), problem.x_star, atol=1e-14)


def test_a_floor_of_sorted_data_is_that_of_its_cycle():
    """On a quadratic of curvature 1 the error at the ends of epochs tends to a fixed point."""
    cell = {"n": 7, "d": 1, "h": 1.0, "T": 60, "first": 50, "seed": 2, "shuffled": False}
    problem, rho = loaders.sorted_problem(7, 1, 2), 1.0 - 1.0 / 7
    u = problem.data.b[0, :, 0] - problem.x_star[0]
    point = np.sum(rho ** np.arange(6, -1, -1) * u) / 7 / (1.0 - rho**7)
    law = [rho**k for k in range(7)]
    spread = np.var(law) * 7 / 6 * np.sum(u**2) / 49 / (1.0 - rho**14)  # of rr: weights without replacement
    assert loaders.floor(cell | {"order": "sorted"})["floor"] == pytest.approx(point**2 / spread, rel=1e-9)


@pytest.mark.compiled
def test_rows_and_figure(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(loaders, "QUICK", TINY)
    cli.main(["loaders", "--quick", "--json", "-q", "--jobs", "1", "--out", str(tmp_path)])
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert (tmp_path / "figure.svg").exists()
    assert rows[0]["verdict"] == "holds"
    assert {row["name"] for row in rows} == {*loaders.ORDERS, *loaders.PAIRS}
