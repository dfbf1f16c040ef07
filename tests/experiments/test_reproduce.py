"""`cdgrab reproduce`: readings against golden numbers, substitutes as described, rows as they follow."""

import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from cdgrab_sim import cli, experiments
from cdgrab_sim.experiments import (
    _training,
    reproduce_herding,
    reproduce_logistic,
    reproduce_step_size,
    reproduce_workers,
)
from cdgrab_sim.experiments._experiment import Options
from cdgrab_sim.experiments._table import read_table, shipped

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "herding.json").read_text())


@pytest.mark.parametrize(("m", "name"), sorted(reproduce_herding.FIGURE))
def test_readings_are_within_their_margin_of_independent_numbers(m, name):
    panel = GOLDEN[f"m={m} n={1_000_000 // m}"][name]
    mean = np.mean([panel[f"seed{seed}"] for seed in range(3)], axis=0)
    readings = reproduce_herding.FIGURE[m, name]
    for t, reading in zip(reproduce_herding.AT, readings, strict=True):
        assert reading == pytest.approx(mean[t], rel=reproduce_herding.MARGIN)


def test_vectors_are_those_of_the_figure():
    z = reproduce_herding.vectors(12, 2, 3, seed=5)
    raw = np.random.RandomState(5).randn(12, 2)
    for i in range(3):
        worker = np.array([raw[k * 3 + i] / np.hypot(*raw[k * 3 + i]) for k in range(4)])
        np.testing.assert_allclose(z[i], worker - worker.mean(axis=0), atol=1e-15)


@pytest.mark.compiled
def test_a_published_curve_comes_out():
    cell = {"N": 1_000_000, "d": 16, "m": 100, "seed": 0, "ordering": "cd-grab", "rounds": 7}
    golden = GOLDEN["m=100 n=10000"]["cd-grab"]["seed0"]
    np.testing.assert_allclose(reproduce_herding.curve(cell)["errors"], golden[:8], rtol=1e-9)


def small(monkeypatch, module, **sizes):
    monkeypatch.setattr(module, "QUICK", module.SIZES | sizes)
    return Options(quick=True, jobs=1)


def drawn(result):
    return [ax.get_ylabel() for ax in experiments.figure(result).axes]


def test_other_vectors_are_never_judged(monkeypatch):
    options = small(monkeypatch, reproduce_herding, N=400, m=[5, 100], rounds=7)
    result = reproduce_herding.run(options)
    assert [row.verdict for row in result.rows if row.name == "cd-grab"] == ["disagrees"] * 2  # N is wrong
    other = reproduce_herding.run(Options(quick=True, jobs=1, seed=1))
    assert {row.verdict for row in other.rows} == {"other data"}
    np.testing.assert_array_equal(other.data["m5 cd-grab"][0], result.data["m5 cd-grab"][1])
    assert len(drawn(result)) == 2


def test_digits_have_a_fifth_of_their_labels_redrawn_the_same_for_every_seed():
    table = read_table(shipped("digits.csv"), "target", standardize=False)
    clean, a, b = (_training.digits(4, share, 8, seed) for share, seed in ((0.0, 0), (0.2, 0), (0.2, 1)))
    np.testing.assert_array_equal(clean.data[1], table.target)
    np.testing.assert_array_equal(a.data[1], b.data[1])
    changed = (a.data[1] != clean.data[1]).mean()
    assert 0.16 <= changed <= 0.2  # a tenth of the redrawn ones stay by chance
    np.testing.assert_array_equal(a.data[0] * 16.0, table.features[:, :-1])
    assert (a.data[2] != b.data[2]).any()  # seeds deal the rows anew
    assert len(np.unique(a.data[2])) == 1792
    own = [_training.digits(4, 0.2, 8, seed, anew=True).data[1] for seed in (3, 4)]
    assert (own[0] != own[1]).any()
    assert (own[0] != clean.data[1]).mean() <= 0.2


@lru_cache(maxsize=1)
def workers():
    with pytest.MonkeyPatch.context() as patch:
        options = small(patch, reproduce_workers, m=[32, 64], alpha=[0.3], epochs=8, seeds=2)
        return reproduce_workers.run(options)


@pytest.mark.compiled
def test_workers_share_examples_and_updates():
    config = reproduce_workers.SIZES
    for m in config["m"]:
        one = reproduce_workers._settings(config, m, 0.1)
        problem = _training.digits(seed=0, **one["problem"])
        assert (problem.m * problem.n, m * one["batch"], problem.n // one["batch"]) == (1792, 64, 28)


@pytest.mark.compiled
def test_rows_of_workers_follow_from_the_data():
    result = workers()
    rows = {(row.name, row.quantity): row for row in result.rows}
    data = {key: values.mean(axis=0) for key, values in result.data.items() if values.ndim == 2}
    worst = (data["loss 0.3 cd-grab"] / data["loss 0.3 rr"])[6:].max()
    claim = rows["cd-grab", "loss / rr, m = 64, alpha = 0.3, worst epoch after 5 (< 1)"]
    assert claim.measured == pytest.approx(worst)
    assert claim.verdict == ("holds" if worst < 1 else "fails")
    means = {name: result.data[f"loss 0.3 {name}"][:, -20:].mean(axis=1) for name in ("cd-grab", "rr")}
    tail = rows["cd-grab", "loss / rr, m = 64, alpha = 0.3, last 20 epochs (< 1)"]
    assert tail.measured == pytest.approx(means["cd-grab"].mean() / means["rr"].mean())
    assert tail.verdict == ("holds" if tail.ci_high < 1 else "inconclusive")
    growth = rows["d-grab", "last herding error, m = 64 over m = 32, alpha = 0.3 (> 1.1)"].measured
    assert growth == pytest.approx(data["herding d-grab"][1] / data["herding d-grab"][0])
    share = rows["cd-grab", "loss / rr, m = 64, alpha = 0.3, last epoch"]
    assert share.measured == pytest.approx(data["last cd-grab"][1] / data["last rr"][1])
    assert share.predicted == pytest.approx(0.650 / 0.703, abs=5e-4)
    assert share.verdict == "other data"
    # the sweep and the curves are of the same runs
    np.testing.assert_allclose(result.data["last rr"][:, 1], result.data["loss 0.3 rr"][:, -1], rtol=1e-12)
    gains = [rows["cd-grab", f"loss of rr less loss, m = 64, alpha = 0.3, last epoch, {which}"].measured
             for which in ("no label redrawn", "a fifth redrawn")]  # fmt: skip
    assert rows["cd-grab", "the first over the second (< 0.25)"].measured == pytest.approx(
        gains[0] / gains[1]
    )


@pytest.mark.compiled
def test_the_figure_of_workers_has_four_panels():
    assert drawn(workers()) == [
        "training loss − that of rr",
        "mean loss of the last 20 epochs / that of rr",
        "last herding error / that of rr",
        "last training loss / that of rr",
    ]


@pytest.mark.compiled
def test_logistic_regression_knows_its_minimum(monkeypatch):
    result = reproduce_logistic.run(small(monkeypatch, reproduce_logistic, epochs=30, seeds=2))
    rows = {row.quantity: row for row in result.rows if row.name == "cd-grab"}
    excess = {name: result.data[f"excess {name}"] for name in ("rr", "cd-grab")}
    assert (excess["cd-grab"] > 0.0).all()
    assert rows["loss / rr, epoch 30"].predicted == pytest.approx(0.33546 / 0.33725, abs=5e-6)
    ratio = rows["f - f* / rr, epoch 30"].measured
    assert ratio == pytest.approx(excess["cd-grab"][:, -1].mean() / excess["rr"][:, -1].mean())
    assert ratio < 0.3
    assert drawn(result) == ["f − f*"]


@pytest.mark.compiled
def test_the_step_sizes_stand_beside_the_published_ratios(monkeypatch):
    result = reproduce_step_size.run(small(monkeypatch, reproduce_step_size, epochs=3, seeds=2))
    read = [row.predicted for row in result.rows[:4]]
    assert read == pytest.approx([0.732 / 0.772, 0.650 / 0.703, 0.756 / 0.848, 0.887 / 1.04], abs=5e-4)
    shares = result.data["loss cd-grab"].mean(axis=0) / result.data["loss rr"].mean(axis=0)
    assert [row.measured for row in result.rows[:4]] == pytest.approx(shares)
    assert result.rows[4].measured == pytest.approx(shares.max())
    assert result.rows[5].measured == pytest.approx((shares[1:] / shares[:-1]).max())


@pytest.mark.compiled
def test_a_name_of_two_words_has_a_folder_of_two_levels(monkeypatch, tmp_path, capsys):
    small(monkeypatch, reproduce_step_size, epochs=2, seeds=2)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["reproduce", "step-size", "--quick", "-q", "--jobs", "1"]) in (0, 1)
    assert "2302.00845" in capsys.readouterr().out
    names = {path.name for path in (tmp_path / "results" / "reproduce" / "step-size-quick").iterdir()}
    assert names == {"table.csv", "config.json", "data.npz", "figure.svg", "figure.pdf", "figure.png"}
