"""Damage: whatever bit of a store flips, what is read is what was written, or one line says otherwise."""

import random
import sqlite3

import numpy as np
import pytest

from cdgrab_sim._sweep import execute, open_sweep
from cdgrab_sim._sweep._format import Entry

CONFIGS = [{"x": x} for x in range(25)]


def measure(config):
    """Numbers, text and two curves."""
    x = config["x"]
    return {
        "sine": float(np.sin(x)),
        "name": f"x{x}",
        "loss": np.cos(np.arange(9.0) * x),
        "orders": np.arange(x + 1),
    }


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The bytes of a store, and everything that can be read from it."""
    path = tmp_path_factory.mktemp("damage") / "store.sqlite"
    results = execute(measure, CONFIGS, store=path)
    return path.read_bytes(), everything(path), as_text(results)


def everything(path):
    study = open_sweep(path)
    return (
        study.status(),
        study.messages(),
        study.to_csv(),
        study.to_jsonl(curves=True),
        study.curves("loss").tobytes(),
    )


def as_text(results):
    return [{name: str(value) for name, value in values.items()} for values in results]


def flipped(whole, path, count, bytes_from, bytes_to):
    """Write the store with one bit after the other turned, and yield which."""
    rng = random.Random(20230200845)
    for _ in range(count):
        at, bit = rng.randrange(bytes_from, bytes_to or len(whole)), rng.randrange(8)
        for left in path.parent.iterdir():
            left.unlink()
        damaged = bytearray(whole)
        damaged[at] ^= 1 << bit
        path.write_bytes(damaged)
        yield at, bit


def true_or_one_line(look, expected, path):
    """Tell whether damage was noticed."""
    try:
        assert look() == expected
    except (ValueError, OSError) as error:
        said = str(error)
    else:
        return False
    assert said.count(str(path)) == 1
    assert "\n" not in said
    return True


@pytest.mark.parametrize(("count", "first", "last"), [(20, 0, 100), (50, 100, None)], ids=["header", "pages"])
def test_flipped_bits(written, tmp_path, count, first, last):
    """Without checksums 49 of 300 flips gave other numbers, and 150 an error that did not name the file."""
    whole, read, results = written
    path = tmp_path / "store.sqlite"
    noticed = [
        (
            true_or_one_line(lambda: everything(path), read, path),
            true_or_one_line(lambda: as_text(execute(measure, CONFIGS, store=path)), results, path),
        )
        for _ in flipped(whole, path, count, first, last)
    ]
    assert 0 < sum(reader or writer for reader, writer in noticed) < count


@pytest.mark.deep
def test_ten_thousand_flipped_bits(written, tmp_path):
    whole, read, results = written
    path = tmp_path / "store.sqlite"
    for _ in flipped(whole, path, 10_000, 0, None):
        true_or_one_line(lambda: everything(path), read, path)
        true_or_one_line(lambda: as_text(execute(measure, CONFIGS, store=path)), results, path)


def test_a_status_reads_no_more_than_it_needs_and_still_sees_damage(written, tmp_path, monkeypatch):
    path, full = tmp_path / "store.sqlite", {"runs": 25, "done": 25}
    for change in (None, "word = 'failed'", "word = 'dome'", "word = x'646f6e65'"):
        path.write_bytes(written[0])
        study = open_sweep(path)
        if change is None:
            with monkeypatch.context() as patch:
                patch.setattr(Entry, "digest", property(lambda entry: 1 / 0))
                assert study.status() == full
            continue
        with sqlite3.connect(path) as raw:
            raw.execute(f"UPDATE runs SET {change} WHERE position = 2")
        raw.close()
        with pytest.raises(ValueError, match=r"store.sqlite: damaged"):
            study.status()


@pytest.mark.parametrize("word", ["completed", 'said "so"', "größe", "done", "failed", 7, True])
def test_words_of_a_task_are_counted(word, tmp_path):
    study = tmp_path / "store.sqlite"
    execute(lambda config: {"status": word, "x": config["x"]}, CONFIGS[:3], store=study)
    assert open_sweep(study).status() == {"runs": 3, str(word): 3}
    with sqlite3.connect(study) as raw:
        raw.execute("UPDATE runs SET word = 'dOne' WHERE position = 2")
    raw.close()
    with pytest.raises(ValueError, match="run 2 does not match"):
        open_sweep(study).status()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "UPDATE runs SET measured = replace(measured, '0.8', '0.9') WHERE position = 2",
            "run 2 does not match",
        ),
        ("UPDATE runs SET word = 'failed' WHERE position = 2", "run 2 does not match"),
        ("UPDATE runs SET config = '{' WHERE position = 2", "run 2 does not match"),
        (
            "UPDATE curves SET npy = zeroblob(200) WHERE position = 3 AND name = 'loss'",
            "'loss' of run 3 does not",
        ),
        ("UPDATE curves SET position = 99 WHERE position = 3 AND name = 'loss'", "run 99 does not match"),
        ("DELETE FROM curves WHERE position = 3 AND name = 'loss'", "run 3 has lost its curve 'loss'"),
        ("ALTER TABLE runs RENAME COLUMN word TO sword", "no such column"),
    ],
)
def test_contents_that_are_not_as_written_are_named(written, tmp_path, change, said):
    path = tmp_path / "store.sqlite"
    path.write_bytes(written[0])
    with sqlite3.connect(path) as raw:
        raw.execute(change)
    raw.close()
    with pytest.raises(ValueError, match=f"store.sqlite: damaged.*{said}.*restore a copy"):
        everything(path)
    with pytest.raises(ValueError, match=r"store.sqlite: damaged.*restore a copy"):
        execute(measure, CONFIGS, store=path)
