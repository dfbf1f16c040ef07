"""Spectra of orders, measured: powers that add up, floors to rounding, and rows that can fail."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cdgrab_sim as cg
from cdgrab_sim import cli
from cdgrab_sim.experiments import spectrum as experiment
from cdgrab_sim.experiments.spectrum import floors, orders
from theory import spectra

Z = np.random.default_rng(0).standard_normal((3, 8, 2))
Z -= Z.mean(axis=(0, 1))
PI = np.random.default_rng(1).permuted(np.tile(np.arange(8), (4, 3, 1)), axis=2)


def test_powers_add_up_over_windows_of_one_epoch_and_more():
    streams = np.take_along_axis(Z[None], PI[..., None], axis=2).mean(axis=1)
    for window in (1, 2, 4):
        found = cg.analysis.spectrum(Z, PI, window=window)
        assert found.steps == 8 * window
        assert_allclose(found.power.sum(axis=0), (streams**2).mean(axis=(0, 1)), rtol=1e-12)
        expected = [spectra.order_power(s) for s in streams.reshape(-1, 8 * window, 2)]
        assert_allclose(found.density[1], 8 * window * np.mean(expected, axis=0)[1], rtol=1e-12)


def test_odd_windows_have_no_frequency_one_half():
    z = np.array([[2.0], [-1.0], [-1.0]])
    found = cg.analysis.spectrum(z, [0, 1, 2])
    assert found.frequency.tolist() == [0.0, 1 / 3]
    assert_allclose(found.power.ravel(), [0.0, 2.0], atol=1e-15)
    assert_allclose(found.density.ravel(), [0.0, 3.0], atol=1e-15)


def test_a_slope_is_that_of_a_power_law_and_a_floor_what_a_filter_leaves():
    f = np.arange(65) / 128
    found = cg.analysis.Spectrum(f, np.where((f == 0) | (f == 0.5), 1, 2)[:, None] * f[:, None] ** 2, 128)
    assert found.slope(0.05, 0.3) == pytest.approx(2.0, abs=1e-12)
    assert found.floor(np.full((65, 1), 2.0)) == pytest.approx(4.0 * found.power.sum(axis=0))
    with pytest.raises(
        ValueError, match=r"transfer: expected numbers of shape \(K, d\) = \(65, 1\); got .*\(65,\)"
    ):
        found.floor(np.ones(65))


def test_wrong_orders_and_windows_are_refused():
    with pytest.raises(ValueError, match="window: expected a divisor of 4 epochs; got 3"):
        cg.analysis.spectrum(Z, PI, window=3)
    with pytest.raises(ValueError, match=r"pi\[\d, \d\]: expected an example 0\.\.7; got 8"):
        cg.analysis.spectrum(Z, PI + 8 * (PI == 0))


@pytest.mark.parametrize("update", floors.UPDATES)
def test_floors_of_standing_orders_come_from_their_spectrum(update):
    cell = {"m": 3, "n": 6, "d": 3, "seed": 2, "ordering": "there and back", "update": update}
    found = floors.standing_floor(cell)
    assert_allclose(found["measured"], found["predicted"], rtol=1e-9)


TINY = {
    "orders": {"m": [1, 2], "n": 64, "d": 2, "settled": 4, "every": 2, "epochs": 8},
    "standing": {"m": 2, "n": 32, "d": 3},
    "changing": {"m": 2, "n": 16, "d": 3, "epochs": 12, "first": 4},
    "seeds": 2,
    "chains": 2,
}


@pytest.mark.compiled
def test_rows_and_figure(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(experiment, "QUICK", TINY)
    cli.main(["spectrum", "--quick", "--json", "-q", "--jobs", "1", "--out", str(tmp_path)])
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert (tmp_path / "figure.svg").exists()
    standing = [row for row in rows if "standing" in row["quantity"]]
    assert len(standing) == len(floors.STANDING) * len(floors.UPDATES)
    assert {row["verdict"] for row in standing} == {"holds"}
    assert {row["name"] for row in rows if "slope" in row["quantity"]} == set(orders.ORDERINGS)


def test_a_filter_that_is_a_little_off_fails(monkeypatch):
    right = spectra.transfer

    def off(omega, alpha, *more, **how):
        return right(omega, alpha * (1 + 1e-8), *more, **how)

    monkeypatch.setattr(floors, "STANDING", ("so",))
    monkeypatch.setattr(spectra, "transfer", off)
    part = floors.standing({"m": 2, "n": 8, "d": 3}, seed=0)
    rows = part.read([part.task(cell) for cell in part.cells])
    verdicts = dict(zip(floors.UPDATES, (row.verdict for row in rows.rows), strict=True))
    assert verdicts == {"sgd": "fails", "heavy-ball": "fails", "gossip": "holds"}  # gossip goes by its modes


def test_exponents_of_levels_are_taken_between_neighbours():
    workers = np.array([1.0, 2.0, 6.0])
    levels = np.array([[1.0, 2.0]]) * (1.0 / workers**2)[:, None]
    rows = orders._levels("rr", workers, levels, 1.5 / workers**2)
    assert [row.measured for row in rows[3:]] == pytest.approx([-2.0, -2.0])
    assert len(rows) == 3 + 2
