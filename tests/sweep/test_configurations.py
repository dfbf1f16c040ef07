"""Configurations: what a grid means, and what is refused before any work."""

import json

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim._sweep._config import as_json, key_of
from cdgrab_sim._sweep._grid import configurations, read_toml
from cdgrab_sim._sweep._simulation import Simulation

BASE = {"problem": "skewed", "ordering": "rr", "epochs": 2, "step_size": 0.01}


def test_a_toml_file_means_what_the_same_tables_mean_in_python(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(
        """
        [fixed]
        problem = "skewed"
        record = {every = 5, herding = ["inf"]}
        [grid]
        ordering = ["rr", "cd-grab"]
        m = [1, 2]
        [zip]
        epochs = [10, 20]
        step_size = [0.1, 0.05]
        """
    )
    by_hand = [
        {"problem": "skewed", "record": {"every": 5, "herding": ["inf"]}, "ordering": o, "m": m, **last}
        for o in ("rr", "cd-grab")
        for m in (1, 2)
        for last in ({"epochs": 10, "step_size": 0.1}, {"epochs": 20, "step_size": 0.05})
    ]
    assert read_toml(file) == by_hand
    tables = {
        "fixed": {"problem": "skewed", "record": {"every": 5, "herding": ["inf"]}},
        "grid": {"ordering": ["rr", "cd-grab"], "m": np.array([1, 2])},
        "zip": {"epochs": [10, 20], "step_size": [0.1, 0.05]},
    }
    assert configurations(**tables) == by_hand
    assert cg.sweep(file).to_jsonl() == cg.sweep(**tables).to_jsonl() == cg.sweep(by_hand).to_jsonl()


def test_a_toml_file_may_begin_with_a_mark_of_its_encoding(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text('[fixed]\nproblem = "skewed"\n', encoding="utf-8-sig")
    assert file.read_bytes()[:3] == b"\xef\xbb\xbf"
    assert read_toml(file) == [{"problem": "skewed"}]
    file.write_text("[fixed]", encoding="utf-16")
    with pytest.raises(ValueError, match=r"study.toml: expected a TOML file; 'utf-8' codec can't decode"):
        read_toml(file)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (
            "[grid]\nm = 3",
            TypeError,
            r"\[grid\] m: expected a list; got 3; single values belong to \[fixed\]",
        ),
        ("[grid]\nm = 'abc'", TypeError, "expected a list"),
        ("[grid]\nm = []", ValueError, "at least one value"),
        ("[zip]\nm = [1]\nn = [1, 2]", ValueError, "lists of one length; got {'m': 1, 'n': 2}"),
        (
            "[fixed]\nm = 1\n[zip]\nm = [1]",
            ValueError,
            r"m: expected in one table; got it in \[fixed\] and \[zip\]",
        ),
        ("[gird]\nm = [1]", ValueError, "unknown table 'gird'; did you mean 'grid'"),
        ("fixed = 3", ValueError, r"expected a table \[fixed\]"),
        ("[grid", ValueError, "expected a TOML file"),
    ],
)
def test_wrong_tables(tmp_path, text, error, message):
    file = tmp_path / "study.toml"
    file.write_text(text)
    with pytest.raises(error, match=message) as caught:
        read_toml(file)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"problem": "skewd"}, ValueError, "unknown problem 'skewd'; did you mean 'skewed'"),
        ({"ordering": "cdgrab"}, ValueError, "unknown ordering 'cdgrab'; did you mean 'cd-grab'"),
        ({"kapa": 3.0}, ValueError, r"field 'kapa': .*none of them takes it \(known: .*kappa"),
        ({"epochs": 0}, ValueError, "epochs: expected a whole number >= 1; got 0"),
        ({"seed": -1}, ValueError, "seed: expected"),
        ({"step_size": float("nan")}, TypeError, "step_size: expected plain JSON .* got float nan"),
        ({"step_size": -0.1}, ValueError, "step_size: expected a finite number > 0; got -0.1"),
        ({"batch": 0}, ValueError, "batch: expected a whole number >= 1; got 0"),
        ({"momentum": -1}, ValueError, "momentum: expected a finite number >= 0; got -1"),
        ({"weight_decay": "none"}, TypeError, "weight_decay: expected a finite number >= 0; got 'none'"),
        ({"record": {"herding": "inf"}}, TypeError, "herding: expected a tuple of norms"),
        ({"x0": object()}, TypeError, "plain JSON"),
        ({"record": {"evry": 2}}, ValueError, "unknown record 'evry'; did you mean 'every'"),
        ({"record": {"every": 0}}, ValueError, "every: expected"),
        ({"record": 3}, TypeError, "record: expected a table"),
    ],
)
def test_wrong_fields_are_refused_before_any_work(tmp_path, change, error, message):
    with pytest.raises(error, match=message):
        cg.sweep([BASE, BASE | change], store=tmp_path / "store.sqlite")
    assert not (tmp_path / "store.sqlite").exists()


@pytest.mark.parametrize("name", ["problem", "ordering", "epochs", "step_size"])
def test_missing_fields(name):
    with pytest.raises(ValueError, match=f"{name}: expected in every configuration"):
        cg.sweep([{k: v for k, v in BASE.items() if k != name}])


def test_one_configuration_is_no_list():
    with pytest.raises(TypeError, match="expected a list of configurations; got one"):
        cg.sweep(BASE)


def test_tables_and_configurations_together():
    with pytest.raises(ValueError, match="got both"):
        cg.sweep([BASE], grid={"m": [1]})


def test_a_key_is_that_of_the_meaning():
    a = {"m": 8, "step_size": 0.1, "record": {"every": 2, "herding": ["inf"]}}
    b = {"record": {"herding": ["inf"], "every": np.int64(2)}, "step_size": np.float64(0.1), "m": 8}
    assert key_of("simulate", as_json(a)) == key_of("simulate", as_json(b))
    others = [a | {"m": 9}, a | {"step_size": np.nextafter(0.1, 1)}, a | {"n": 1}, a | {"m": "8"}]
    keys = {key_of("simulate", as_json(one)) for one in [a, *others]} | {key_of("other", as_json(a))}
    assert len(keys) == 6


def test_every_float_survives_json():
    for x in (0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 2.0**53 + 2):
        assert json.loads(as_json({"x": x}))["x"].hex() == x.hex()


def test_whole_number_step_sizes_are_floats():
    study = cg.sweep([BASE | {"step_size": 1}, BASE | {"step_size": 1.0}])
    assert study.status()["runs"] == 1


SMALL = {"problem": "quadratic", "m": 1, "n": 4, "d": 1, "ordering": "rr", "step_size": 0.1}


def test_an_update_takes_its_own_fields_and_momentum_becomes_one_of_them():
    base = SMALL | {"epochs": 1}
    task = Simulation()
    _, _, settings = task.build(base | {"update": "nesterov", "momentum": 0.25})
    assert settings["update"].settings == {"momentum": 0.25, "weight_decay": 0.0}
    assert "momentum" not in settings
    assert task.build(base | {"momentum": 0.25})[2]["momentum"] == 0.25
    with pytest.raises(ValueError, match=r"field 'momentum': .* and update 'adam': none of"):
        task.check(base | {"update": "adam", "momentum": 0.25})


def test_a_sweep_over_updates():
    study = cg.sweep(
        fixed={
            "problem": "quadratic",
            "m": 1,
            "n": 4,
            "d": 1,
            "ordering": "rr",
            "epochs": 3,
            "step_size": 0.1,
        },
        grid={"update": ["sgd", "adam", "mine"]},
        updates={"mine": cg.updates.heavy_ball(momentum=0.0)},
    )
    sgd, adam, mine = (study.curves("loss", update=name)[0] for name in ("sgd", "adam", "mine"))
    assert (sgd == mine).all()
    assert (sgd != adam)[1:].all()
