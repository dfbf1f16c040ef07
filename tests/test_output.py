"""What was measured reaches its reader: whatever the terminal, the figure and the folder."""

import io
import json
import os
import re
import subprocess
import sys
from importlib import import_module

import matplotlib as mpl
import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import cli
from cdgrab_sim._commands import _experiment
from cdgrab_sim.experiments import _real_data, speedup
from cdgrab_sim.experiments._experiment import Result, Row
from cdgrab_sim.experiments.speedup import on_table
from cdgrab_sim.plots import literal

pytestmark = pytest.mark.compiled  # whole experiments: minutes as plain Python

ROWS = "".join(f"{k % 17},{k * k % 23},{k * k * k % 29}\n" for k in range(60))
FIGURES = {"figure.svg", "figure.pdf", "figure.png"}


@pytest.fixture
def undrawn(monkeypatch):
    """No figures, which take seconds."""
    monkeypatch.setattr(_experiment, "_draw", lambda result, folder: None)


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Sizes for a second, in a folder of one's own."""
    monkeypatch.setattr(speedup, "QUICK", speedup.SIZES | {"m": [1, 2, 4], "epochs": 4, "n": 2, "seeds": 2})
    monkeypatch.setattr(speedup, "SIZES", speedup.QUICK)
    monkeypatch.setattr(
        _real_data, "QUICK", _real_data.SIZES | {"n": 4, "m": [1, 4], "epochs": 3, "seeds": 3}
    )
    monkeypatch.chdir(tmp_path)


def run(*words):
    return cli.main([*words, "--quick", "-q", "--jobs", "1"])


def stream(encoding):
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)


@pytest.mark.parametrize("name", ["price_$a_$b.csv", "bell\a$x^$.csv"])
def test_names_in_figures_are_literal_text(name, small, tmp_path, capsys):
    (tmp_path / name).write_text("a,b,y\n" + ROWS)
    assert run("speedup", "--data", name, "--target", "y", "--out", "out") == 0
    out, err = capsys.readouterr()
    assert "tuned error" in out
    assert err == ""
    shown = name.replace("\a", "?")
    assert f">{shown}: " in (tmp_path / "out" / "figure.svg").read_text().replace("&amp;", "&")


def test_literal_text_is_what_is_drawn():
    ax = cg.plots.Figure().add_subplot()
    for name in ("$a$", "a$b", r"\$", r"a\$b$c$", "100%_{}^", "€ ± ü", "\udcff"):
        text, math = ax.set_title(literal(name))._preprocess_math(literal(name))
        assert (text, math) == (name.replace("\udcff", "?"), False)


def test_figures_do_not_depend_on_the_settings_of_their_user(small, tmp_path, capsys):
    run("speedup", "--out", "plain")
    with mpl.rc_context(rc={"text.usetex": True, "axes.facecolor": "red", "font.size": 30.0}):
        before = dict(mpl.rcParams)
        run("speedup", "--out", "set")
        assert dict(mpl.rcParams) == before
    for name in FIGURES:
        assert (tmp_path / "plain" / name).read_bytes() == (tmp_path / "set" / name).read_bytes()


def test_a_figure_that_cannot_be_drawn_costs_one_line_and_no_result(small, tmp_path, monkeypatch, capsys):
    code = run("speedup", "--out", "out")
    table = capsys.readouterr().out

    def panel(result, ax):
        raise RuntimeError("no ink,\nno paper")

    monkeypatch.setattr(import_module("cdgrab_sim.experiments.speedup.figure"), "PANELS", [panel])
    assert run("speedup", "--out", "out") == code
    out, err = capsys.readouterr()
    assert out == table
    assert err == "figure: not drawn (no ink, no paper); the numbers are in out\n"
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"table.csv", "config.json", "data.npz"}


@pytest.mark.parametrize("words", [["herding"], ["speedup", "--json"]])
def test_a_stream_in_ascii_degrades(words, small, undrawn, monkeypatch):
    both = {name: stream("ascii") for name in ("stdout", "stderr")}
    for name, one in both.items():
        monkeypatch.setattr(sys, name, one)
    assert run(*words, "--out", "out±") in (0, 1)
    text = both["stdout"].buffer.getvalue().decode("ascii")
    assert json.loads(text) if "--json" in words else "+/-" in text


def test_errors_degrade_in_ascii(monkeypatch, small):
    monkeypatch.setattr(sys, "stderr", stream("ascii"))
    assert run("speedup", "--data", "größe.csv", "--target", "y") == 2
    assert b"gr??e.csv" in sys.stderr.buffer.getvalue()


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_closed_streams_cost_nothing(closed, tmp_path):
    command = f"{sys.executable} -m cdgrab_sim run --epochs 2 --save {tmp_path}/run.npz {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert cg.load(tmp_path / "run.npz").loss.shape == (1, 3)


def test_a_reader_that_went_away_is_no_error():
    command = f"{sys.executable} -m cdgrab_sim list | true; echo $?"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_a_folder_as_the_target_is_refused_before_the_work(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("cdgrab_sim._commands._run.simulate", lambda *a, **b: 1 / 0)
    monkeypatch.setattr("cdgrab_sim.demo.lesson", lambda **b: 1 / 0)
    for words in (["run", "--save"], ["demo", "--html"]):
        assert cli.main([*words, str(tmp_path)]) == 2
        assert "expected a file to write; it is a folder" in capsys.readouterr().err


def test_other_settings_have_a_folder_of_their_own(small, undrawn, tmp_path, capsys):
    (tmp_path / "t t.csv").write_text("a,b,y\n" + ROWS)
    for words in ([], ["--seed", "2"], ["--data", "t t.csv", "--target", "y", "--no-standardize"]):
        assert run("speedup", *words) in (0, 1)
    found = {path.name for path in (tmp_path / "results").iterdir()}
    assert found == {
        "speedup-quick",
        "speedup-seed-2-quick",
        "speedup-quick-data-t-t-target-y-no-standardize",
    }


def test_results_of_other_settings_are_not_overwritten(small, undrawn, tmp_path, capsys):
    run("speedup", "--out", "out")
    before = (tmp_path / "out" / "table.csv").read_bytes()
    assert run("speedup", "--seed", "2", "--out", "out") == 2
    err = capsys.readouterr().err
    assert "out: holds results of other settings (seed: 0, now 2); choose another --out, or --force" in err
    assert (tmp_path / "out" / "table.csv").read_bytes() == before
    assert run("speedup", "--seed", "2", "--out", "out", "--force") in (0, 1)
    assert (tmp_path / "out" / "table.csv").read_bytes() != before
    (tmp_path / "out" / "config.json").write_text("{}")
    assert run("speedup", "--seed", "2", "--out", "out") == 2
    assert "holds results of unknown settings" in capsys.readouterr().err


@pytest.mark.parametrize("end", ["finished", "interrupted"])
def test_another_table_at_the_same_path_is_another_setting(
    small, undrawn, tmp_path, monkeypatch, capsys, end
):
    """Only the path of a table was compared: results of the old one were replaced, or gone on with."""
    found = Result("speedup", {}, [Row("rr", "error", 1.0)], {})
    monkeypatch.setattr(on_table, "run", lambda *given, **more: found)
    words = ["speedup", "--data", "t.csv", "--target", "y", "--out", "out"]
    (tmp_path / "t.csv").write_text("a,b,y\n" + ROWS)
    assert run(*words) in (0, 1)
    if end == "interrupted":
        (tmp_path / "out" / "config.json").rename(tmp_path / "out" / "started.json")
        settings = json.loads((tmp_path / "out" / "started.json").read_text())
        started = {name: settings[name] for name in ("arguments", "versions")}
        (tmp_path / "out" / "started.json").write_text(json.dumps(started))
    capsys.readouterr()
    (tmp_path / "t.csv").write_text("b,a,y\n" + ROWS)
    assert run(*words, "--resume") == 2
    assert re.search(r"of other settings \(contents of --data: \w{16}, now \w{16}\)", capsys.readouterr().err)
    (tmp_path / "t.csv").write_text("a,b,y\n" + ROWS)
    assert run(*words, "--resume") in (0, 1)


def test_the_settings_and_versions_are_kept(small, undrawn, tmp_path, capsys):
    run("speedup", "--seed", "3", "--out", "out")
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    assert config["arguments"]["seed"] == 3
    assert config["arguments"]["quick"] is True
    assert config["versions"]["cdgrab_sim"] == cg.__version__
    assert config["versions"]["numpy"] == np.__version__


def test_a_second_run_in_a_folder_is_refused(small, undrawn, tmp_path, monkeypatch, capsys):
    real, codes = speedup.floor, []

    def floor(cell):
        if not codes:
            codes.append(cli.main(["speedup", "--quick", "-q", "--jobs", "1", "--out", "out"]))
        return real(cell)

    floor.__module__, floor.__qualname__ = real.__module__, real.__qualname__
    monkeypatch.setattr(speedup, "floor", floor)
    assert run("speedup", "--out", "out") in (0, 1)
    assert codes == [2]
    assert "writes to it" in capsys.readouterr().err


def test_only_files_of_the_run_are_removed(small, tmp_path, capsys):
    (tmp_path / "out").mkdir()
    kept = ("cells.sqlite.backup", "cells.sqlite-notes.txt", "cells.sqlite3", "notes.md")
    for name in (*kept, "cells.sqlite-journal"):
        (tmp_path / "out" / name).write_text("mine")
    run("speedup", "--out", "out")
    found = {path.name for path in (tmp_path / "out").iterdir()}
    assert found == {*kept, "table.csv", "config.json", "data.npz", *FIGURES}


def test_an_interrupted_run_of_other_settings_is_not_mixed_in(small, undrawn, tmp_path, monkeypatch, capsys):
    real, calls = speedup.floor, []

    def floor(cell):
        calls.append(cell)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(cell)

    floor.__module__, floor.__qualname__ = real.__module__, real.__qualname__
    monkeypatch.setattr(speedup, "floor", floor)
    assert run("speedup", "--out", "out") == 130
    capsys.readouterr()
    assert run("speedup", "--seed", "1", "--out", "out", "--resume") == 2
    assert "out: an interrupted run of other settings (seed: 0, now 1)" in capsys.readouterr().err
    started = tmp_path / "out" / "started.json"
    old = json.loads(started.read_text())
    old["versions"]["cdgrab_sim"] = "0.0.0"
    started.write_text(json.dumps(old))
    assert run("speedup", "--out", "out", "--resume") == 2
    assert "(version of cdgrab_sim: 0.0.0, now" in capsys.readouterr().err
    assert run("speedup", "--out", "out") in (0, 1)
    assert not started.exists()


def test_commands_run_without_docstrings_in_ascii_and_with_warnings_as_errors(tmp_path):
    plain = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONOPTIMIZE": "2"}
    for words in ("list", f"herding --quick -q --jobs 1 --out {tmp_path}"):
        command = [sys.executable, "-W", "error", "-m", "cdgrab_sim", *words.split()]
        done = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, **plain}, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
