"""The command line, as its user meets it."""

import json
import subprocess
import sys
import time

import pytest

from cdgrab_sim import asynchronous, cli, experiments, orderings, problems
from cdgrab_sim.experiments import speedup
from theory import slopes

KEYS = {"name", "quantity", "measured", "ci_low", "ci_high", "predicted", "margin", "verdict"}


@pytest.fixture
def small(monkeypatch):
    """Sizes for a second."""
    sizes = speedup.SIZES | {"m": [1, 2, 4], "epochs": 20, "n": 8, "seeds": 3}
    monkeypatch.setattr(speedup, "QUICK", sizes)


def run(*words):
    return cli.main(list(words))


def test_json_is_one_object_and_nothing_else(small, tmp_path, capsys):
    code = run("speedup", "--quick", "--json", "-q", "--jobs", "1", "--out", str(tmp_path))
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert code in (0, 1)
    assert err == ""
    assert result.keys() == {"experiment", "config", "rows"}
    assert [row["name"] for row in result["rows"]] == list(speedup.ORDERINGS)
    assert all(row.keys() == KEYS for row in result["rows"])


def test_the_table_and_the_files(small, tmp_path, capsys):
    run("speedup", "--quick", "--jobs", "1", "--out", str(tmp_path))
    out, err = capsys.readouterr()
    assert "cd-grab" in out
    assert "cells" in err
    found = {path.name for path in tmp_path.iterdir()}
    assert found == {"table.csv", "config.json", "data.npz", "figure.svg", "figure.pdf", "figure.png"}
    assert (tmp_path / "table.csv").read_text().splitlines()[0].startswith("name,quantity,measured")


def test_equal_runs_write_equal_bytes_whatever_the_jobs(small, tmp_path, capsys):
    for name, jobs in (("a", "1"), ("b", "2")):
        run("speedup", "--quick", "-q", "--jobs", jobs, "--out", str(tmp_path / name))
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes(), file.name


def test_another_seed_gives_another_result(small, tmp_path, capsys):
    tables = []
    for seed in ("0", "1"):
        run("speedup", "--quick", "-q", "--jobs", "1", "--seed", seed, "--out", str(tmp_path / seed))
        tables.append(capsys.readouterr().out)
    assert tables[0] != tables[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["speedup", "--seed", "-1"], "--seed: expected a whole number >= 0; got -1"),
        (["speedup", "--jobs", "0"], "--jobs: expected a whole number >= 1; got 0"),
        (["speedup", "--out", "/proc/nothing"], "expected a folder to write to"),
        (["run", "--save", "/proc/nothing/run.npz"], "expected a folder to write to"),
        (["run", "-m", "100000000", "-n", "100000"], "expected sizes of an array that fits into memory"),
        (
            ["run", "--problem", "mlp", "-d", "4"],
            "-d: expected none for mlp, which derives it; got 4; leave it out",
        ),
    ],
)
def test_wrong_arguments_exit_with_2_and_one_line(words, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(*words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_an_unknown_command_exits_with_2(capsys):
    with pytest.raises(SystemExit) as caught:
        run("speedupp")
    assert caught.value.code == 2
    assert "invalid choice" in capsys.readouterr().err


def test_ctrl_c_says_how_to_resume(monkeypatch, tmp_path, capsys):
    def interrupted(options, **arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(speedup, "run", interrupted)
    assert run("speedup", "--quick", "--out", str(tmp_path)) == 130
    assert f"resume with: cdgrab speedup --quick --out {tmp_path} --resume" in capsys.readouterr().err


IMPORTED = """
import runpy, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
sys.argv = ["cdgrab", "run", "--epochs", "2"]
runpy.run_module("cdgrab_sim", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("module", ["cdgrab_sim.cli", "numpy", "cdgrab_sim.problems._skewed"])
def test_ctrl_c_while_modules_are_imported_is_a_line(module):
    command = [sys.executable, "-c", IMPORTED.format(module=module)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\ninterrupted\n")


def test_ctrl_c_of_a_tool_offers_no_option_that_it_does_not_have(monkeypatch, capsys):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("cdgrab_sim._commands._run.simulate", interrupted)
    assert run("run", "--epochs", "2") == 130
    assert capsys.readouterr().err == "\ninterrupted\n"


def test_an_interrupted_experiment_resumes_with_what_was_done(small, monkeypatch, tmp_path, capsys):
    whole, calls, real = tmp_path / "whole", [], speedup.floor
    run("speedup", "--quick", "-q", "--jobs", "1", "--out", str(whole))

    def floor(cell):
        if len(calls) == 5:
            calls.append("interrupted")
            raise KeyboardInterrupt
        calls.append(cell["ordering"])
        return real(cell)

    floor.__module__, floor.__qualname__ = real.__module__, real.__qualname__
    monkeypatch.setattr(speedup, "floor", floor)
    words = ["speedup", "--quick", "-q", "--jobs", "1", "--out", str(tmp_path / "cut")]
    assert run(*words) == 130
    assert run(*words, "--resume") in (0, 1)
    cells = 3 * 3 * len(speedup.ORDERINGS)
    assert len(calls) - 1 == cells
    for file in whole.iterdir():
        assert file.read_bytes() == (tmp_path / "cut" / file.name).read_bytes(), file.name


def test_a_failing_cell_exits_with_1_and_names_itself(small, monkeypatch, tmp_path, capsys):
    def floor(cell):
        raise ArithmeticError("no luck")

    monkeypatch.setattr(speedup, "floor", floor)
    assert run("speedup", "--quick", "-q", "--jobs", "1", "--out", str(tmp_path)) == 1
    err = capsys.readouterr().err
    assert "no luck" in err
    assert err.count("\n") == 1


@pytest.mark.compiled
def test_a_row_that_disagrees_exits_with_1(small, monkeypatch, tmp_path, capsys):
    wrong = slopes.predicted("floor", "rr", "m")
    monkeypatch.setattr(slopes, "predicted", lambda *names: wrong)
    sizes = {"epochs": 2000, "n": 16, "m": [1, 2, 4, 8]}
    monkeypatch.setattr(speedup, "QUICK", speedup.QUICK | sizes)
    code = run("speedup", "--quick", "-q", "--json", "--jobs", "1", "--out", str(tmp_path))
    verdicts = {row["name"]: row["verdict"] for row in json.loads(capsys.readouterr().out)["rows"]}
    assert verdicts["cd-grab"] == "disagrees"
    assert code == 1


def test_list_names_what_is_registered(capsys):
    assert run("list") == 0
    out = capsys.readouterr().out
    registries = (orderings.ORDERINGS, problems.PROBLEMS, asynchronous.METHODS, experiments.EXPERIMENTS)
    for registry in registries:
        assert all(f"\n  {name} " in out for name in registry)
    assert "reconstruction of arXiv 2605.02043, unverified" in out


def test_help_lists_every_question_without_heavy_imports():
    script = "import sys; from cdgrab_sim.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    script += "print([m for m in ('numpy', 'numba', 'scipy', 'matplotlib') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"
    assert all(name.split()[0] in out for name in experiments.EXPERIMENTS)


def test_the_module_is_the_same_program():
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "cdgrab_sim", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("cdgrab ")
    assert time.monotonic() - start < 30
