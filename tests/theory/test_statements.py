"""Every public statement has one address, one dialect, says where it comes from, and has its note."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import theory

ROOT = Path(theory.__file__).parent
PACKAGES = ("balancing", "herding", "random_orders")
ORDER = [
    "::\n",
    "Assumes",
    "Provenance:",
    "Parameters\n",
    "Returns\n",
    "Raises\n",
    "References\n",
    "Examples\n",
]


def public_functions(module):
    """Functions under their public names, which no underscore hides."""
    return {
        f"{module.__name__}.{name}": value
        for name, value in vars(module).items()
        if inspect.isfunction(value) and name[0] != "_" and value.__module__.startswith(module.__name__)
    }


def public_modules():
    found = (module.name for module in pkgutil.walk_packages(theory.__path__, "theory."))
    return [importlib.import_module(name) for name in found if "._" not in name]


ADDRESSES = {name: value for module in public_modules() for name, value in public_functions(module).items()}
STATEMENTS = [
    pytest.param(value, id=name) for name, value in ADDRESSES.items() if name.split(".")[1] in PACKAGES
]


def test_every_function_has_one_address():
    assert len(set(ADDRESSES.values())) == len(ADDRESSES)
    assert len(ADDRESSES) > 120


@pytest.mark.parametrize("function", STATEMENTS)
def test_docstring_has_every_part_in_the_fixed_order(function):
    text = inspect.getdoc(function)
    places = [text.find(part) for part in ORDER]
    assert -1 not in places, f"missing {ORDER[places.index(-1)]!r}"
    assert places == sorted(places)
    assert re.search(r"Provenance: (derived|seen|recalled)\b", text)
    assert re.search(r"\([^)]*[VHR]\d", text.splitlines()[0]), "the first line names the statement"


@pytest.mark.parametrize("function", STATEMENTS)
def test_named_notes_exist_and_point_back(function):
    text = " ".join(inspect.getdoc(function).split())
    notes = re.findall(r"``([VHR]\d+-[a-z0-9-]+)``", text)
    assert notes
    for note in notes:
        assert re.search(rf"[`.]{function.__name__}`", (ROOT / "notes" / f"{note}.md").read_text())
