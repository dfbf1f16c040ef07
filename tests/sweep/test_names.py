"""Names: fields that are called like results, stores that are called like no file, seeds of any size."""

import json

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import cli
from cdgrab_sim._sweep import execute, open_sweep
from cdgrab_sim._sweep._columns import column

LARGEST = 2**128 - 1


@pytest.mark.parametrize("name", [":memory:", "file:x", "file::memory:?cache=shared", ""])
def test_stores_that_are_no_files_are_refused_before_any_work(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for opens in (
        lambda: execute(lambda config: pytest.fail("ran"), [{}], store=name),
        lambda: open_sweep(name),
    ):
        with pytest.raises((ValueError, OSError), match=r"expected the name of a file|there is no such file"):
            opens()
    (tmp_path / "study.toml").write_text(
        '[fixed]\nproblem = "skewed"\nordering = "rr"\nepochs = 1\nstep_size = 0.1'
    )
    assert cli.main(["sweep", "study.toml", "--out", name, "-q"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["study.toml"]


def test_folders_and_devices_are_no_stores(tmp_path):
    for path in (tmp_path, "/dev/null"):
        with pytest.raises(ValueError, match="expected the name of a file"):
            execute(lambda config: pytest.fail("ran"), [{}], store=path)
    with pytest.raises(TypeError, match="store: expected a path; got 3"):
        execute(lambda config: pytest.fail("ran"), [{}], store=3)


def test_seeds_of_any_size_have_a_column(tmp_path):
    """NumPy has no type for them, so that they are exact as text."""
    seeds = [3, 2**64, LARGEST]
    fixed = {"problem": "skewed", "n": 4, "ordering": "rr", "epochs": 2, "step_size": 0.01}
    study = cg.sweep(fixed=fixed, grid={"seed": seeds}, store=tmp_path / "store.sqlite")
    assert study.table()["seed"].tolist() == list(map(str, seeds))
    assert study.to_xarray().seed.values.tolist() == list(map(str, seeds))
    assert [json.loads(line)["config"]["seed"] for line in study.to_jsonl().splitlines()] == seeds
    run = cg.simulate(cg.problems.skewed(n=4, seed=LARGEST), "rr", epochs=2, step_size=0.01, seed=LARGEST)
    assert (study.curves("loss", seed=LARGEST) == run.loss).all()


@pytest.mark.parametrize("values", [[-1, 2**63], [2**64, None], [-(2**63) - 1]])
def test_whole_numbers_that_no_type_holds_are_text(values):
    def task(config):
        return {"found": values[config["x"]]}

    found = execute(task, [{"x": k} for k in range(len(values))])
    assert [one["found"] for one in found] == values
    assert column(values).tolist() == ["" if value is None else str(value) for value in values]


NAMES = ["loss", "x", "epoch", "name", "status", "task", "final_loss", "diverged_at", "coordinate", "self"]


@pytest.mark.parametrize("field", NAMES)
def test_fields_may_be_called_like_results(field):
    """The factory's argument keeps its name; what was measured beside it has another one."""
    namespace = {"cg": cg}
    exec(f"def mine(*, {field}=1, m=1): return cg.problems.skewed(n=4, m=m, kappa=float({field}))", namespace)
    fixed = {"problem": "mine", "ordering": "rr", "epochs": 2, "step_size": 0.01}
    study = cg.sweep(fixed=fixed, grid={field: [2, 3]}, problems={"mine": namespace["mine"]})
    plain = cg.sweep(fixed=fixed | {"problem": "skewed", "n": 4, "m": 1}, grid={"kappa": [2.0, 3.0]})
    assert study.status() == {"runs": 2, "completed": 2}
    table, expected = study.table(), plain.table()
    assert table[field].tolist() == [2, 3]
    for name in ("status", "final_loss", "diverged_at"):
        assert table[f"{name}_result" if name == field else name].tolist() == expected[name].tolist()
    for k, value in enumerate((2, 3)):
        assert (study.curves("loss", **{field: value}) == plain.curves("loss")[k]).all()
    found, reference = study.to_xarray(), plain.to_xarray()
    assert found[field].values.tolist() == [2, 3]
    assert found[field].dims == (field,)
    for name in ("loss", "x", "final_loss"):
        there = found[f"{name}_result" if name == field else name]
        np.testing.assert_array_equal(there.values, reference[name].values)
    epoch = "epoch_result" if field == "epoch" else "epoch"
    assert found[epoch].values.tolist() == [0, 1, 2]


def test_pandas_objects_are_names_and_values_or_refused():
    pandas = pytest.importorskip("pandas")
    fixed = {"problem": "skewed", "n": 4, "epochs": 2, "step_size": 0.01}
    grid = {"ordering": pandas.Series(["rr", "cd-grab"]), "m": pandas.Index([1, 2])}
    assert cg.sweep(fixed=fixed, grid=grid).status()["runs"] == 4
    frame = pandas.DataFrame({"ordering": ["rr", "sgd"], "m": [1, 2]})
    assert cg.sweep(fixed=fixed, zip=frame).status()["runs"] == 2
    with pytest.raises(TypeError, match="configs: expected a list of configurations; got DataFrame"):
        cg.sweep(frame)


@pytest.mark.parametrize("kind", ["problem", "ordering", "update"])
@pytest.mark.parametrize("value", [3, ["rr"], None, {"rr": 1}])
def test_names_are_text(kind, value):
    fixed = {"problem": "skewed", "ordering": "rr", "epochs": 2, "step_size": 0.01}
    with pytest.raises(TypeError, match=f"{kind}: expected a name"):
        cg.sweep([fixed | {kind: value}])


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("problem", cg.problems.skewed(n=4), r"problem: expected plain JSON.*problems=\{'mine': \.\.\.\}"),
        ("ordering", cg.orderings.rr(), r"ordering: expected plain JSON.*orderings=\{'mine': \.\.\.\}"),
        ("update", cg.updates.adam(), r"update: expected plain JSON.*updates=\{'mine': \.\.\.\}"),
        ("step_size", lambda t: 0.1, "step_size: expected plain JSON.*give its values as a list"),
    ],
)
def test_what_simulate_takes_as_an_object_goes_by_name(field, value, said):
    fixed = {"problem": "skewed", "ordering": "rr", "epochs": 2, "step_size": 0.01}
    with pytest.raises(TypeError, match=said):
        cg.sweep([fixed | {field: value}])


def test_schedules_and_records_are_those_of_simulate():
    fixed = {"problem": "skewed", "n": 4, "ordering": "rr", "epochs": 3}
    steps, record = np.array([0.1, 0.05, 0.02]), cg.Record(every=2, herding=("inf",), grad_norm=False)
    study = cg.sweep([fixed | {"step_size": steps, "record": record, "x0": np.ones(3)}])
    run = cg.simulate(cg.problems.skewed(n=4), "rr", epochs=3, step_size=steps, record=record, x0=np.ones(3))
    assert study.status() == {"runs": 1, "completed": 1}
    assert (study.curves("loss") == run.loss).all()
    assert (study.curves("herding_inf") == run.herding["inf"]).all()
    with pytest.raises(ValueError, match="unknown curve 'grad_norm'"):
        study.curves("grad_norm")


def test_a_lock_that_is_a_link_is_not_followed(tmp_path):
    """What it points at would be overwritten."""
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    (tmp_path / "store.sqlite.lock").symlink_to(victim)
    with pytest.raises(OSError, match=r"store.sqlite.lock: expected no file there, or a lock; remove it"):
        execute(lambda config: pytest.fail("ran"), [{}], store=tmp_path / "store.sqlite")
    assert victim.read_text() == "precious"


def test_a_file_of_somebody_else_where_the_lock_goes_is_kept(tmp_path):
    (tmp_path / "store.sqlite.lock").mkdir()
    with pytest.raises(OSError, match=r"store.sqlite.lock: expected no file there, or a lock; remove it"):
        execute(lambda config: pytest.fail("ran"), [{}], store=tmp_path / "store.sqlite")


@pytest.mark.parametrize("field", ["epochs", "batch"])
@pytest.mark.parametrize("value", [2**63, 2**200, np.float64(2.0), True, "3"])
def test_counts_that_no_kernel_takes_are_refused_before_any_work(field, value):
    fixed = {"problem": "skewed", "ordering": "rr", "epochs": 2, "step_size": 0.01}
    with pytest.raises((ValueError, TypeError), match=f"{field}: expected a whole number"):
        cg.sweep([fixed | {field: value}])
