"""Processes are killed at random moments; what was reported done is there, and runs once."""

import os
import random
import signal
import subprocess
import threading
import time

import pytest

from cdgrab_sim._sweep import _open, _store, execute, open_sweep
from tests.sweep.processes import is_running, until, workers
from tests.sweep.tasks import deadly, same, waves

# Commits, then says so: what it says must be in the store whatever happens next.
SWEEP = """
import os, sys
from cdgrab_sim._sweep import _open, _store, execute
from tests.sweep.tasks import waves

store, report, count, jobs = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
commit, out = _store.Store.commit, os.open(report, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def reported(self, outcome):
    commit(self, outcome)
    os.write(out, f"{outcome.position}\\n".encode())

_store.Store.commit = reported
execute(waves, [{"x": x, "seconds": 0.004} for x in range(count)], store=store, jobs=jobs)
"""


def contents(path):
    """Everything in a store but the clock."""
    with _open.reading(path) as store:
        rows = [row._replace(seconds=0.0) for row in store.rows()]
        return rows, {
            name: {k: (a.dtype, a.tobytes()) for k, a in store.curves(name).items()}
            for name in store.curve_names()
        }


def done_in(path):
    """The positions that a store holds, however it was left."""
    with _open.reading(path) as store:
        return {row.position for row in store.rows() if row.word == "done"}


def killed_parents(python, folder, kills, count):
    rng = random.Random(20230200845)
    store, report = folder / "killed.sqlite", folder / "report"
    report.touch()
    before = 0
    for kill in range(kills):
        parent = python("-c", SWEEP, store, report, count, 1 + kill % 2)
        if kill % 4:  # otherwise also while it starts and plans
            until(lambda: len(report.read_bytes()) > before or parent.poll() is not None)  # noqa: B023
        time.sleep(rng.uniform(0.0, 0.2))
        assert parent.poll() is None, "the sweep was over before it was killed: give it more to do"
        parent.kill()
        parent.wait()
        before = len(report.read_bytes())
        reported = [int(line) for line in report.read_text().split()]
        assert len(reported) == len(set(reported)), "a finished run ran again"
        if store.exists() and reported:
            assert set(reported) <= done_in(store)
    assert python("-c", SWEEP, store, report, count, 2).wait(60) == 0
    execute(waves, [{"x": x, "seconds": 0.004} for x in range(count)], store=folder / "whole.sqlite")
    assert contents(store) == contents(folder / "whole.sqlite")
    assert sorted(int(line) for line in report.read_text().split()) == list(range(1, count + 1))


def test_killed_parents(python, tmp_path):
    killed_parents(python, tmp_path, kills=3, count=300)


@pytest.mark.deep
def test_parents_killed_at_25_moments(python, tmp_path):
    killed_parents(python, tmp_path, kills=25, count=2000)


def killed_workers(path, kills, count):
    stop, killed = threading.Event(), []

    def kill():
        rng = random.Random(0)
        while len(killed) < kills and not stop.wait(0.25):
            if found := workers(os.getpid()):
                killed.append(rng.choice(found))
                os.kill(killed[-1], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    configs = [{"x": x, "seconds": 0.01} for x in range(count)]
    try:
        results = execute(waves, configs, store=path, jobs=2)
    finally:
        stop.set()
        thread.join()
    assert len(killed) == kills
    assert same(results, execute(waves, configs, store=path))
    assert open_sweep(path).status() == {"runs": count, "done": count}


def test_killed_workers(tmp_path, monkeypatch):
    committed = []
    commit = _store.Store.commit
    monkeypatch.setattr(
        _store.Store, "commit", lambda self, outcome: (committed.append(outcome), commit(self, outcome))
    )
    killed_workers(tmp_path / "store.sqlite", kills=3, count=200)
    assert sorted(outcome.position for outcome in committed) == list(range(1, 201))


@pytest.mark.deep
def test_workers_killed_25_times(tmp_path):
    killed_workers(tmp_path / "store.sqlite", kills=25, count=1500)


def test_a_deadly_task_is_lost_and_stored_as_lost(tmp_path):
    path = tmp_path / "store.sqlite"
    with pytest.raises(RuntimeError, match="1 of 40 tasks have no result"):
        execute(deadly, [{"x": x} for x in range(40)], store=path, jobs=2)
    assert open_sweep(path).status() == {"runs": 40, "done": 39, "lost": 1}
    assert workers(os.getpid()) == []


def test_ctrl_c_ends_the_workers(python, tmp_path):
    store, report = tmp_path / "store.sqlite", tmp_path / "report"
    report.touch()
    parent = python("-c", SWEEP, store, report, 2000, 2, stderr=subprocess.DEVNULL)
    until(report.read_bytes)
    started = workers(parent.pid)
    parent.send_signal(signal.SIGINT)
    assert parent.wait(20) != 0
    assert len(started) == 2
    assert not any(is_running(pid) for pid in started)
    assert {int(line) for line in report.read_text().split()} == done_in(store)
