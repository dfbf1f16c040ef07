"""Runs on disk: the same back, whole or not there, one line for what cannot be read."""

import dataclasses
import os
import stat
import subprocess
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import _files


@pytest.fixture
def run():
    everything = cg.Record(
        every=2, herding=("inf", "l2"), balance=True, orders=True, trajectory=True, average=True
    )
    counting = cg.orderings.cd_grab(rule="self-balancing")
    return cg.simulate("skewed", counting, epochs=3, step_size=1e-3, replicates=2, record=everything)


def test_a_run_comes_back_equal(run, tmp_path):
    run.save(tmp_path / "run.npz")
    again = cg.load(tmp_path / "run.npz")
    for one in dataclasses.fields(run):
        before, after = getattr(run, one.name), getattr(again, one.name)
        if one.name == "meta":
            assert after == before
        elif isinstance(before, dict):
            assert before.keys() == after.keys()
            for norm in before:
                np.testing.assert_array_equal(before[norm], after[norm])
        else:
            np.testing.assert_array_equal(before, after)
            assert before.dtype == after.dtype


@pytest.fixture
def late():
    """An asynchronous run, with everything measured."""
    everything = cg.asynchronous.AsyncRecord(
        every=7, grad_norm=True, trajectory=True, virtual=True, average=True, events=True
    )
    problem = cg.problems.quadratic(m=1, n=12, d=3)
    return cg.simulate_async(
        problem, "ringmaster", workers=3, updates=40, step_size=1e-3, job_times=[1, 2, 3], record=everything
    )


def test_an_asynchronous_run_comes_back_equal(late, tmp_path):
    late.save(tmp_path / "run.npz")
    again = cg.load(tmp_path / "run.npz")
    assert type(again).__name__ == "AsyncRun"
    for one in dataclasses.fields(late):
        before, after = getattr(late, one.name), getattr(again, one.name)
        assert type(after).__name__ == type(before).__name__
        if one.name == "events":
            assert before.keys() == after.keys()
            before, after = ([columns[name] for name in late.events] for columns in (before, after))
        np.testing.assert_array_equal(before, after, err_msg=one.name)
    assert repr(again.status) == repr(late.status)


def test_an_asynchronous_run_as_a_dataset(late):
    pytest.importorskip("xarray")
    dataset = late.to_xarray()
    assert dataset["loss"].swap_dims(record="update").sel(update=14) == late.loss[2]
    assert dataset["trajectory"].sizes == {"record": 7, "coordinate": 3}
    assert int(dataset["applied"].sum()) == late.applied.sum()
    assert dataset["event_delay"].sizes["event"] == len(late.events["delay"])
    assert dataset.attrs["updates"] == 40


def test_numbers_of_numpy_are_saved_as_numbers(tmp_path):
    problem = cg.problems.quadratic(m=1, n=4, d=1)
    problem = dataclasses.replace(problem, constants={"L": np.float32(2.0), "rows": np.int64(4)})
    record = cg.Record(every=np.int64(2), herding=["inf"])
    args = {
        "epochs": np.int32(3),
        "step_size": np.float32(0.125),
        "seed": np.uint8(1),
        "momentum": np.float64(0.5),
    }
    cg.simulate(problem, "rr", record=record, **args).save(tmp_path / "run.npz")
    meta = cg.load(tmp_path / "run.npz").meta
    assert meta["problem"]["constants"] == {"L": 2.0, "rows": 4}
    assert (meta["record"]["every"], meta["step_size"], meta["seed"]) == (2, 0.125, 1)


def test_equal_runs_give_equal_files(run, tmp_path):
    for name in ("a.npz", "b.npz"):
        run.save(tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_killed_save_leaves_the_old_file_and_no_part(run, tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    path.write_bytes(b"old")

    def killed(file, **arrays):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", killed)
    with pytest.raises(KeyboardInterrupt):
        run.save(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["run.npz"]


def test_what_is_no_run_is_refused_in_one_line(run, tmp_path):
    whole = tmp_path / "whole.npz"
    run.save(whole)
    (tmp_path / "cut.npz").write_bytes(whole.read_bytes()[:-100])
    (tmp_path / "text.npz").write_text("name,value\n")
    (tmp_path / "empty.npz").touch()
    np.savez(tmp_path / "other.npz", a=np.zeros(2))
    with open(tmp_path / "pickled.npz", "wb") as file:
        np.save(file, np.array([{}], dtype=object), allow_pickle=True)
    with np.load(whole) as file:
        arrays = dict(file)
    np.savez(tmp_path / "later.npz", **arrays, of_a_later_version=1.0)
    np.savez(tmp_path / "earlier.npz", **{name: a for name, a in arrays.items() if name != "x"})
    raw = bytearray(whole.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 10] = 77  # the method of compression, in the directory
    (tmp_path / "compressed.npz").write_bytes(raw)
    for name in ("cut", "text", "empty", "other", "pickled", "later", "earlier", "compressed"):
        with pytest.raises(ValueError, match="not a run saved by cdgrab_sim, or damaged") as caught:
            cg.load(tmp_path / f"{name}.npz")
        assert "\n" not in str(caught.value)
    with pytest.raises(FileNotFoundError):
        cg.load(tmp_path / "missing.npz")


def test_a_newer_format_asks_for_an_update(run, tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "_FORMAT", 99)
    run.save(tmp_path / "run.npz")
    monkeypatch.undo()
    with pytest.raises(ValueError, match="format 99 is newer than 1; update cdgrab_sim"):
        cg.load(tmp_path / "run.npz")


def test_a_dataset_has_labels(run):
    pytest.importorskip("xarray")
    data = run.to_xarray()
    assert data.loss.dims == ("replicate", "epoch")
    assert data.epoch.values.tolist() == [0, 2, 3]
    assert data.orders.dims == ("replicate", "order_epoch", "worker", "step")
    np.testing.assert_array_equal(data.herding_inf, run.herding["inf"])


def test_a_folder_that_can_be_written_keeps_what_is_in_it(tmp_path):
    (tmp_path / "probe").write_text("mine")
    _files.writable_folder(tmp_path)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_errors_name_the_file_and_not_the_one_aside(run, tmp_path):
    for path, what in ((tmp_path, "is a folder"), (tmp_path / "none" / "run.npz", "there is no folder")):
        with pytest.raises(OSError, match=f"{path}: expected a file to write; .*{what}"):
            run.save(path)


@pytest.mark.parametrize("where", ["file/below", "/proc/nothing"])
def test_a_folder_that_cannot_be_written_is_refused(tmp_path, where):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="expected a folder to write to"):
        _files.writable_folder(tmp_path / where)


def written(path, text=b"new"):
    with _files.written_whole(path) as file:
        file.write(text)


def test_modes_stay_and_new_files_follow_the_umask(tmp_path):
    for mode in (0o600, 0o640, 0o664, 0o755):
        path = tmp_path / f"{mode}"
        path.write_bytes(b"old")
        path.chmod(mode)
        written(path)
        assert (path.read_bytes(), path.stat().st_mode & 0o7777) == (b"new", mode)
    old = os.umask(0o027)
    try:
        written(tmp_path / "fresh")
    finally:
        os.umask(old)
    assert (tmp_path / "fresh").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("form", ["link", "link to a link", "relative", "dangling"])
def test_links_stay_links(tmp_path, form):
    (tmp_path / "folder").mkdir()
    goal, link = tmp_path / "folder" / "goal", tmp_path / "link"
    if form != "dangling":
        goal.write_bytes(b"old")
    link.symlink_to("folder/goal" if form == "relative" else goal)
    if form == "link to a link":
        link, first = tmp_path / "second", link
        link.symlink_to(first)
    written(link)
    assert link.is_symlink()
    assert (goal.is_symlink(), goal.read_bytes()) == (False, b"new")
    assert os.listdir(goal.parent) == ["goal"]


def test_pipes_and_devices_take_everything(tmp_path, run):
    pipe, caught = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: caught.append(pipe.read_bytes()), daemon=True)
    reader.start()
    run.save(pipe)
    reader.join(30)
    assert pipe.is_fifo()
    (tmp_path / "copy.npz").write_bytes(caught[0])
    assert cg.load(tmp_path / "copy.npz").loss.shape == run.loss.shape
    (tmp_path / "null").symlink_to("/dev/null")  # what goes wrong goes wrong here, and not in /dev
    written(tmp_path / "null")
    assert (tmp_path / "null").is_symlink()
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("to", ["pipe", "file"])
def test_standard_output_is_a_file_like_others(tmp_path, to):
    (tmp_path / "link").symlink_to("/dev/stdout")
    program = (
        "from cdgrab_sim._files import written_whole\n"
        "print('before', flush=True)\n"
        f"with written_whole({str(tmp_path / 'link')!r}) as file: file.write(b'it\\n')\n"
        "print('after', flush=True)"
    )
    command, path = [sys.executable, "-c", program], tmp_path / "out"
    if to == "pipe":
        out = subprocess.run(command, check=True, capture_output=True).stdout
        assert out == b"before\nit\nafter\n"
    else:
        with open(path, "ab") as file:
            subprocess.run(command, check=True, stdout=file)
        assert b"after" in path.read_bytes()


def test_planted_files_are_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    (tmp_path / f".run.npz.{os.getpid()}.part").symlink_to(victim)
    written(tmp_path / "run.npz")
    assert victim.read_bytes() == b"mine"


def test_threads_do_not_collide(tmp_path):
    def save(k):
        written(tmp_path / "same", b"%d" % k * 10_000)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, [1, 2, 3, 4] * 50))
    assert len(set((tmp_path / "same").read_bytes())) == 1
    assert os.listdir(tmp_path) == ["same"]


def test_long_names_can_be_written(tmp_path):
    written(tmp_path / ("n" * 250))
    assert os.listdir(tmp_path) == ["n" * 250]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_is_read_only_is_not_replaced(tmp_path):
    (tmp_path / "kept").write_bytes(b"old")
    (tmp_path / "kept").chmod(0o444)
    with pytest.raises(PermissionError, match="kept"):
        written(tmp_path / "kept")


def test_a_bomb_is_refused_before_it_grows(tmp_path, run):
    bomb = tmp_path / "bomb.npz"
    run.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as file:
        arrays = {name: file[name] for name in file.files}
    np.savez_compressed(bomb, **arrays | {"x": np.zeros((1000, 20_000))})
    assert bomb.stat().st_size < 1_000_000
    tracemalloc.start()
    with pytest.raises(
        ValueError, match=r"bomb.npz: not a run saved by cdgrab_sim, or damaged \(compressed\)"
    ):
        cg.load(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000
