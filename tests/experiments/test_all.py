"""`cdgrab all`: one line per experiment, and what fails is quoted."""

from types import SimpleNamespace

from cdgrab_sim.experiments import all as everything
from cdgrab_sim.experiments._experiment import Options, Result, Row


def row(verdict):
    return Row("rr", "exponent", 1.0, None, None, None, None, verdict)


def test_one_bad_row_fails_its_experiment_and_is_quoted(monkeypatch):
    verdicts = {"good": ["agrees", "holds", "other data"], "bad": ["holds", "disagrees", "inconclusive"]}
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
        ("bad", 1.0, "fails", "rows that fail; 1 of 3 judged agree"),
    ]
    assert result.notes == ["cdgrab bad: rr, exponent, 1.0: disagrees"]
