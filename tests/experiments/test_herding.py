"""`cdgrab herding`: its vectors, its cells, and its verdicts at small sizes."""

import json

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import cli
from cdgrab_sim.experiments import _measures
from cdgrab_sim.experiments import herding as experiment


def test_vectors_are_on_the_sphere_before_centring_and_depend_on_their_worker_only():
    few, many = (_measures.sphere(m, 50, 4, seed=1) for m in (2, 6))
    np.testing.assert_array_equal(few, many[:2])
    np.testing.assert_allclose(few.sum(axis=1), 0.0, atol=1e-12)
    moved = few - few[:, :1]  # differences do not see the centring: |a - b|^2 = 2 - 2 <a, b> <= 4
    assert (np.linalg.norm(moved, axis=-1) <= 2.0 + 1e-12).all()


@pytest.mark.parametrize(("ordering", "rounds"), [("cd-grab", slice(-5, None)), ("rr", slice(1, None))])
def test_a_cell_is_the_mean_of_the_rounds_that_count(ordering, rounds):
    cell = {"ordering": ordering, "m": 2, "n": 16, "d": 3, "rounds": 8, "seed": 4}
    z = _measures.sphere(2, 16, 3, 4)
    errors = [cg.herding.error(z, cg.herding.order(z, ordering, t, seed=4)) for t in range(9)]
    assert _measures.herding_error(cell)["error"] == pytest.approx(np.mean(errors[rounds]), rel=1e-12)


def test_rows_are_one_per_ordering_and_variable(monkeypatch, tmp_path, capsys):
    sizes = {"d": 2, "rounds": 8, "seeds": 3, "m": {"m": [1, 2, 4], "n": 16}, "n": {"n": [16, 32], "m": 2}}
    monkeypatch.setattr(experiment, "QUICK", sizes)
    assert cli.main(["herding", "--quick", "--json", "-q", "--jobs", "1", "--out", str(tmp_path)]) in (0, 1)
    rows = json.loads(capsys.readouterr().out)["rows"]
    quantities = [f"herding error exponent in {v}" for v in ("m", "n") for _ in experiment.ORDERINGS]
    assert [row["quantity"] for row in rows] == quantities
    assert [row["name"] for row in rows] == [*experiment.ORDERINGS] * 2
    assert (tmp_path / "figure.svg").exists()


@pytest.mark.compiled
def test_coordinated_workers_stay_flat_where_others_grow(monkeypatch, tmp_path, capsys):
    sizes = {
        "d": 8,
        "rounds": 12,
        "seeds": 4,
        "m": {"m": [1, 4, 16], "n": 128},
        "n": {"n": [64, 256], "m": 2},
    }
    monkeypatch.setattr(experiment, "QUICK", sizes)
    cli.main(["herding", "--quick", "--json", "-q", "--jobs", "1", "--out", str(tmp_path)])
    rows = json.loads(capsys.readouterr().out)["rows"]
    slopes = {row["name"]: row["measured"] for row in rows if row["quantity"].endswith("in m")}
    assert abs(slopes["cd-grab"]) < 0.1
    assert min(slopes[name] for name in ("rr", "d-grab", "d-grab-pair")) > 0.4
