"""Every public statement is documented in one fixed order, says where it comes from, and has its note."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

MODULES = [
    "greedy",
    "balancing",
    "self_balancing",
    "herding",
    "constructions",
    "random_orders",
    "random_order_tails",
]
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
NOTES = Path(inspect.getfile(importlib.import_module("theory"))).parent / "notes"


def public_functions(name):
    module = importlib.import_module(f"theory.{name}")
    own = [
        value
        for value in vars(module).values()
        if inspect.isfunction(value) and value.__module__ == module.__name__
    ]
    return [pytest.param(value, id=f"{name}.{value.__name__}") for value in own if value.__name__[0] != "_"]


STATEMENTS = [case for name in MODULES for case in public_functions(name)]


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
        assert re.search(rf"[`.]{function.__name__}`", (NOTES / f"{note}.md").read_text())
