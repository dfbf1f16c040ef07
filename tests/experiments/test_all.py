"""`cdgrab all`: one line per experiment, and what fails is quoted."""

import json
from types import SimpleNamespace

from cdgrab_sim import cli
from cdgrab_sim._commands import _experiment
from cdgrab_sim.experiments import all as everything
from cdgrab_sim.experiments._experiment import Options, Result, Row


def row(verdict):
    return Row("rr", "exponent", 1.0, None, None, None, None, verdict)


def test_one_bad_row_fails_its_experiment_and_is_quoted(monkeypatch):
    verdicts = {"good": ["agrees", "holds", "other data"], "bad": ["holds", "disagrees", "inconclusive"]}
    verdicts["open"] = ["agrees", "inconclusive"]
    modules = {
        name: SimpleNamespace(
            run=lambda options, name=name: Result(name, {}, [row(v) for v in verdicts[name]], {})
        )
        for name in verdicts
    }
    monkeypatch.setattr(everything, "EXPERIMENTS", dict.fromkeys([*verdicts, "all"], ""))
    monkeypatch.setattr(everything, "load", modules.__getitem__)
    result = everything.run(Options(jobs=1))
    found = [(one.name, one.measured, one.verdict, one.quantity) for one in result.rows]
    assert found == [
        ("good", 0.0, "holds", "rows that fail; 2 of 2 judged agree"),
        ("bad", 1.0, "fails", "rows that fail; 1 of 3 judged agree, 1 inconclusive"),
        ("open", 0.0, "inconclusive", "rows that fail; 1 of 2 judged agree, 1 inconclusive"),
    ]
    assert result.notes == [
        "cdgrab bad: rr, exponent, 1.0: disagrees",
        "cdgrab bad: rr, exponent, 1.0: inconclusive",
        "cdgrab open: rr, exponent, 1.0: inconclusive",
    ]
    assert [part.experiment for part in result.parts] == ["good", "bad", "open"]


def test_one_page_links_every_table_verdict_and_figure(monkeypatch, tmp_path, capsys):
    kinds = {"herding": "agrees", "async bias": "inconclusive"}
    modules = {
        name: SimpleNamespace(
            run=lambda options, name=name: Result(name, {}, [row(kinds[name])], {}, ["a < b & c"])
        )
        for name in kinds
    }
    monkeypatch.setattr(everything, "EXPERIMENTS", dict.fromkeys([*kinds, "all"], ""))
    monkeypatch.setattr(everything, "load", modules.__getitem__)
    monkeypatch.setattr(
        _experiment, "_draw", lambda part, folder: (folder / "figure.svg").write_text("<svg/>")
    )
    assert cli.main(["all", "--quick", "-q", "--jobs", "1", "--out", str(tmp_path / "quick")]) == 0  # a look
    assert cli.main(["all", "-q", "--jobs", "1", "--out", str(tmp_path)]) == 1
    assert "1 inconclusive" in capsys.readouterr().out
    html, text = ((tmp_path / name).read_text() for name in ("index.html", "summary.md"))
    for name, verdict in kinds.items():
        where = name.replace(" ", "-")
        assert json.loads((tmp_path / where / "config.json").read_text())["arguments"]["seed"] == 0
        for page in (html, text):
            assert verdict in page
            assert all(f"{where}/{file}" in page for file in ("figure.svg", "table.csv", "data.npz"))
    assert "a &lt; b &amp; c" in html
