"""Sweeps on a dask scheduler and workers of their own, on loopback."""

import os
import signal
import threading
import time

import pytest

import cdgrab_sim as cg
from cdgrab_sim._sweep import _engines, execute, open_sweep
from tests.sweep.processes import until
from tests.sweep.tasks import deadly, equal, same, waves

pytestmark = pytest.mark.filterwarnings("default")

GRID = {
    "fixed": {"problem": "skewed", "n": 8, "epochs": 5, "step_size": 0.01},
    "grid": {"ordering": ["rr", "cd-grab"], "m": [1, 2], "seed": list(range(5))},
}


def test_serial_processes_and_dask_give_identical_tables(cluster, tmp_path):
    from distributed import Client

    dask = cluster(workers=2)
    serial = cg.sweep(**GRID)
    others = [cg.sweep(**GRID, jobs=2, store=tmp_path / "a.sqlite"), cg.sweep(**GRID, executor=dask.address)]
    with Client(dask.address) as client:
        others.append(cg.sweep(**GRID, executor=client.get_executor()))
    for other in others:
        for name, values in serial.table().items():
            assert equal(values, other.table()[name]), name
        for name in ("loss", "x"):
            assert equal(serial.curves(name), other.curves(name))
        assert serial.to_csv() == other.to_csv()
        assert serial.to_jsonl(curves=True) == other.to_jsonl(curves=True)


def test_no_scheduler_is_one_line(monkeypatch):
    monkeypatch.setattr(_engines, "_PATIENCE", 0.5)
    with pytest.raises(OSError, match=r"tcp://127.0.0.1:1: no dask scheduler answers"):
        cg.sweep(**GRID, executor="tcp://127.0.0.1:1")


@pytest.mark.deep
def test_killed_dask_workers(cluster, tmp_path):
    dask = cluster(workers=2)
    killed = []

    def kill():
        for _ in range(4):
            time.sleep(1.0)
            until(dask.workers)
            killed.append(dask.workers()[0])
            os.kill(killed[-1], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    configs = [{"x": x, "seconds": 0.05} for x in range(300)]
    until(lambda: len(dask.workers()) == 2)
    thread.start()
    results = execute(waves, configs, executor=dask.address, store=tmp_path / "store.sqlite")
    thread.join()
    assert len(set(killed)) == 4
    assert same(results, [waves(config | {"seconds": 0.0}) for config in configs])
    assert open_sweep(tmp_path / "store.sqlite").status() == {"runs": 300, "done": 300}


@pytest.mark.deep
def test_a_task_that_kills_dask_workers_is_lost_alone(cluster, tmp_path):
    dask = cluster(workers=2)
    configs = [{"x": x, "seconds": 0.01} for x in range(60)]
    with pytest.raises(RuntimeError, match=r"1 of 60 tasks.*'x': 7.*lost"):
        execute(deadly, configs, executor=dask.address, store=tmp_path / "store.sqlite")
    assert open_sweep(tmp_path / "store.sqlite").status() == {"runs": 60, "done": 59, "lost": 1}


@pytest.mark.deep
def test_a_scheduler_that_dies_is_one_line_and_the_sweep_resumes(cluster, tmp_path):
    dask = cluster(workers=1)
    configs = [{"x": x, "seconds": 0.02} for x in range(300)]
    path = tmp_path / "store.sqlite"

    execute(waves, configs[:1], store=path)

    def kill():
        until(lambda: open_sweep(path).status()["done"] > 20)
        dask.scheduler.kill()

    thread = threading.Thread(target=kill)
    thread.start()
    with pytest.raises(RuntimeError, match="the executor gave up"):
        execute(waves, configs, executor=dask.address, store=path)
    thread.join()
    done = open_sweep(path).status()["done"]
    assert 20 < done < 300
    assert len(execute(waves, configs, store=path, jobs=2)) == 300
