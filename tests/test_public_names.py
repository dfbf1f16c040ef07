"""What a user sees behind `cg.` and the tab key: public names, all of them documented, and nothing else."""

import inspect
import pydoc
import subprocess
import sys
from types import ModuleType

import pytest

import cdgrab_sim as cg

MODULES = sorted(name for name in cg._HOMES if isinstance(getattr(cg, name), ModuleType))


def seen(module):
    return {name for name in dir(module) if not name.startswith("_")}


def test_the_package_shows_its_public_names():
    assert seen(cg) == set(cg._HOMES)
    assert {"__version__", "__doc__", "__getattr__"} <= set(dir(cg))
    assert all(f"`{name}`" in cg.__doc__ for name in seen(cg) - {"Status", "Replay"})  # parts of others


@pytest.mark.parametrize("name", MODULES)
def test_modules_show_what_they_define_for_users(name):
    module = getattr(cg, name)
    assert seen(module) == set(module.__all__)
    defined = {
        key
        for key, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__ and not key.startswith("_")
    }
    assert defined <= set(module.__all__)


@pytest.mark.parametrize("name", [None, *MODULES])
def test_everything_public_is_documented(name):
    module = cg if name is None else getattr(cg, name)
    for key in seen(module):
        value = getattr(module, key)
        if inspect.isfunction(value) or inspect.isclass(value) or isinstance(value, ModuleType):
            assert inspect.getdoc(value), key


@pytest.mark.parametrize("name", [None, *MODULES])
def test_a_seed_that_is_not_given_is_0(name):
    module = cg if name is None else getattr(cg, name)
    for key in seen(module):
        value = getattr(module, key)
        if inspect.isfunction(value) and "seed" in inspect.signature(value).parameters:
            default = inspect.signature(value).parameters["seed"].default
            assert default in (0, None, inspect.Parameter.empty), key


REFERENCE = """
import sys
sys.modules["hypothesis"] = None  # as where it is not installed
import inspect, pydoc
import cdgrab_sim as cg
text = pydoc.render_doc(cg, renderer=pydoc.plaintext)
for line in ("simulate(problem: 'Problem | str'", "class Problem(", "sweep(", "DATA"):
    assert line in text, line
assert {"simulate", "testing"} <= dict(inspect.getmembers(cg)).keys()
for name, module in inspect.getmembers(cg, inspect.ismodule):
    shown = pydoc.render_doc(module, renderer=pydoc.plaintext)
    assert all(one in shown for one in module.__all__), name
cg.testing.assert_greedy_bound([[1.0]], [1])
try:
    cg.testing.vectors()
except ImportError as error:
    assert "pip install 'cdgrab-sim[testing]'" in str(error)
"""


def test_the_reference_shows_everything_without_hypothesis():
    subprocess.run([sys.executable, "-c", REFERENCE], check=True, timeout=300)


def test_theory_shows_its_letters():
    import theory

    assert seen(theory) == set(theory.LETTERS)
    for letter in theory.LETTERS:
        module = getattr(theory, letter)
        shown = pydoc.render_doc(module, renderer=pydoc.plaintext)
        assert module.__all__
        assert all(name in shown for name in module.__all__), letter
