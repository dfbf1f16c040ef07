"""`make mutants`: where tokens are changed, to what, and which tests are asked."""

import random
import signal
from pathlib import Path

import pytest

from benchmarks import mutants
from benchmarks._forks import Forks
from benchmarks._seen import Seen
from benchmarks._sites import Site, sites, statement_around, within_a_function
from benchmarks.equivalent_mutants import EQUIVALENT

SOURCE = '''"""One + two."""

LIMIT = 2.0

def f(x: int = 3, *, flag: bool = True) -> float:
    """Return 1 + 1."""
    if x <= 1 and not flag:
        raise ValueError(f"expected {x + 1}; got {x - 1}")
    return (x
            - LIMIT) ** 2
'''


def found(**options):
    return {(s.line, s.old, s.new) for s in sites("f.py", SOURCE, **options)}


def test_operators_comparisons_numbers_and_truth_values_are_sites_and_messages_are_not():
    expected = {(3, "2.0", "2.5"), (5, "3", "4"), (5, "True", "False"), (7, "<=", "<"), (7, "1", "2")}
    expected |= {(7, "and", "or"), (10, "-", "+"), (10, "**", "*"), (10, "2", "3")}
    assert found() == expected
    assert found(sizes=False) == expected - {(3, "2.0", "2.5")}


def test_one_token_is_changed_and_the_rest_is_as_it_was():
    for site in sites("f.py", SOURCE):
        changed = site.applied(SOURCE)
        assert changed != SOURCE
        compile(changed, "f.py", "exec")
        pairs = zip(SOURCE.splitlines(), changed.splitlines(), strict=True)
        assert [k for k, (a, b) in enumerate(pairs, 1) if a != b] == [site.line]
    with pytest.raises(ValueError, match="expected '-' there"):
        Site("f.py", 3, 0, "-", "+").applied(SOURCE)


def test_columns_count_bytes():
    [site] = sites("f.py", 'α = "é" + x\n')
    assert site.applied('α = "é" + x\n') == 'α = "é" - x\n'
    assert site.text('α = "é" + x\n') == 'f.py | α = "é" [+ -> -] x'


def test_a_change_is_shown_in_its_place():
    first, second = sites("f.py", "  # x = 1\nx = [1, 1]\n")
    assert first.text("  # x = 1\nx = [1, 1]\n") == "f.py | x = [[1 -> 2], 1]"
    assert second.text("  # x = 1\nx = [1, 1]\n") == "f.py | x = [1, [1 -> 2]]"


def test_tests_of_a_statement_are_those_that_execute_any_of_its_lines():
    assert statement_around(SOURCE, 10) == (9, 10)
    assert statement_around(SOURCE, 7) == (7, 7)
    assert [line for line in range(1, 11) if within_a_function(SOURCE, line)] == [6, 7, 8, 9, 10]
    lines = {"f.py": {9: {"a"}, 10: {"b"}, 7: {"a", "fails"}}, "others.py": {1: {"t.py::c"}}}
    seen = Seen(lines, {"a": 0.2, "b": 0.1, "t.py::c": 0.3, "t.py::d": 0.4})
    assert seen.tests("f.py", SOURCE, 10) == (["b", "a"], [])
    assert seen.tests("f.py", SOURCE, 7) == (["a"], ["b"])
    assert seen.tests("f.py", SOURCE, 3) == (["b", "a"], ["t.py::c"])  # it runs at import
    assert seen.tests("others.py", "def f():\n    pass", 1) == (["t.py::c"], ["b", "a", "t.py::d"])
    assert seen.tests("g.py", SOURCE, 10) == ([], [])


TESTS = """
import os, f

def test_it():
    assert f.x == 1

def test_nothing(tmp_path):
    print(tmp_path)

def test_for_ever():
    while f.x:
        pass

def test_another():
    os.write(1, b"what a test prints goes nowhere")
"""


@pytest.fixture
def folder(tmp_path):
    root = Path(mutants.ROOT)
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "_forks.py").write_text((root / "benchmarks" / "_forks.py").read_text())
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_f.py").write_text(TESTS)
    return tmp_path


def test_a_fork_reads_the_sources_of_now_and_ends_what_does_not_end(folder):
    names = [f"test_f.py::test_{name}" for name in ("it", "nothing", "another", "for_ever")]
    forks = Forks(folder, {"PYTHONDONTWRITEBYTECODE": "1"})

    def asked(text, tests, **options):
        (folder / "f.py").write_text(text)
        done = forks.run(tests, 0.5, **options)
        return done["code"], done["failed"], set(done["seconds"])

    assert asked("x = 1", names[:3]) == (0, "", set(names[:3]))
    assert asked("x = 2", names[:3]) == (1, names[0], set())
    assert asked("x = 2", names[:3], first=False) == (1, names[0], set(names[1:3]))
    assert asked("x = 0", names[2:]) == (0, "", set(names[2:]))
    assert asked("x = 1", names[3:]) == (-signal.SIGKILL, "", set())
    assert asked("x =", names[:3])[0] > 0
    forks.close()
    assert forks.process.returncode == 0


def test_a_sample_is_its_seed_and_keeps_to_the_packages(monkeypatch, tmp_path):
    for name, text in (
        ("cdgrab_sim/a.py", "x = 1 + 2\n"),
        ("cdgrab_sim/plots/b.py", "y = 3\n"),
        ("theory/c.py", SOURCE),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    few, again, every = mutants.sampled(4, 1), mutants.sampled(4, 1), mutants.sampled(99, 2)
    assert few == again
    assert len(every) == 3 + len(found())
    assert {site.file for site in every} == {"cdgrab_sim/a.py", "theory/c.py"}
    assert random.Random(2).sample(sorted(map(str, every)), 1)  # distinct


@pytest.mark.parametrize(("status", "code"), [("killed", 0), ("lived", 1), ("unseen", 1)])
def test_what_lives_counts_unless_it_is_listed(status, code, monkeypatch, capsys):
    results = [{"text": "f.py | a | + -> -", "status": status}]
    assert mutants.report(results) == code
    assert ("f.py | a" in capsys.readouterr().out) == bool(code)
    monkeypatch.setitem(EQUIVALENT, "f.py | a | + -> -", "a is zero")
    assert mutants.report([*results, {"text": "f.py | b | 1 -> 2", "status": "killed"}]) == 0
    assert "1 of 1 mutants died (100.0%); 1 more are equivalent" in capsys.readouterr().out


@pytest.mark.parametrize("text", EQUIVALENT)
def test_what_is_listed_as_equivalent_still_stands_there(text):
    name = text.partition(" | ")[0]
    assert EQUIVALENT[text]
    source = (Path(mutants.ROOT) / name).read_text(encoding="utf-8")
    assert text in {site.text(source) for site in sites(name, source)}
