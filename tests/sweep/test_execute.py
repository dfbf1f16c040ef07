"""execute: engines agree, failures are outcomes, deaths have one suspect."""

import os
import subprocess
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from cdgrab_sim._sweep import _engines, _process, execute
from cdgrab_sim._sweep._bundle import pack
from cdgrab_sim._sweep._dispatch import Dispatcher, Lane
from cdgrab_sim._sweep._process import WorkerProcess
from tests.sweep.processes import is_running, until
from tests.sweep.tasks import deadly, fragile, same, waves


def test_engines_return_the_same_in_the_order_of_the_configurations():
    configs = [{"x": x} for x in range(40, 0, -1)]
    expected = [waves(config) for config in configs]
    with ThreadPoolExecutor(2) as threads:
        for engine in ({"jobs": 1}, {"jobs": 3}, {"executor": threads}, {"executor": WorkerProcess}):
            assert same(execute(waves, configs, **engine), expected), engine


def test_equal_configurations_run_once():
    calls = []

    def count(config):
        calls.append(config)
        return {"x": config["x"]}

    results = execute(count, [{"x": 1, "y": 2}, {"x": 2}, {"y": np.int64(2), "x": 1}])
    assert [r["x"] for r in results] == [1, 2, 1]
    assert len(calls) == 2


def test_functions_and_what_they_close_over_travel():
    table = np.array([10, 20])
    results = execute(lambda config: {"y": table[config["x"]]}, [{"x": 0}, {"x": 1}], jobs=2)
    assert [r["y"] for r in results] == [10, 20]


def test_a_task_that_raises_stops_no_other(tmp_path):
    for jobs in (1, 2):
        folder = tmp_path / str(jobs)
        folder.mkdir()
        with pytest.raises(
            RuntimeError, match=r"1 of 6 tasks.*'x': 3.*failed: ValueError: three is no number"
        ):
            execute(fragile, [{"x": x, "folder": str(folder)} for x in range(6)], jobs=jobs)
        assert sorted(p.name for p in folder.iterdir()) == ["0", "1", "2", "4", "5"]


def test_only_the_task_that_kills_its_worker_is_lost():
    with pytest.raises(RuntimeError, match=r"1 of 60 tasks.*'x': 7.*lost: .*died"):
        execute(deadly, [{"x": x} for x in range(60)], jobs=2)


def test_workers_use_one_thread_each_and_leave_the_environment_alone():
    before = dict(os.environ)
    [values, _] = execute(lambda config: {"n": os.environ["OMP_NUM_THREADS"]}, [{}, {"x": 1}], jobs=2)
    assert values == {"n": "1"}
    assert dict(os.environ) == before


def test_a_configuration_that_is_not_json_is_refused_before_any_work():
    for wrong in ({"x": float("nan")}, {"x": object()}):
        with pytest.raises(TypeError, match="plain JSON"):
            execute(lambda config: pytest.fail("ran"), [{"x": 1}, wrong])


def test_a_script_needs_no_main_guard(tmp_path, python):
    script = tmp_path / "script.py"
    script.write_text(
        "from cdgrab_sim._sweep import execute\n"
        "def double(config):\n"
        "    return {'y': 2 * config['x']}\n"
        "print(sum(r['y'] for r in execute(double, [{'x': x} for x in range(10)], jobs=2)))\n"
    )
    done = python(script, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.communicate(timeout=60) == (b"90\n", b"")


def test_workers_leave_when_their_parent_is_killed(tmp_path, python):
    code = (
        "import time\nfrom pathlib import Path\nfrom cdgrab_sim._sweep import execute\nimport os\n"
        "def wait(config):\n"
        f"    Path({str(tmp_path)!r}, str(os.getpid())).touch()\n"
        "    time.sleep(60)\n"
        "execute(wait, [{'x': 1}, {'x': 2}], jobs=2)\n"
    )
    parent = python("-c", code)
    until(lambda: len(list(tmp_path.iterdir())) == 2)
    parent.kill()
    workers = [int(p.name) for p in tmp_path.iterdir()]
    until(lambda: not any(is_running(pid) for pid in workers))


def test_an_executor_that_breaks_is_replaced_only_by_a_function_that_makes_executors():
    configs = [{"x": x} for x in range(12)]
    with WorkerProcess() as worker, pytest.raises(RuntimeError, match="pass a function that makes executors"):
        execute(deadly, configs, executor=worker)
    with pytest.raises(RuntimeError, match=r"1 of 12 tasks.*'x': 7.*lost"):
        execute(deadly, configs, executor=WorkerProcess)


def test_workers_that_are_killed_before_they_start_blame_no_task(monkeypatch):
    starts = []

    class Stillborn(WorkerProcess):
        def __init__(self):
            super().__init__()
            starts.append(self)
            if len(starts) <= lives:
                self._process.kill()
                self._process.wait()

    monkeypatch.setattr(_engines, "WorkerProcess", Stillborn)
    lives = 5
    assert [r["name"] for r in execute(waves, [{"x": 1}, {"x": 2}], jobs=2)] == ["x1", "x2"]
    lives = 1000
    with pytest.raises(RuntimeError, match="20 workers in a row"):
        execute(waves, [{"x": 1}, {"x": 2}], jobs=2)


def test_a_worker_that_cannot_start_is_an_error_and_not_a_lost_task(monkeypatch):
    monkeypatch.setattr(_process, "_WORKER", Path("/nowhere/worker.py"))
    with pytest.raises(RuntimeError, match="do not start"):
        execute(waves, [{"x": 1}, {"x": 2}], jobs=2)


def test_tasks_below_the_resolution_of_the_clock_travel_in_bundles_twice_as_large():
    sent = []

    class Instant(Executor):
        def submit(self, run, packed, bundle, ticket):
            sent.append(len(bundle))
            future = Future()
            future.set_result([outcome._replace(seconds=0.0) for outcome in run(packed, bundle, ticket)])
            return future

    tasks = [(position, {"x": position}) for position in range(30)]
    list(Dispatcher(pack(waves), tasks, [Lane(Instant, width=1)]).landings())
    assert sent[:4] == [1, 2, 4, 8]


@pytest.mark.parametrize(("deaths", "status"), [(1, "done"), (2, "done"), (3, "lost")])
def test_a_death_in_company_counts_for_nobody(deaths, status):
    """Task 3 travels at the head of a bundle first, then alone: lost takes two deaths of the latter kind."""
    sent = []

    class Scripted(Executor):
        def submit(self, run, packed, bundle, ticket):
            sent.append([position for position, _ in bundle])
            future = Future()
            if 3 in sent[-1] and sum(3 in one for one in sent) <= deaths:
                future.set_exception(BrokenExecutor("died"))
            else:
                future.set_result(run(packed, bundle, ticket))
            return future

    tasks = [(position, {"x": position}) for position in range(30)]
    dispatcher = Dispatcher(pack(waves), tasks, [Lane(Scripted, width=1)])
    outcomes = {outcome.position: outcome.status for landed in dispatcher.landings() for outcome in landed}
    assert next(one for one in sent if 3 in one)[0] == 3
    assert len(next(one for one in sent if 3 in one)) > 1
    assert outcomes == dict.fromkeys(range(30), "done") | {3: status}
