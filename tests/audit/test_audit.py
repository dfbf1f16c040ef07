"""Loaders with faults are found, loaders without are not accused, bad files are one line each."""

import subprocess
import sys

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim.cli import main
from tests.audit.faults import FAULTS, GOOD, LABEL, N, T

ASKED = {"examples": N, "columns": {"label": LABEL}}
NO_CHANCE = ("examples dropped", "padding at the end", "overlap of ranks")


def audits(make, times, seed):
    rng = np.random.default_rng(seed)
    return [cg.audit.examine(make(rng), **ASKED) for _ in range(times)]


@pytest.mark.compiled
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_found(fault):
    (found,) = audits(FAULTS[fault], 1, 0)
    assert fault in found.faults


@pytest.mark.compiled
@pytest.mark.parametrize("name", GOOD)
def test_loaders_without_faults_are_not_accused(name):
    assert not any(found.faults for found in audits(GOOD[name], 3, 0))


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_power(fault):
    """At least 99 % of 200."""
    assert sum(fault in found.faults for found in audits(FAULTS[fault], 200, 1)) >= 198


@pytest.mark.slow
@pytest.mark.parametrize("name", GOOD)
def test_false_alarms(name):
    """At most 1 % of 200."""
    assert sum(bool(found.faults) for found in audits(GOOD[name], 200, 1)) <= 2


@pytest.mark.compiled
def test_an_order_that_repeats_is_accused_of_nothing_else():
    """What one order has by chance would count twenty times."""
    rng = np.random.default_rng(3)
    for make in (FAULTS["the same order in several epochs"], FAULTS["the same order on several ranks"]):
        assert all(len(cg.audit.examine(make(rng), **ASKED).faults) == 1 for _ in range(20))


@pytest.mark.compiled
def test_seeds_that_meet_again_are_found():
    """Rank i uses seed epoch + i, so that its orders are those of rank 0 some epochs later."""
    orders = [[np.random.default_rng(t + i).permutation(64) for i in range(3)] for t in range(8)]
    assert cg.audit.examine(orders, local=True).faults == ["orders of other ranks and epochs again"]


def test_what_is_known_is_no_fault():
    rng = np.random.default_rng(0)
    orders = [rng.permutation(40)[:36] for _ in range(4)]
    assert cg.audit.examine(orders).faults == ["examples dropped"]
    assert cg.audit.examine(orders, known=["examples dropped"]).faults == []
    with pytest.raises(ValueError, match="unknown entry of known 'dropped'; did you mean"):
        cg.audit.examine(orders, known=["dropped"])


def test_local_numbers_are_those_of_each_rank():
    rng = np.random.default_rng(0)
    orders = [[rng.permutation(12) for _ in range(3)] for _ in range(4)]
    assert cg.audit.examine(orders, local=True).faults == []
    assert "overlap of ranks" in cg.audit.examine(orders).faults


def test_few_examples_are_never_enough():
    """Of two examples every order comes again and again."""
    assert cg.audit.examine([[0, 1]] * 3 + [[1, 0]] * 3).faults == []


def test_a_record_is_what_the_loader_gave(tmp_path):
    batches = [np.array([3, 1]), [0], 2]
    record = cg.audit.record(batches, 2)
    np.testing.assert_array_equal(record, [[3, 1, 0, 2]] * 2)
    with pytest.raises(ValueError, match=r"got none in pass 1; give a list"):
        cg.audit.record(iter(batches), 2)
    with pytest.raises(TypeError, match=r"^loader: expected batches of whole numbers"):
        cg.audit.record([[0.5]], 1)
    with pytest.raises(TypeError, match=r"^loader: expected batches of whole numbers"):
        cg.audit.record(5, 1)


def test_files_of_every_kind_say_the_same(tmp_path):
    orders = np.array([[[2, 0], [1, 3]], [[3, 1], [0, 2]]])
    np.save(tmp_path / "a.npy", orders)
    np.savetxt(tmp_path / "b.csv", orders[:, 0], fmt="%d", delimiter=",")
    lines = [f"{t},{i},{j}" for t in (0, 1) for k in (0, 1) for i in (0, 1) for j in [orders[t, i, k]]]
    (tmp_path / "c.csv").write_text("epoch,rank,example\n" + "\n".join(lines) + "\n")
    np.testing.assert_array_equal(cg.audit.read(tmp_path / "a.npy"), orders)
    np.testing.assert_array_equal(cg.audit.read(tmp_path / "b.csv"), orders[:, 0])
    np.testing.assert_array_equal(cg.audit.read(tmp_path / "c.csv"), orders)


BAD = {
    "empty.csv": (b"", "got nothing"),
    "words.csv": (b"some words\nand more\n", "expected columns epoch, rank, example, or rows of numbers"),
    "ragged.csv": (b"0,1,2\n1,0\n", "expected whole numbers in rows of one length"),
    "half.csv": (b"0,1\n1,0.5\n", "expected whole numbers in rows of one length"),
    "letters.csv": (b"epoch,example\n0,a\n", "expected whole numbers in rows of one length"),
    "negative.csv": (b"epoch,example\n0,-4\n", "expected examples 0, 1, ...; got -4"),
    "binary.csv": (bytes(range(256)), "expected a .npy file or CSV text"),
    "damaged.npy": (b"\x93NUMPY\x01\x00", "expected a .npy file of whole numbers"),
    "huge.csv": (b"0,4000000000\n", "expected examples numbered from 0; got 4000000001 of them in 2"),
    "before.csv": (b"0,-1,1\n", "expected -1 at the ends of rows only"),
    "below.csv": (b"0,-2,1\n", "expected numbers of examples, 0, 1, ..., or -1 for none; got -2"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_one_line_each(name, tmp_path, capsys):
    content, message = BAD[name]
    (tmp_path / name).write_bytes(content)
    assert main(["audit", str(tmp_path / name), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.err.count("\n") == 1
    assert not said.out


@pytest.mark.parametrize("orders", [[[0.5, 1.0]], [0, 1], [[]], "abc", [[0, 1], [1]]], ids=str)
def test_what_is_no_table_of_orders_is_refused(orders):
    with pytest.raises((TypeError, ValueError), match=r"^orders: expected"):
        cg.audit.examine(orders)


def test_objects_are_not_unpickled(tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.array([[{}]]), allow_pickle=True)
    assert main(["audit", str(tmp_path / "a.npy")]) == 2
    assert "expected a .npy file of whole numbers" in capsys.readouterr().err


@pytest.mark.compiled
def test_the_command_says_what_it_found(tmp_path, capsys, monkeypatch):
    rng = np.random.default_rng(0)
    for name, make in (("good", GOOD["pooled"]), ("bad", FAULTS["blocks of the data"])):
        np.save(tmp_path / f"{name}.npy", make(rng))
    (tmp_path / "columns.csv").write_text("label,word\n" + "".join(f"{k},{'ab'[k % 2]}\n" for k in LABEL))
    np.save(tmp_path / "features.npy", rng.standard_normal((N, 3)))
    more = ["--columns", str(tmp_path / "columns.csv"), "--features", str(tmp_path / "features.npy")]

    def said(name, code):
        out = tmp_path / name
        assert main(["audit", f"{out}.npy", "--out", str(out), *more]) == code
        assert {"table.csv", "config.json"} <= {p.name for p in out.iterdir()}
        return capsys.readouterr()

    assert "fault" in said("bad", 1).out
    assert {"figure.svg", "figure.png"} <= {p.name for p in (tmp_path / "bad").iterdir()}
    monkeypatch.setattr(cg.plots, "together", lambda panels: 1 / 0)  # costs no result
    good = said("good", 0)
    assert "fault" not in good.out
    assert "figure: not drawn (division by zero)" in good.err


SPENT = """
import resource, time, numpy as np, cdgrab_sim as cg
cg.audit.examine(np.arange(64)[None])  # compiles
rng = np.random.default_rng(0)
orders = np.array([rng.permutation(500_000) for _ in range(20)]).reshape(20, 125_000, 4).swapaxes(1, 2)
start = time.process_time()
cg.audit.examine(orders)
print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.compiled
def test_ten_million_showings_take_ten_seconds_and_a_gibibyte():
    said = subprocess.run([sys.executable, "-c", SPENT], check=True, capture_output=True, text=True).stdout
    seconds, kilobytes = map(float, said.split())
    assert seconds < 10.0
    assert kilobytes < 2**20


def test_epochs_have_the_sizes_that_were_asked_for():
    rng = np.random.default_rng(0)
    assert all(make(rng).shape[0] == T for make in (*GOOD.values(), *FAULTS.values()))
