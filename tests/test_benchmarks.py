"""The guard of the benchmarks: what fails, and what only seemed slower."""

import json

import pytest

from benchmarks import run
from benchmarks._race import Row, race, skipped


@pytest.fixture
def reference(tmp_path, monkeypatch):
    path = tmp_path / "reference.json"
    path.write_text(json.dumps({"ratios": {"walk": {"a": 1.0, "b": 2.0, "left out": 1.0}}}))
    monkeypatch.setattr(run, "REFERENCE", path)


def measured_again(monkeypatch, rows):
    calls = []
    monkeypatch.setattr(run, "measured", lambda names, quick: calls.append(names) or {"walk": rows})
    return calls


def test_within_a_quarter_of_the_reference_nothing_is_measured_again(reference, monkeypatch, capsys):
    calls = measured_again(monkeypatch, [])
    rows = [Row("a", 1.24), Row("b", 0.5), Row("new", 9.0), skipped("left out", "no torch")]
    assert run.check({"walk": rows}, quick=True) == 0
    assert not calls
    text = capsys.readouterr().out
    assert "not measured: left out" in text
    assert "not in the reference, run --write: new" in text


def test_a_row_has_its_own_slack(reference, monkeypatch):
    rows = [Row("a", 1.15, slack=1.1)]
    calls = measured_again(monkeypatch, rows)
    assert run.check({"walk": rows}, quick=True) == 1
    assert calls == [["walk"]]


@pytest.mark.parametrize(("second", "status"), [(2.4, 0), (2.6, 1)])
def test_only_what_is_slower_twice_fails(reference, monkeypatch, capsys, second, status):
    calls = measured_again(monkeypatch, [Row("a", 7.0), Row("b", second)])
    assert run.check({"walk": [Row("a", 1.0), Row("b", 3.0)]}, quick=True) == status
    assert calls == [["walk"]]
    assert ("SLOWER  b: 1.30 times" in capsys.readouterr().out) == bool(status)


def test_rows_without_a_guard_never_fail(reference):
    assert run.check({"walk": [Row("a", 50.0, unit="s", guarded=False)]}, quick=True) == 0


def test_functions_run_in_turns_and_the_first_round_does_not_count():
    seen = []
    contest = {name: (lambda name=name: seen.append(name)) for name in "ab"}
    times = race(contest, 0.0, before=lambda name: seen.append(f"before {name}"))
    assert seen == ["before a", "a", "before b", "b"] * (1 + len(times["a"]))
    assert len(times["a"]) == len(times["b"]) >= 5
