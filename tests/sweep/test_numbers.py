"""Numbers: equal ones are one configuration, whatever their type; what is no number is refused by name."""

import json
import sqlite3
from decimal import Decimal
from fractions import Fraction
from hashlib import blake2b

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim._sweep import execute
from cdgrab_sim._sweep._config import as_json, key_of

BASE = {"problem": "skewed", "n": 4, "d": 2, "m": 1, "ordering": "rr", "epochs": 2, "step_size": 0.01}

# fields of a run, and the ways to write one value of them
EQUAL = {
    "kappa": [20, 20.0, np.int8(20), np.float16(20), np.longdouble(20), Fraction(20), Decimal(20)],
    "x0": [[1, 2], [1.0, 2.0], (1, 2.0), np.array([1, 2]), np.float32([1, 2]), range(1, 3)],
    "step_size": [0.5, np.float64(0.5), np.float16(0.5), Fraction(1, 2), Decimal("0.5"), np.array(0.5)],
    "heterogeneity": [0, 0.0, np.uint8(0), -0.0],
    "m": [2, np.int64(2), np.uint8(2), np.array(2)],
    "seed": [2**64 - 1, np.uint64(2**64 - 1)],
    "record": [{"every": 2}, {"every": np.int8(2)}, cg.Record(every=2)],
}


@pytest.mark.parametrize("field", EQUAL)
def test_equal_values_are_one_run(field, tmp_path):
    for value in EQUAL[field]:
        study = cg.sweep([BASE | {field: value}], store=tmp_path / "store.sqlite")
        assert study.status() == {"runs": 1, "completed": 1}, repr(value)
        assert len(study.curves("loss", **{field: value})) == 1
        assert study.to_xarray().loss.shape == study.curves("loss")[0].shape


RECORDS = [{"every": 1}, {}, cg.Record(), {"every": np.int8(1), "loss": True}, {"herding": []}]


def test_no_record_and_the_default_one_are_one_run(tmp_path):
    """They were two keys, and each seed counted twice in `curves`."""
    for record in RECORDS:
        for configs in ([BASE | {"record": record}], [BASE, BASE | {"record": record}]):
            study = cg.sweep(configs, store=tmp_path / "store.sqlite")
            assert study.status() == {"runs": 1, "completed": 1}, repr(record)
        assert len(study.curves("loss", record=record)) == 1
    both = cg.sweep([BASE, BASE | {"record": {"every": 2, "grad_norm": True}}])
    assert both.status()["runs"] == 2
    for record in RECORDS:
        assert both.curves("loss", record=record).shape == (1, 3)
    assert both.curves("loss", record={"every": 2}).shape == (1, 2)
    with pytest.raises(ValueError, match="no run with 'loss'"):
        both.curves("loss", record={"ever": 2})


@pytest.mark.parametrize("field", EQUAL)
def test_equal_values_are_one_run_within_a_call(field):
    assert cg.sweep([BASE | {field: value} for value in EQUAL[field]]).status()["runs"] == 1


def test_values_written_in_different_ways_are_one_label():
    """The issue's case: kappa = 20 for some runs and 20.0 for others, and start points of both kinds."""
    runs = [{"m": 1, "kappa": 20, "x0": [1, 2]}, {"m": 2, "kappa": 20.0, "x0": [1.0, 2.0]}]
    study = cg.sweep([BASE | run | {"seed": seed} for run in runs for seed in (0, 1)])
    assert study.curves("loss", kappa=20).shape == study.curves("loss", kappa=20.0).shape == (4, 3)
    assert study.curves("loss", x0=np.array([1, 2])).shape == (4, 3)
    assert dict(study.to_xarray().sizes) == {"m": 2, "seed": 2, "epoch": 3, "coordinate": 2}


def test_truth_and_text_are_not_numbers():
    keys = {key_of("task", as_json({"x": x})) for x in (1, True, "1", [1], "1.0", None, 1 + 2**-52)}
    assert len(keys) == 7


@pytest.mark.parametrize("value", [1, -3, 0.1, 5e-324, "20.0", [0.5, 8], {"every": 2}, True, None])
def test_keys_of_plain_configurations_stay(value):
    """The key of format 1, for values that are whole numbers or no whole numbers at all."""
    text = json.dumps({"x": value}, separators=(",", ":"))
    assert key_of("task", text) == _old_key("task", text)


def _old_key(task, text):
    canonical = json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))
    return blake2b(f"{task}\n{canonical}".encode(), digest_size=16).hexdigest()


@pytest.fixture
def old_store(tmp_path):
    """A store of format 1 in which 20 and 20.0 are two configurations, as it was written."""
    path = tmp_path / "old.sqlite"
    with sqlite3.connect(path) as raw:
        raw.executescript(OLD_SCHEMA)
        for position, (x, status) in enumerate(
            [(20, "pending"), (20.0, "done"), (30.0, "done"), (40, "done")], 1
        ):
            text = json.dumps({"x": x}, separators=(",", ":"))
            row = (
                position,
                _old_key(double.__module__ + ".double", text),
                f"{__name__}.double",
                text,
                status,
                status,
            )
            raw.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, 0.5, '', ?, '0.1.0')", (*row, f'{{"y": {2 * x}}}')
            )
    raw.close()
    return path


OLD_SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE runs (
    position INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    task TEXT NOT NULL,
    config TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'pending',
    word TEXT NOT NULL DEFAULT 'pending',
    seconds REAL NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '',
    measured TEXT NOT NULL DEFAULT '{}',
    version TEXT NOT NULL DEFAULT ''
);
CREATE TABLE curves (
    position INTEGER NOT NULL REFERENCES runs,
    name TEXT NOT NULL,
    npy BLOB NOT NULL,
    PRIMARY KEY (position, name)
);
PRAGMA application_id = 1667516274;
PRAGMA user_version = 1;
COMMIT;
"""


def double(config):
    """Twice x."""
    return {"y": 2 * config["x"]}


def test_a_store_of_the_first_format_is_read_without_its_doubles(old_store):
    study = cg.open_sweep(old_store)
    before = old_store.read_bytes()
    assert study.status() == {"runs": 3, "done": 3}
    assert study.table()["x"].tolist() == [20.0, 30.0, 40.0]
    assert study.to_xarray().y.values.tolist() == [40.0, 60.0, 80.0]
    assert old_store.read_bytes() == before


def test_a_store_of_the_first_format_goes_on(old_store):
    calls = []

    def counted(config):
        calls.append(config["x"])
        return double(config)

    counted.__module__, counted.__qualname__ = __name__, "double"
    found = execute(counted, [{"x": x} for x in (20, 30, 40.0, 50)], store=old_store)
    assert [values["y"] for values in found] == [40, 60, 80, 100]
    assert calls == [50]
    assert cg.open_sweep(old_store).status() == {"runs": 4, "done": 4}


class Other:
    """Something that is no JSON."""


REFUSED = {
    "a complex number": 1.0 + 0.5j,
    "a complex scalar": np.complex64(1),
    "a masked array": np.ma.array([1.0, 2.0], mask=[False, True]),
    "a masked value": np.ma.masked,
    "a function": lambda t: 0.1,
    "an object": Other(),
    "an array of objects": np.array([1.0, Other()], dtype=object),
    "NaN": np.float32("nan"),
    "inf": Decimal("inf"),
    "too large": Fraction(10**400, 3),
    "a date": np.datetime64("2026-01-01"),
    "bytes": b"20",
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("door", ["configs", "fixed", "grid", "zip", "execute"])
def test_what_is_no_plain_value_is_refused_by_name(kind, door, tmp_path):
    value, path = REFUSED[kind], tmp_path / "store.sqlite"
    doors = {
        "configs": lambda: cg.sweep([BASE, BASE | {"kappa": value}], store=path),
        "fixed": lambda: cg.sweep(fixed=BASE | {"kappa": value}, store=path),
        "grid": lambda: cg.sweep(fixed=BASE, grid={"kappa": [2, value]}, store=path),
        "zip": lambda: cg.sweep(fixed=BASE, zip={"kappa": [value], "seed": [1]}, store=path),
        "execute": lambda: execute(double, [{"x": 1}, {"x": 2, "kappa": [value]}], store=path),
    }
    with pytest.raises(TypeError, match=r"kappa.*: expected plain JSON") as caught:
        doors[door]()
    assert "\n" not in str(caught.value)
    assert not path.exists()
