"""One file and one line: what is added to a checkout is known everywhere, without another change."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

ORDERING = '''
"""The order of the data, one step further in every epoch."""

from typing import NamedTuple

import numpy as np

from cdgrab_sim._records import Ordering
from cdgrab_sim.orderings._registry import ORDERINGS


class State(NamedTuple):
    pi: np.ndarray  # (m, n)


@ORDERINGS.register
def rolling() -> Ordering:
    """Follow the order of the data, one step further in every epoch."""

    def init(problem, rng):
        return State(np.tile(np.arange(problem.n), (problem.m, 1)))

    return Ordering(
        "rolling", init, None, lambda state, rng: State(np.roll(state.pi, 1, axis=1)),
        family="fixed", compared=True, look=("#123456", "p", "solid"),
    )  # fmt: skip
'''

PROBLEM = '''
"""Bowls: f_ij(x) = |x - b_ij|^2 / 2."""

import numpy as np

from cdgrab_sim._records import Problem
from cdgrab_sim._rng import Role, stream
from cdgrab_sim.problems._registry import PROBLEMS


def grads(out, x, who, idx, data):
    out[:] = x - data[0][who, idx]


def loss(x, i, j, data):
    return 0.5 * float(((x - data[0][i, j]) ** 2).sum())


def value(x, data):
    return 0.5 * float(((x - data[0]) ** 2).sum(axis=2).mean())


@PROBLEMS.register
def bowls(*, m: int = 2, n: int = 8, d: int = 3, seed: int = 0) -> Problem:
    """Return bowls with normal centres."""
    b = stream(seed, Role.DATA).standard_normal((m, n, d))
    means = b.mean(axis=1)
    star = means.mean(axis=0)
    sigma, varsigma = (float((z**2).sum(axis=-1).mean() ** 0.5) for z in (b - means[:, None], means - star))
    constants = {"L": 1.0, "L_2inf": d**0.5, "mu": 1.0, "sigma": sigma, "varsigma": varsigma}
    known = {"x_star": star, "f_star": value(star, (b,)), "constants": constants}
    return Problem("bowls", m, n, d, (b,), grads, value, loss=loss, **known)
'''

UPDATE = '''
"""Steps along the signs of the gradient."""

import numpy as np

from cdgrab_sim._records import Update
from cdgrab_sim.updates._iterates import iterates
from cdgrab_sim.updates._registry import UPDATES


def step(it, g, alpha, u):
    it.x[:] -= alpha * np.sign(g)


@UPDATES.register
def signed() -> Update:
    """Step along the signs of the mean gradient."""
    return Update("signed", lambda x0, problem: iterates(x0), step)
'''

METHOD = '''
"""Half a step for every gradient."""

from cdgrab_sim._kernels.jit import kernel
from cdgrab_sim.asynchronous._records import ADVANCE, Method
from cdgrab_sim.asynchronous.methods._registry import METHODS
from cdgrab_sim.asynchronous.methods._state import state


@kernel(small=True, allocates=False)
def arrive(x, S, W, c, p, restart, G, y, worker, k_r, k):
    for r in range(x.shape[0]):
        x[r] -= 0.5 * p[0] * G[0, r]
    return ADVANCE, 0.5


def halving() -> Method:
    """Return asynchronous SGD with half its steps."""
    init = lambda x0, workers, step_size: state(x0, [step_size])
    return Method("halving", init, arrive, summary="half a step for every gradient")


METHODS["halving"] = lambda m: halving()
'''

EXPERIMENT = '''
"""Does it add up?"""

import numpy as np

from cdgrab_sim.analysis import verdict
from cdgrab_sim.experiments._experiment import Options, Result, Row


def run(options: Options) -> Result:
    """Add."""
    row = Row.judged("one", "one and one", verdict(np.array([2.0, 2.0, 2.0]), 2.0, 0.1))
    return Result("sums", {"seed": options.seed}, [row], {"one": np.ones(2)})
'''

FIGURE = '''
"""The figure of ``cdgrab sums``."""

PANELS = (lambda result, ax: ax.plot(result.data["one"]),)
'''

CLAIM = '''
"""A claim of its own."""

from cdgrab_sim.experiments.statements._statement import difference, identity
from theory.balancing import doubled


@identity("V99", "twice a number", cases=3)
def twice(rng, number):
    x = rng.random()
    return difference(doubled(x), x + x)
'''

THEOREM = '''


def doubled(x: float) -> float:
    """Return twice a number (V99).

    .. math:: 2 x

    Assumes nothing.

    Provenance: proved here, note ``V99-doubled``.

    Examples
    --------
    >>> doubled(2.0)
    4.0
    """
    return 2.0 * x
'''


def insert(path, after, line):
    """Add one line to a file, after the first one that begins so."""
    lines = path.read_text().split("\n")
    place = next(k for k, one in enumerate(lines) if one.startswith(after))
    path.write_text("\n".join([*lines[: place + 1], line, *lines[place + 1 :]]))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the sources to which one of everything was added, and a function that runs Python in it."""
    folder = tmp_path_factory.mktemp("checkout")
    no_cache = shutil.ignore_patterns("__pycache__", "*.nb?", ".numba_cache")
    for name in ("cdgrab_sim", "theory", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=no_cache)
    shutil.copy(ROOT / "pyproject.toml", folder)
    package = folder / "cdgrab_sim"
    (package / "orderings" / "_rolling.py").write_text(ORDERING)
    insert(
        package / "orderings" / "__init__.py",
        "from cdgrab_sim.orderings._rules",
        "from cdgrab_sim.orderings._rolling import rolling as rolling",
    )
    (package / "problems" / "_bowls.py").write_text(PROBLEM)
    insert(
        package / "problems" / "__init__.py",
        "from cdgrab_sim.problems._robust",
        "from cdgrab_sim.problems._bowls import bowls as bowls",
    )
    (package / "updates" / "_signed.py").write_text(UPDATE)
    insert(
        package / "updates" / "__init__.py",
        "from cdgrab_sim.updates._nesterov",
        "from cdgrab_sim.updates._signed import signed as signed",
    )
    (package / "asynchronous" / "methods" / "_halving.py").write_text(METHOD)
    insert(
        package / "asynchronous" / "methods" / "__init__.py",
        "from cdgrab_sim.asynchronous.methods._by_delay import ringmaster",
        "from cdgrab_sim.asynchronous.methods._halving import halving as halving",
    )
    (package / "experiments" / "sums").mkdir()
    (package / "experiments" / "sums" / "__init__.py").write_text(EXPERIMENT)
    (package / "experiments" / "sums" / "figure.py").write_text(FIGURE)
    questions = package / "experiments" / "__init__.py"
    insert(questions, '    "check":', '    "sums": "Does it add up?",')
    greedy = folder / "theory" / "balancing" / "_greedy.py"
    greedy.write_text(greedy.read_text() + THEOREM)
    insert(
        folder / "theory" / "balancing" / "__init__.py",
        "from theory.balancing._greedy import LAWS",
        "from theory.balancing._greedy import doubled as doubled",
    )
    (folder / "theory" / "notes" / "V99-doubled.md").write_text("# V99\n\n`doubled`: x + x = 2 x.\n")
    (package / "experiments" / "statements" / "claim.py").write_text(CLAIM)
    insert(package / "experiments" / "statements" / "__init__.py", "    balancing,", "    claim,")

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, *arguments], cwd=folder, text=True, capture_output=True,
            env=os.environ | {"PYTHONPATH": str(folder), "MPLBACKEND": "agg"},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_everything_new_is_listed(checkout):
    lines = {line.split()[0]: line for line in checkout("-m", "cdgrab_sim", "list").splitlines() if line}
    assert "one step further in every epoch" in lines["rolling"]
    assert "bowls with normal centres" in lines["bowls"]
    assert "signs of the mean gradient" in lines["signed"]
    assert "half a step for every gradient (user)" in lines["halving"]
    assert "Does it add up?" in lines["sums"]


def test_new_records_run_together_and_in_a_sweep(checkout):
    text = checkout(
        "-m", "cdgrab_sim", "run", "--ordering", "rolling", "--problem", "bowls", "--update", "signed",
        "--epochs", "4", "--json",
    )  # fmt: skip
    assert json.loads(text)["meta"]["update"] == {"name": "signed"}
    script = """
import cdgrab_sim as cg
fixed = {"problem": "bowls", "ordering": "rolling", "update": "signed", "epochs": 2}
study = cg.sweep(fixed=fixed | {"step_size": 0.1, "m": 3})
print(study, cg.plots.look("rolling")["color"], cg.updates.signed().name, cg.orderings.rolling)
from cdgrab_sim.experiments import speedup
print(speedup.ORDERINGS)
"""
    out = checkout("-c", script)
    assert "<Sweep of 1 runs: 1 completed> #123456 signed" in out
    assert "'rolling'" in out


def test_a_new_experiment_measures_draws_and_judges(checkout, tmp_path):
    assert "agrees" in checkout("-m", "cdgrab_sim", "sums", "-q", "--out", str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} >= {"table.csv", "figure.svg", "figure.pdf"}


def test_a_new_statement_is_checked(checkout, tmp_path):
    out = checkout("-m", "cdgrab_sim", "check", "V99", "-q", "--jobs", "1", "--out", str(tmp_path))
    assert "twice a number" in out
    assert "holds" in out


def test_conformance_suites_ask_the_new_ones_as_well(checkout):
    """No test of theirs names them: the suites go through the registries."""
    suites = ["tests/conformance", "tests/test_updates.py", "tests/theory/test_statements.py"]
    suites.append("tests/asynchronous/test_engine.py")
    tests = "rolling or bowls or signed or doubled or halving"
    out = checkout("-m", "pytest", "-q", "-p", "no:cacheprovider", *suites, "-k", tests)
    passed = int(out.splitlines()[-1].split(" passed")[0].split()[-1])
    assert passed > 30
