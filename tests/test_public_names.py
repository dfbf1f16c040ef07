"""What a user sees behind `cg.` and the tab key: public names, all of them documented, and nothing else."""

import inspect
from types import ModuleType

import pytest

import cdgrab_sim as cg

MODULES = ["herding", "balancing", "orderings", "problems"]


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
        if key == "testing":
            pytest.importorskip("hypothesis")
        value = getattr(module, key)
        if inspect.isfunction(value) or inspect.isclass(value) or isinstance(value, ModuleType):
            assert inspect.getdoc(value), key
