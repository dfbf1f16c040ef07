"""How long experiments take is measured, kept in one place, and said everywhere."""

import json
import re
import sys

import pytest

from benchmarks import experiments as benchmark
from cdgrab_sim import cli
from cdgrab_sim.experiments import EXPERIMENTS, _times


@pytest.fixture
def times(tmp_path, monkeypatch):
    path = tmp_path / "run_times.json"
    measured = {"herding": {"quick": 4.6, "full": 200.0}, "async bias": {"quick": 0.3}}
    path.write_text(json.dumps({"machine": {}, "seconds": measured}))
    for module in (_times, benchmark):
        monkeypatch.setattr(module, "PATH", path)
    return path


def test_what_is_kept_was_measured():
    kept = json.loads(_times.PATH.read_text())
    assert kept["seconds"].keys() <= EXPERIMENTS.keys()
    assert kept["machine"].keys() == {"machine", "python", "numpy", "numba"}
    assert all(0.0 < taken < 3600.0 for one in kept["seconds"].values() for taken in one.values())
    assert kept["seconds"]


def test_times_in_words(times):
    assert _times.in_words("herding") == "3 min, 5 s with --quick"
    assert _times.in_words("async bias") == "1 s with --quick"
    assert _times.in_words("herding", "async bias") == "5 s with --quick"
    assert _times.in_words("herding", "cost") == _times.in_words("cost") == ""


def test_commands_say_how_long_they_take(times, capsys):
    assert cli.main(["list"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"\n  herding .*\? \(3 min, 5 s with --quick\)\n", shown)
    assert re.search(r"\n  cost .*\?\n", shown)
    for words, line in ((["herding"], "Takes about 3 min, 5 s with --quick (one core)."), (["cost"], None)):
        with pytest.raises(SystemExit):
            cli.main([*words, "--help"])
        assert ("Takes about" in (text := capsys.readouterr().out)) == (line is not None)
        assert line is None or line in text


def test_the_benchmark_measures_the_processor_and_keeps_the_rest(times, monkeypatch, capsys):
    burn = "import time\nwhile time.process_time() < 0.4: pass\ntime.sleep(0.4)"
    real = benchmark.subprocess.run
    monkeypatch.setattr(
        benchmark.subprocess, "run", lambda words, **more: real([sys.executable, "-c", burn], **more)
    )
    monkeypatch.setattr(sys, "argv", ["experiments", "--only", "async bias", "cost"])
    benchmark.main()
    kept = json.loads(times.read_text())["seconds"]
    assert kept["herding"] == {"quick": 4.6, "full": 200.0}
    assert list(kept) == [name for name in EXPERIMENTS if name in ("herding", "async bias", "cost")]
    assert 0.39 <= kept["cost"]["quick"] < 0.75
