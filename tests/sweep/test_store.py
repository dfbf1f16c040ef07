"""The store: what was committed is there, and whatever is wrong with a file is one clear line."""

import json
import os
import sqlite3
import subprocess
import threading
import time

import numpy as np
import pytest

from cdgrab_sim._sweep import _open, _store, execute, open_sweep
from cdgrab_sim._sweep._bundle import DONE, Outcome
from tests.sweep.tasks import equal, same, waves

CONFIGS = [{"x": x} for x in range(30)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.sqlite"


@pytest.fixture
def full(monkeypatch):
    """Stores that may have so many pages, which SQLite reports as it does a full disk."""
    connect = _open._connect

    def limit(pages):
        def limited(address):
            connection = connect(address)
            connection.execute(f"PRAGMA max_page_count = {pages}")
            return connection

        monkeypatch.setattr(_open, "_connect", limited)

    return limit


def refuses(kind, message, path):
    """Both ways to open a file refuse it, in one line that begins with its name."""
    for opens in (lambda: open_sweep(path), lambda: execute(waves, CONFIGS, store=path)):
        with pytest.raises(kind, match=message) as caught:
            opens()
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_values_come_back_as_they_were(path):
    values = {
        "nan": float("nan"),
        "inf": -float("inf"),
        "tiny": 5e-324,
        "third": 1 / 3,
        "large": 2**64 - 1,
        "yes": True,
        "none": None,
        "text": 'é "quoted"\n',
        "curve": np.array([0.1, np.nan, -0.0]),
        "orders": np.arange(6, dtype=np.int32).reshape(2, 3),
        "names": np.array(["a", "bc"]),
        "scalar": np.array(2.5),
        "empty": np.zeros((0, 3)),
        "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    }
    fresh = execute(lambda config: values, [{}])
    stored = execute(lambda config: values, [{}], store=path)
    again = execute(lambda config: values, [{}], store=path)
    for found in (fresh, stored, again):
        assert found[0].keys() == values.keys()
        assert all(type(found[0][k]) is type(v) and equal(found[0][k], v) for k, v in values.items())


def test_runs_that_are_stored_do_not_run_again(path):
    calls = []

    def task(config):
        calls.append(config["x"])
        return {"x": config["x"]}

    execute(task, CONFIGS[:10], store=path)
    results = execute(task, CONFIGS[5:15][::-1], store=path)
    assert calls == [*range(10), *range(14, 9, -1)]
    assert [r["x"] for r in results] == [*range(14, 4, -1)]


def test_runs_that_failed_run_again(path):
    broken = True

    def task(config):
        if broken and config["x"] == 3:
            raise ZeroDivisionError
        return {"x": config["x"]}

    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        execute(task, CONFIGS, store=path)
    assert open_sweep(path).status() == {"runs": 30, "done": 29, "failed": 1}
    assert ["'x': 3" in message for message in open_sweep(path).messages()] == [True]
    broken = False
    execute(task, CONFIGS, store=path)
    assert open_sweep(path).status() == {"runs": 30, "done": 30}
    assert open_sweep(path).messages() == []


def test_tasks_with_equal_configurations_do_not_answer_for_each_other(path):
    def other(config):
        return {"other": config["x"]}

    execute(waves, CONFIGS[:2], store=path)
    assert execute(other, CONFIGS[:2], store=path) == [{"other": 0}, {"other": 1}]
    assert set(open_sweep(path).table()["task"]) == {
        "tests.sweep.tasks.waves",
        f"{__name__}.{other.__qualname__}",
    }


def test_a_finished_store_is_one_plain_file(path):
    execute(waves, CONFIGS, store=path)
    open_sweep(path).table()
    assert os.listdir(path.parent) == [path.name]
    assert sqlite3.connect(path).execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_second_writer_is_told_who_holds_the_file(path):
    with _open.writing(path), pytest.raises(OSError, match=rf"process {os.getpid()} on \S+ writes to it"):
        execute(waves, CONFIGS, store=path)
    execute(waves, CONFIGS, store=path)


def test_readers_see_what_is_done_while_a_sweep_runs(path):
    seen = []

    def task(config):
        seen.append(open_sweep(path).status())
        return {"x": config["x"]}

    execute(task, CONFIGS[:4], store=path)
    assert seen[0] == {"runs": 4, "pending": 4}
    assert seen[3] == {"runs": 4, "done": 3, "pending": 1}


def test_ctrl_c_leaves_a_store_that_resumes(path):
    def task(config):
        if config["x"] == 7 and interrupt:
            raise KeyboardInterrupt
        return {"x": config["x"]}

    interrupt = True
    with pytest.raises(KeyboardInterrupt):
        execute(task, CONFIGS, store=path)
    assert open_sweep(path).status() == {"runs": 30, "done": 7, "pending": 23}
    interrupt = False
    assert len(execute(task, CONFIGS, store=path)) == 30


def test_ctrl_c_inside_a_commit_keeps_all_of_a_run_or_nothing(path, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    with _open.writing(path) as store:
        (position,) = store.plan("task", {"key": "{}"}).values()
        whole = Outcome(position, DONE, {"a": np.zeros(3), "b": np.ones(3)}, 0.0, "")
        with monkeypatch.context() as patch:
            patch.setattr(_store, "_curve_rows", interrupted)
            with pytest.raises(KeyboardInterrupt):
                store.commit(whole)
        assert store.done() == set()
        assert store.curve_names() == []
        store.commit(whole)
        assert store.done() == {"key"}


@pytest.mark.parametrize("pages", [8, 12, 16])
def test_a_full_disk_is_one_line_and_loses_nothing(path, full, pages, monkeypatch):
    committed = []
    commit = _store.Store.commit

    def watched(self, outcome):
        commit(self, outcome)
        committed.append(outcome.position)

    monkeypatch.setattr(_store.Store, "commit", watched)
    full(pages)
    configs = [{"x": x, "pad": "p" * 100} for x in range(200)]
    with pytest.raises(OSError, match=r"the disk is full; all finished runs are kept") as caught:
        execute(waves, configs, store=path)
    assert "\n" not in str(caught.value)
    full(2**30)
    if committed:
        assert open_sweep(path).status().get("done", 0) == len(committed)
    assert same(execute(waves, configs, store=path), [waves(config) for config in configs])


def test_a_file_system_that_is_full_for_real(tmp_path):
    def heavy(config):
        return {"curve": np.arange(config["x"], config["x"] + 1000.0)}

    folder, path = tmp_path / "small", tmp_path / "small" / "store.sqlite"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", "size=512k", "tmpfs", folder]
    if subprocess.run(["mount", *options], capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    configs = [{"x": x} for x in range(200)]
    try:
        with pytest.raises(OSError, match="the disk is full"):
            execute(heavy, configs, store=path)
        assert 0 < open_sweep(path).status()["done"] < 200
        subprocess.run(["mount", "-o", "remount,size=16m", folder], check=True)
        assert same(execute(heavy, configs, store=path), [heavy(config) for config in configs])
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file(path, kept):
    execute(waves, CONFIGS, store=path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole))])
    refuses(ValueError, "truncated", path)


def test_garbage_inside_a_file(path):
    execute(waves, CONFIGS, store=path)
    whole = bytearray(path.read_bytes())
    whole[4096:] = os.urandom(len(whole) - 4096)
    path.write_bytes(whole)
    with pytest.raises(ValueError, match="damaged") as caught:
        open_sweep(path).table()
    assert "\n" not in str(caught.value)


def test_files_of_other_programs(path):
    path.write_text("name,value\n")
    refuses(ValueError, "not a sweep", path)
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE runs (x)")
    other.close()
    refuses(ValueError, "another program", path)


def test_a_newer_format(path):
    execute(waves, CONFIGS[:1], store=path)
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    refuses(ValueError, "format 99 is newer than 2; update cdgrab_sim", path)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        open_sweep(tmp_path / "none.sqlite")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        execute(waves, CONFIGS, store=tmp_path / "none" / "store.sqlite")
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(ValueError, match="holds no sweep yet"):
        open_sweep(tmp_path / "empty.sqlite")
    execute(waves, CONFIGS, store=tmp_path / "empty.sqlite")


def test_a_log_left_by_a_file_that_was_deleted_does_no_harm(path, python):
    """After a kill somebody deletes the store, but not the log beside it."""
    code = (
        "import os, signal\nfrom cdgrab_sim._sweep import execute\nfrom tests.sweep.tasks import deadly\n"
        f"execute(deadly, [{{'x': x}} for x in range(9)], store={str(path)!r})\n"
    )
    assert python("-c", code).wait(60) == -9
    assert path.with_name(path.name + "-wal").exists()
    path.unlink()
    assert same(execute(waves, CONFIGS, store=path), [waves(config) for config in CONFIGS])


def test_curves_are_plain_npy_bytes_and_scalars_plain_json(path, tmp_path):
    execute(waves, CONFIGS[:3], store=path)
    raw = sqlite3.connect(path)
    ((npy,),) = raw.execute("SELECT npy FROM curves WHERE position = 3").fetchall()
    (tmp_path / "curve.npy").write_bytes(npy)
    assert equal(np.load(tmp_path / "curve.npy"), waves(CONFIGS[2])["curve"])
    ((measured, config),) = raw.execute("SELECT measured, config FROM runs WHERE position = 3").fetchall()
    assert json.loads(measured) == {"sine": float(np.sin(2)), "name": "x2"}
    assert json.loads(config) == {"x": 2}
    raw.close()


def test_many_readers_do_not_disturb_the_writer(path):
    execute(waves, CONFIGS[:1], store=path)
    stop, seen = threading.Event(), []

    def read():
        while not stop.is_set():
            seen.append(len(open_sweep(path).table()["x"]))

    thread = threading.Thread(target=read)
    thread.start()
    try:
        while not seen:  # the reader is at work before the writer begins
            time.sleep(0.001)
        results = execute(waves, [{"x": x, "seconds": 0.001} for x in range(100)], store=path)
    finally:
        stop.set()
        thread.join()
    assert len(results) == 100
    assert seen == sorted(seen)
    assert seen[0] == 1
    assert seen[-1] <= 101


def test_a_copy_of_a_finished_store_is_whole_though_a_reader_was_there(path, tmp_path):
    """A reader that keeps the file open keeps the log beside it, but nothing in it."""
    with _open.writing(path) as store:
        store.plan("task", {"key": '{"x":1}'})
        reader = sqlite3.connect(path)
        reader.execute("SELECT count(*) FROM runs").fetchall()
    execute(waves, CONFIGS, store=path)
    copy = tmp_path / "copy" / "store.sqlite"
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())
    reader.close()
    assert open_sweep(copy).status() == {"runs": 31, "done": 30, "pending": 1}


def test_results_that_a_reader_keeps_in_the_log_are_announced(path):
    with _open.writing(path) as store:
        store.plan("task", {"key": '{"x":1}'})
    reader = sqlite3.connect(path, isolation_level=None)

    def look_until_the_end():
        with _open.writing(path) as store:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM runs").fetchall()
            store.plan("task", {"other": '{"x":2}'})

    with pytest.warns(RuntimeWarning, match=r"a reader keeps results in store.sqlite-wal; copy both"):
        look_until_the_end()
    reader.close()
    assert open_sweep(path).status() == {"runs": 2, "pending": 2}


def test_a_reader_sees_one_moment_of_a_sweep_that_runs(path):
    """Rows that were read before a run ended do not meet its curves: labelled arrays had a KeyError."""
    with _open.writing(path) as store:
        positions = store.plan("task", {"one": '{"x":1}', "two": '{"x":2}'})
        curve = {"loss": np.zeros(3)}
        store.commit(Outcome(positions["one"], DONE, curve, 0.0, ""))
        with _open.reading(path) as reader:
            assert [row.word for row in reader.rows()] == ["done", "pending"]
            store.plan("task", {"three": '{"x":3}'})
            store.commit(Outcome(positions["two"], DONE, curve, 0.0, ""))
            assert [row.word for row in reader.rows()] == ["done", "pending"]
            assert list(reader.curves("loss")) == [positions["one"]]
        assert list(store.curves("loss")) == [positions["one"], positions["two"]]
