"""sweep: runs equal simulate, tables and labelled arrays say what was run."""

import csv
import io
import json

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim._sweep._simulation import Simulation
from tests.sweep.tasks import equal

LARGE = 2**64 - 1
TABLES = {
    "fixed": {"problem": "skewed", "n": 8, "d": 2, "epochs": 6, "x0": [1.0, -1.0]},
    "grid": {"ordering": ["rr", "cd-grab"], "m": [1, 2], "seed": [3, LARGE]},
    "zip": {"kappa": [5.0, 20.0], "step_size": [0.02, 0.01]},
}


@pytest.fixture(scope="module")
def study():
    return cg.sweep(**TABLES)


def test_a_run_is_what_simulate_returns(study):
    for ordering in ("rr", "cd-grab"):
        problem = cg.problems.skewed(m=2, n=8, d=2, kappa=20.0, seed=LARGE)
        run = cg.simulate(problem, ordering, epochs=6, step_size=0.01, seed=LARGE, x0=[1.0, -1.0])
        where = {"ordering": ordering, "m": 2, "seed": LARGE, "kappa": 20.0}
        for name in ("loss", "grad_norm", "distance", "x"):
            assert equal(study.curves(name, **where), getattr(run, name)), name


def test_the_table(study):
    table = study.table()
    assert {len(values) for values in table.values()} == {16}
    assert list(table)[:5] == ["problem", "n", "d", "epochs", "x0"]
    assert table["ordering"].tolist() == ["rr"] * 8 + ["cd-grab"] * 8
    assert table["seed"].dtype == np.uint64
    assert set(table["seed"].tolist()) == {3, LARGE}
    assert table["kappa"].tolist() == [5.0, 20.0] * 8
    assert equal(table["final_loss"], study.curves("loss")[:, -1])
    assert set(table["status"]) == {"completed"}
    assert study.status() == {"runs": 16, "completed": 16}


def test_csv_and_json_lines(study, tmp_path):
    text = study.to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == text
    lines = list(csv.DictReader(io.StringIO(text)))
    table = study.table()
    assert [float(line["final_loss"]) for line in lines] == table["final_loss"].tolist()
    assert [int(line["seed"]) for line in lines] == table["seed"].tolist()
    objects = [json.loads(line) for line in study.to_jsonl(curves=True).splitlines()]
    assert [one["config"]["seed"] for one in objects] == table["seed"].tolist()
    assert equal(np.array([one["curves"]["loss"] for one in objects]), study.curves("loss"))


def test_json_lines_are_strict_json():
    study = cg.sweep([TABLES["fixed"] | {"ordering": "rr", "m": 1, "step_size": 1e6, "epochs": 300}])
    assert study.status() == {"runs": 1, "diverged": 1}

    def refuse(word):
        raise AssertionError(word)

    assert json.loads(study.to_jsonl(curves=True), parse_constant=refuse)["status"] == "diverged"


def test_labelled_arrays(study):
    found = study.to_xarray()
    assert dict(found.sizes) == {"ordering": 2, "m": 2, "seed": 2, "kappa": 2, "epoch": 7, "coordinate": 2}
    assert found.seed.dtype == np.uint64
    assert found.step_size.dims == ("kappa",)
    assert found.step_size.values.tolist() == [0.02, 0.01]
    assert found.epoch.values.tolist() == list(range(7))
    where = {"ordering": "cd-grab", "m": 2, "seed": LARGE, "kappa": 5.0}
    assert equal(found.loss.sel(where).values, study.curves("loss", **where)[0])
    chosen = study.to_xarray(dims=["seed", "kappa", "m", "ordering"])
    assert chosen.loss.dims == ("seed", "kappa", "m", "ordering", "epoch")
    with pytest.raises(ValueError, match=r"two runs share the cell .* they differ in ordering"):
        study.to_xarray(dims=["m", "seed", "kappa"])
    with pytest.raises(ValueError, match="unknown dimension 'orderng'; did you mean 'ordering'"):
        study.to_xarray(dims=["orderng"])


def ragged():
    """Strings, large seeds, missing cells and fields, runs of different lengths and spacings."""
    base = {"problem": "skewed", "n": 4, "step_size": 0.01}
    return cg.sweep(
        [
            base | {"ordering": "rr", "seed": LARGE, "epochs": 4},
            base | {"ordering": "rr", "seed": 1, "epochs": 8, "record": {"every": 3}},
            base | {"ordering": "cd-grab", "seed": 1, "epochs": 4, "kappa": 7.0},
        ]
    )


def test_runs_of_different_lengths_are_aligned_by_epoch():
    study = ragged()
    with pytest.raises(ValueError, match=r"runs of one shape; got \[\(4,\), \(5,\)\]"):
        study.curves("loss")
    found = study.to_xarray(dims=["ordering", "seed"])
    assert found.epoch.values.tolist() == [0, 1, 2, 3, 4, 6, 8]
    assert np.isnan(found.loss.sel(ordering="cd-grab", seed=LARGE)).all()
    sparse = found.loss.sel(ordering="rr", seed=1)
    assert sparse.epoch[~np.isnan(sparse)].values.tolist() == [0, 3, 6, 8]
    assert equal(sparse.dropna("epoch").values, study.curves("loss", ordering="rr", seed=1)[0])
    assert found.status.sel(ordering="cd-grab", seed=LARGE) == ""


@pytest.mark.parametrize("make", [ragged, lambda: cg.sweep(**TABLES)], ids=["ragged", "full"])
def test_labelled_arrays_survive_netcdf(make, tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    found = make().to_xarray()
    found.to_netcdf(tmp_path / "study.nc", engine="h5netcdf")
    with xarray.open_dataset(tmp_path / "study.nc", engine="h5netcdf") as back:
        back.load()
        assert back.identical(found)
        assert back.seed.dtype == np.uint64
        assert set(back.seed.values.tolist()) > {LARGE}


def test_workers_that_two_sizes_share_have_equal_data_and_equal_first_orders():
    grid = {"ordering": ["rr", "cd-grab", "d-grab-pair"], "m": [2, 5]}
    fixed = {"problem": "skewed", "n": 6, "epochs": 2, "step_size": 0.01, "record": {"orders": True}}
    study = cg.sweep(fixed=fixed, grid=grid)
    first = {(o, m): study.curves("orders", ordering=o, m=m)[0, 0] for o in grid["ordering"] for m in (2, 5)}
    for (_, m), orders in first.items():
        assert equal(orders[:2], first["rr", 2])
        assert equal(orders, first["rr", m])
    terms = [
        Simulation().build(fixed | {"ordering": o, "m": m})[0].data[0]
        for o in grid["ordering"]
        for m in (2, 5)
    ]
    assert all(equal(one[:2], terms[0]) for one in terms)


def test_problems_and_orderings_of_a_notebook_travel():
    """Defined inside a function, hence as unreachable for an import as what a notebook defines."""

    def squares(*, m, n=4, seed=0):
        b = np.random.default_rng(seed).standard_normal((m, n, 1))

        def grads(out, x, who, idx, data):
            out[:] = x - data[0][who, idx]

        def value(x, data):
            return float(0.5 * ((x - data[0]) ** 2).mean())

        return cg.Problem("squares", m=m, n=n, d=1, data=(b,), grads=grads, value=value)

    backwards = cg.orderings.fixed(np.arange(4)[::-1])
    tables = {
        "fixed": {"problem": "squares", "ordering": "backwards", "epochs": 3, "step_size": 0.1},
        "grid": {"m": [1, 2, 3], "seed": [0, 1]},
        "problems": {"squares": squares},
        "orderings": {"backwards": backwards},
    }
    serial, parallel = cg.sweep(**tables), cg.sweep(**tables, jobs=2)
    assert serial.status() == {"runs": 6, "completed": 6}
    assert serial.to_csv() == parallel.to_csv()
    run = cg.simulate(squares(m=3, seed=1), backwards, epochs=3, step_size=0.1, seed=1)
    assert equal(serial.curves("loss", m=3, seed=1), run.loss)


def test_a_record_stands_for_itself():
    problem = cg.problems.skewed(m=2, n=4)
    fixed = {"problem": "mine", "ordering": "rr", "epochs": 2, "step_size": 0.1}
    assert cg.sweep([fixed], problems={"mine": problem}).status() == {"runs": 1, "completed": 1}
    with pytest.raises(ValueError, match=r"field 'm': .*none of them takes it"):
        cg.sweep([fixed | {"m": 2}], problems={"mine": problem})


def test_runs_that_fail_are_named_and_the_others_are_there():
    fixed = {"problem": "skewed", "ordering": "rr", "epochs": 2, "step_size": 0.1}
    study = cg.sweep(fixed=fixed, grid={"kappa": [5.0, 0.5]})
    assert study.status() == {"runs": 2, "completed": 1, "failed": 1}
    assert "kappa: expected a finite number >= 1; got 0.5" in study.messages()[0]
    assert study.table()["final_loss"].shape == (2,)
    assert np.isnan(study.table()["final_loss"][1])
    assert repr(study) == "<Sweep of 2 runs: 1 completed, 1 failed>"


def test_unknown_curves_and_runs(study):
    with pytest.raises(ValueError, match="unknown curve 'los'; did you mean 'loss'"):
        study.curves("los")
    with pytest.raises(ValueError, match=r"no run with 'loss' and {'m': 7}"):
        study.curves("loss", m=7)


def test_a_larger_grid_adds_runs(tmp_path):
    path = tmp_path / "store.sqlite"
    fixed = {"problem": "skewed", "n": 4, "epochs": 2, "step_size": 0.1, "ordering": "rr"}
    cg.sweep(fixed=fixed, grid={"m": [1, 2]}, store=path)
    larger = cg.sweep(fixed=fixed, grid={"m": [1, 2, 4]}, store=path)
    assert larger.table()["m"].tolist() == [1, 2, 4]
    assert cg.open_sweep(path).to_csv() == larger.to_csv()
