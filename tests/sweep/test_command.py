"""cdgrab sweep, as its user meets it."""

import json
import signal
import subprocess

import pytest

import cdgrab_sim as cg
from cdgrab_sim import cli
from tests.sweep.processes import until

CONFIG = """
[fixed]
problem = "skewed"
n = 8
epochs = {epochs}
step_size = 0.01
[grid]
ordering = ["rr", "cd-grab"]
m = [1, 2]
seed = {seeds}
"""


@pytest.fixture
def words(tmp_path, monkeypatch):
    """The command line in a folder with a configuration."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(CONFIG.format(epochs=5, seeds=[0, 1]))
    return ["sweep", "study.toml", "--out", "study.sqlite", "--jobs", "1", "-q"]


def test_a_sweep_and_its_summary(words, capsys):
    assert cli.main(words) == 0
    assert capsys.readouterr() == ("study.sqlite: 8 runs: 8 completed\n", "")
    assert cg.open_sweep("study.sqlite").curves("loss").shape == (8, 6)
    assert cli.main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == {"runs": 8, "completed": 8}


def test_progress_goes_to_stderr(words, capsys):
    assert cli.main(words[:-1]) == 0
    out, err = capsys.readouterr()
    assert out == "study.sqlite: 8 runs: 8 completed\n"
    assert "8/8" in err
    assert "runs/s" in err


def test_a_dry_run_runs_nothing_and_says_what_is_left(words, capsys, tmp_path):
    assert cli.main([*words, "--dry-run"]) == 0
    assert capsys.readouterr().out.startswith("8 runs: 0 stored, 8 left, about ")
    assert not (tmp_path / "study.sqlite").exists()
    cli.main(words)
    (tmp_path / "study.toml").write_text(CONFIG.format(epochs=5, seeds=[0, 1, 2]))
    capsys.readouterr()
    assert cli.main([*words, "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["runs"], found["stored"], found["left"]) == (12, 8, 4)
    assert cg.open_sweep("study.sqlite").status()["runs"] == 8


@pytest.mark.compiled
def test_the_forecast_is_about_right(words, capsys, tmp_path):
    """Within a factor of 5 on a machine that may be busy: it is there to tell minutes from hours."""
    (tmp_path / "study.toml").write_text(CONFIG.format(epochs=3000, seeds=[0, 1]))
    cli.main([*words, "--dry-run", "--json"])
    predicted = json.loads(capsys.readouterr().out)["seconds"]
    cli.main(words)
    from cdgrab_sim._sweep import _open

    with _open.reading("study.sqlite") as store:
        measured = sum(row.seconds for row in store.rows())
    assert measured / 5 < predicted < 5 * measured


def test_runs_without_a_result_exit_with_1(words, capsys, tmp_path):
    (tmp_path / "study.toml").write_text(CONFIG.format(epochs=5, seeds=[0]) + "kappa = [2.0, 0.5]\n")
    assert cli.main(words) == 1
    out, err = capsys.readouterr()
    assert out == "study.sqlite: 8 runs: 4 completed, 4 failed\n"
    assert err.count("kappa: expected") == 4


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_no_processes_exit_with_2(words, capsys, dry):
    assert cli.main([*words, "--jobs", "0", *dry]) == 2
    assert capsys.readouterr() == ("", "cdgrab: error: --jobs: expected a whole number >= 1; got 0\n")


def test_wrong_input_exits_with_2_and_one_line(words, capsys, tmp_path):
    (tmp_path / "study.sqlite").write_text("something else")
    assert cli.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "not a sweep written by cdgrab_sim" in err


@pytest.mark.compiled
def test_ctrl_c_exits_with_130_and_the_command_it_prints_resumes(words, python, tmp_path):
    (tmp_path / "study.toml").write_text(CONFIG.format(epochs=400, seeds=list(range(50))))
    process = python("-m", "cdgrab_sim", *words, stderr=subprocess.PIPE)
    until((tmp_path / "study.sqlite").exists)
    until(lambda: len(done("study.sqlite")) > 3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    kept = done("study.sqlite")
    assert 3 < len(kept) < 200
    said = err.decode().strip()
    assert said.startswith("interrupted; finished runs are kept; resume with: cdgrab sweep study.toml")
    assert cli.main(said.partition("cdgrab ")[2].split()) == 0
    assert done("study.sqlite")[: len(kept)] == kept
    assert cg.open_sweep("study.sqlite").status() == {"runs": 200, "completed": 200}


def done(path):
    """The seconds that the finished runs took: they would differ if a run had run again."""
    from cdgrab_sim._sweep import _open

    try:
        with _open.reading(path) as store:
            return [row.seconds for row in store.rows() if row.word == "completed"]
    except ValueError:  # before the first transaction
        return []
