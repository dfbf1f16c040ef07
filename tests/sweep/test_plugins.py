"""Records of somebody else: files of `--load`, entry points of packages, and what `cdgrab new` writes."""

import runpy

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim import _plugins, cli
from cdgrab_sim._commands import _new
from cdgrab_sim._sweep import execute
from cdgrab_sim.experiments import herding

MINE = '''
"""An ordering that steps through the data backwards, in a closure, with a class and a decorator."""
from __future__ import annotations
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
import cdgrab_sim as cg

class State(NamedTuple):
    pi: np.ndarray

@dataclass
class Step:
    size: int

def turning(by: Step) -> cg.Ordering:
    """Not called with what it needs: no factory."""

del turning

def back_wards() -> cg.Ordering:
    """Turn by one in every epoch."""
    by = Step(1)
    init = lambda problem, rng: State(np.tile(np.arange(problem.n)[::-1], (problem.m, 1)))
    return cg.Ordering("back-wards", init, None, lambda state, rng: State(np.roll(state.pi, by.size, axis=1)))

@cg.orderings.ORDERINGS.register
def registered():
    """Known by its decorator."""
    return cg.orderings.rr()

_hidden = cg.orderings.cd_grab()
bowl = cg.Problem("bowl", 2, 4, 1, (np.arange(8.0).reshape(2, 4, 1),),
    lambda out, x, who, idx, data: np.subtract(x, data[0][who, idx], out=out),
    lambda x, data: 0.5 * float(((x - data[0]) ** 2).mean()), constants={"L": 1.0})

def signs() -> "cg.Update":
    def step(it, g, alpha, u):
        it.x[:] -= alpha * np.sign(g)
    return cg.Update("signs", lambda x0, problem: cg.updates.iterates(x0), step)

def plain(m: int) -> cg.asynchronous.Method:
    return cg.asynchronous.methods.vanilla()
'''


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def run(*words):
    return cli.main([str(word) for word in words])


def orders(config):
    """What a cell knows by name: runs in worker processes."""
    problem = cg.problems.make("bowl")
    settings = {"epochs": 3, "step_size": 0.1, "update": "signs", "record": cg.Record(orders=True)}
    found = cg.simulate(problem, config["ordering"], **settings)
    gradients = cg.simulate_async(problem, "plain", workers=2, updates=3, step_size=0.1).x
    return {"orders": found.orders, "x": found.x, "late": gradients}


CELLS = [{"ordering": name, "k": k} for name in ("back-wards", "registered") for k in range(2)]


def test_what_a_file_has_is_known_while_it_is_loaded_and_not_after(mine, capsys):
    with _plugins.knowing([mine]) as [file]:
        assert {kind: [*made] for kind, made in file.factories.items()} == {
            "ordering": ["registered", "back-wards"],
            "problem": ["bowl"],
            "update": ["signs"],
            "method": ["plain"],
        }
        found = execute(orders, CELLS)
        assert found[0]["orders"][0, :, 0].tolist() == [[3, 2, 1, 0], [0, 3, 2, 1], [1, 0, 3, 2]]
    for registry in _plugins.REGISTRIES.values():
        assert not {"back-wards", "registered", "bowl", "signs", "plain"} & {*registry}
    with pytest.raises(ValueError, match="unknown ordering 'back-wards'"):
        cg.orderings.make("back-wards")
    words = ("--ordering", "back-wards", "--problem", "bowl", "--update", "signs", "--epochs", 2)
    assert run("run", "--load", mine, *words) == 0
    assert "back-wards on bowl" in capsys.readouterr().out
    assert run("list", "--load", mine) == 0
    out = capsys.readouterr().out
    assert f"Turn by one in every epoch. (user; {mine})" in out
    assert f"every gradient is applied, however late (arXiv 2206.08307; {mine})" in out
    assert run("run", "--load", mine, "--problem", "bowl", "-m", 4) == 2
    assert "-m: expected none for bowl" in capsys.readouterr().err
    with (
        _plugins.knowing([mine]),
        pytest.raises(ValueError, match="expected m = 2, as its record has; got 4"),
    ):
        cg.problems.PROBLEMS.make("bowl", m=4)


def same_everywhere(path, **elsewhere):
    with _plugins.knowing([path]):
        here, there = execute(orders, CELLS), execute(orders, CELLS, **elsewhere)
    for a, b in zip(here, there, strict=True):
        assert all(np.array_equal(a[name], b[name]) for name in a)


def test_a_file_travels_to_processes(mine):
    same_everywhere(mine, jobs=2)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_file_travels_to_dask(mine, cluster):
    same_everywhere(mine, executor=cluster(workers=2).address)


@pytest.mark.compiled
def test_experiments_compare_what_a_file_has(mine, tmp_path, monkeypatch, capsys):
    sizes = {"d": 2, "rounds": 6, "seeds": 2, "m": {"m": [1, 2], "n": 8}, "n": {"n": [8, 16], "m": 2}}
    monkeypatch.setattr(herding, "QUICK", sizes)
    words = ("herding", "--quick", "-q", "--load", mine, "--orderings", "rr", "back-wards", "--out", tmp_path)
    assert run(*words, "--jobs", 1) == 0
    assert "back-wards  herding error exponent in m" in capsys.readouterr().out
    mine.write_text(MINE.replace("Step(1)", "Step(2)"))  # other contents are other settings
    assert run(*words, "--jobs", 1) == 2
    assert "holds results of other settings (load: " in capsys.readouterr().err


HEAD = "import cdgrab_sim as cg\n"
WRONG = {
    "no file": (None, "No such file"),
    "no record": ("x = 1", "expected records (Ordering, Problem, Update, Method), or functions annotated"),
    "an import": (
        "\nimport no_such_module",
        ", line 2: ModuleNotFoundError: No module named 'no_such_module'",
    ),
    "a missing file of its own": ("open('/none')", ", line 1: FileNotFoundError: [Errno 2]"),
    "no Python": ("def f(:", "SyntaxError"),
    "an exit": ("raise SystemExit(3)", ", line 1: SystemExit: 3"),
    "a taken name": (
        HEAD + "mine = cg.orderings.rr()",
        "ordering 'rr': expected a name of its own; it is taken",
    ),
    "a name that a decorator takes": (
        HEAD + "@cg.orderings.ORDERINGS.register\ndef rr():\n    pass",
        ", line 2: ValueError: ordering 'rr': expected a new name; it is taken",
    ),
    "a name twice": (
        HEAD + "a = cg.Update('one', print, lambda it, g, alpha, u: 0)\nb = cg.Update('one', print, a.step)",
        "update 'one': expected each name once; it is there twice",
    ),
    "a record that is none": (
        HEAD + "def mine() -> cg.Ordering:\n    return 3",
        "ordering 'mine': expected the function to return a record Ordering; got int",
    ),
    "a factory that fails": (
        HEAD + "def mine(*, m, n, seed) -> cg.Problem:\n    return 1 / 0",
        "problem 'mine': ZeroDivisionError: division by zero",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_a_file_is_one_line_that_names_it(case, tmp_path, capsys):
    text, line = WRONG[case]
    path = tmp_path / "odd.py"
    if text is not None:
        path.write_text(text)
    before = {kind: [*registry] for kind, registry in _plugins.REGISTRIES.items()}
    assert run("list", "--load", path) == 2
    err = capsys.readouterr().err
    assert str(path) in err
    assert line in err
    assert err.count("\n") == 1
    assert {kind: [*registry] for kind, registry in _plugins.REGISTRIES.items()} == before


def test_two_files_with_one_name_are_refused(mine, tmp_path, capsys):
    again = tmp_path / "again.py"
    again.write_text(MINE.replace("@cg.orderings.ORDERINGS.register", ""))
    assert run("list", "--load", mine, "--load", again) == 2
    assert f"{again}: ordering 'back-wards': expected a name of its own" in capsys.readouterr().err


POINTS = """
[cdgrab_sim.orderings]
from-afar = afar:from_afar
broken-order = afar_broken:order
wrong-order = afar:wrong
[cdgrab_sim.problems]
far-bowls = afar:far_bowls
[cdgrab_sim.updates]
far-steps = afar:STEPS
[cdgrab_sim.methods]
far-method = afar:method
"""
AFAR = '''
from dataclasses import replace
import cdgrab_sim as cg

def from_afar():
    """From a package."""
    return replace(cg.orderings.rr(), name="from-afar", provenance="afar")

def wrong():
    return "rr"

def far_bowls(*, m=1, n=2, seed=0):
    return replace(cg.problems.quadratic(m=m, n=n, seed=seed), name="far-bowls")

STEPS = replace(cg.updates.sgd(), name="far-steps")

def method(m):
    return cg.asynchronous.methods.vanilla()
'''


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package with entry points, as pip would leave it."""
    info = tmp_path / "afar-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: afar\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text(POINTS)
    (tmp_path / "afar.py").write_text(AFAR)
    (tmp_path / "afar_broken.py").write_text("import no_such_module\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for registry in _plugins.REGISTRIES.values():
        registry._loaded.clear()


@pytest.mark.usefixtures("installed")
def test_installed_packages_are_known_by_name_and_listed_with_their_origin(capsys):
    assert "from-afar" not in cg.orderings.ORDERINGS  # nothing of theirs is imported before it is asked for
    problem = cg.problems.make("far-bowls")
    done = cg.simulate(problem, "from-afar", epochs=1, step_size=0.1, update="far-steps")
    assert done.meta["ordering"] == "from-afar"
    assert cg.simulate_async(problem, "far-method", workers=2, updates=1, step_size=0.1).updates == 1
    fixed = {"problem": "far-bowls", "ordering": "from-afar", "m": 3, "epochs": 1, "step_size": 0.1}
    assert cg.sweep(fixed=fixed).status()["completed"] == 1
    assert run("list") == 0
    out = capsys.readouterr().out
    assert "From a package. (afar; afar 1.5 (afar:from_afar))" in out
    assert "'broken-order' of afar 1.5 (afar_broken:order): ModuleNotFoundError" in out
    assert "'wrong-order' of afar 1.5 (afar:wrong): expected the function to return a record Ordering" in out
    assert run("run", "--ordering", "broken-order") == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("kind", _new.KINDS)
def test_what_new_writes_works_and_its_test_passes(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run("new", kind, "Nice-One") == 0
    path = tmp_path / "nice_one.py"
    assert f"{kind} 'nice-one' with its test" in capsys.readouterr().out
    assert "my_" not in path.read_text()
    runpy.run_path(str(path))["test_nice_one"]()
    assert run("run", "--load", path, f"--{kind}", "nice-one", "--epochs", 2) == 0
    assert run("new", kind, "nice-one") == 2
    assert "expected no file of this name" in capsys.readouterr().err
    taken = {"ordering": "rr", "problem": "skewed", "update": "sgd"}[kind]
    for name, line in (("1st", "expected a letter"), (taken, "is registered"), ("a b", "a letter")):
        assert run("new", kind, name) == 2
        assert line in capsys.readouterr().err
