"""Every public function has one address, one dialect, says where it comes from, and has its note."""

import ast
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import theory
from cdgrab_sim import experiments
from theory import _provenance

NOTES = Path(theory.__file__).parent / "notes"
SECTIONS = ["Parameters", "Returns", "Examples"]
PARTS = [".. math::", "Assumes ", "Provenance: "]


def public_modules():
    found = (module.name for module in pkgutil.walk_packages(theory.__path__, "theory."))
    return [importlib.import_module(name) for name in found if "._" not in name]


def public_functions(module):
    """Functions that live here, or in a private file of this package."""
    return {
        f"{module.__name__}.{name}": value
        for name, value in vars(module).items()
        if inspect.isfunction(value) and name[0] != "_" and value.__module__.startswith(module.__name__)
    }


ADDRESSES = {name: value for module in public_modules() for name, value in public_functions(module).items()}
EVERY = pytest.mark.parametrize(
    "function", [pytest.param(value, id=name) for name, value in ADDRESSES.items()]
)
STATEMENT = pytest.mark.parametrize(
    "function",
    [pytest.param(value, id=name) for name, value in _provenance.statements().items()],
)


def test_every_function_has_one_address():
    assert len(set(ADDRESSES.values())) == len(ADDRESSES)
    assert len(ADDRESSES) > 120


@pytest.mark.parametrize(
    "path", sorted(NOTES.parent.glob("*/*.py")), ids=lambda p: f"{p.parent.name}.{p.stem}"
)
def test_letters_stand_side_by_side(path):
    """What two letters share is in a private module of theory; a bridge between them is a row of a check."""
    used = re.findall(r"^(?:from|import) theory\.([a-z]\w*)", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(used) <= {path.parent.name}


@EVERY
def test_sections_are_few_and_in_one_order(function):
    found = re.findall(r"^(\w[\w ]*)\n-{3,}$", inspect.getdoc(function), re.MULTILINE)
    assert found == [section for section in SECTIONS if section in found]
    assert "Examples" in found


@STATEMENT
def test_docstring_has_every_part_in_the_fixed_order(function):
    text = inspect.getdoc(function)
    summary = text.split("\n\n")[0]
    assert "\n" not in summary
    assert re.match(r"(Return|Bound|Predict|Average|Take) ", summary)
    assert re.search(r"\(([^)]*\b)?([VHRTQGMPIALCNW]\d|FF)[^)]*\)\.$", summary), (
        "the first line names the statement"
    )
    places = [text.find(part) for part in [*PARTS, "Examples\n"]]
    assert -1 not in places, f"missing {PARTS[places.index(-1)]!r}"
    assert places == sorted(places)
    assert not re.search(r"^(::|Assumptions)", text, re.MULTILINE)


@STATEMENT
def test_named_notes_exist_and_point_back(function):
    said = _provenance.text(function)
    notes = re.findall(r"``([A-Z]+\d*[a-z]?-[a-z0-9-]+)``", said)
    assert notes or said.startswith("published")
    for note in notes:
        assert re.search(rf"[`.]{function.__name__}`", (NOTES / f"{note}.md").read_text(encoding="utf-8"))


def used_by_rows():
    """What the sources of the rows name, as `theory.f`, `family.f` or `f`, as objects.

    Those of the check first of all; some that need long runs are rows of an experiment of their own.
    """
    for info in pkgutil.walk_packages(experiments.__path__, f"{experiments.__name__}."):
        if info.name.endswith(".figure"):
            continue
        module = importlib.import_module(info.name)
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Name):
                yield getattr(module, node.id, None)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                yield getattr(getattr(module, node.value.id, None), node.attr, None)


def test_every_statement_is_in_a_row():
    """A look-up has nothing to measure: its constants are set to 1, or it returns text."""
    used = {id(value) for value in used_by_rows()}
    missing = {name for name, function in _provenance.statements().items() if id(function) not in used}
    assert not missing
