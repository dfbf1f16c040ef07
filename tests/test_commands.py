"""What commands leave behind, and what they begin with."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from cdgrab_sim import cli

SERVER = """
import os, sys, time
with open(os.environ["PID_FILE"] + "~", "w") as file:
    file.write(str(os.getpid()))
os.rename(os.environ["PID_FILE"] + "~", os.environ["PID_FILE"])
time.sleep(60)
"""


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("end", ["SIGTERM", "SIGKILL", "SIGHUP"])
def test_what_ends_the_demo_ends_its_server(tmp_path, end):
    """A package that stands for marimo: it writes down who it is, and waits."""
    (tmp_path / "marimo").mkdir()
    (tmp_path / "marimo" / "__init__.py").touch()
    (tmp_path / "marimo" / "__main__.py").write_text(SERVER)
    told = tmp_path / "pid"
    path = os.pathsep.join([str(tmp_path), *sys.path])
    env = os.environ | {"PYTHONPATH": path, "PID_FILE": str(told)}
    with subprocess.Popen([sys.executable, "-m", "cdgrab_sim", "demo"], env=env) as process:
        for _ in range(300):
            if told.exists():
                break
            time.sleep(0.1)
        server = int(told.read_text())
        process.send_signal(getattr(signal, end))
        assert process.wait(20) == -getattr(signal, end)
    for _ in range(50):
        if gone(server):
            break
        time.sleep(0.1)
    if not gone(server):
        os.kill(server, signal.SIGKILL)
        pytest.fail("the server is still there")


@pytest.mark.parametrize("problem", ["skewed", "quadratic", "least-squares", "logistic"])
def test_a_run_starts_where_something_is_to_be_seen(problem, capsys):
    assert cli.main(["run", "--problem", problem, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["distance"][0] > 0.1
    assert shown["loss"][-1] < shown["loss"][0]


def test_the_table_says_where_it_starts(capsys):
    assert cli.main(["run", "--epochs", "2"]) == 0
    assert "cd-grab on skewed from x = 1, ...: completed" in capsys.readouterr().out


def test_a_folder_to_save_to_is_refused_before_the_work(tmp_path, capsys):
    assert cli.main(["run", "--epochs", "1000000000", "--save", str(tmp_path)]) == 2
    assert "expected a file to write; it is a folder" in capsys.readouterr().err


def test_the_lists_do_without_docstrings():
    command = [sys.executable, "-OO", "-m", "cdgrab_sim", "list"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "cd-grab" in done.stdout
    assert "speedup" in done.stdout
