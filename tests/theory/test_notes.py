"""Derivations are where the code says they are."""

import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import theory
from cdgrab_sim.experiments.statements import STATEMENTS
from theory import slopes

ROOT = Path(theory.__file__).parent
NOTES = {path.stem for path in (ROOT / "notes").glob("*.md")} - {"README"}
MODULES = {
    module.name.split(".")[-1]: import_module(module.name)
    for module in pkgutil.walk_packages(theory.__path__, "theory.")
    if "._" not in module.name
}
NAME = re.compile(r"\b[A-Z]+\d*[a-z]?-[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@pytest.mark.parametrize("source", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_every_note_named_in_code_exists(source):
    # d-grab and friends are lower case; T1-RR is a label, not a page.
    named = set(re.findall(rf"(?:note[s]?[ /]+`*)({NAME.pattern})", source.read_text(encoding="utf-8")))
    assert named <= NOTES, sorted(named - NOTES)


@pytest.mark.parametrize("page", sorted((ROOT / "notes").glob("*.md")), ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+\.md)\)", page.read_text(encoding="utf-8"))
    assert all((page.parent / link).is_file() for link in links), links


@pytest.mark.parametrize("name", sorted(NOTES))
def test_every_page_is_named_by_its_label_and_says_so(name):
    assert NAME.fullmatch(name)
    label = name.split("-")[0]
    first = (ROOT / "notes" / f"{name}.md").read_text(encoding="utf-8").splitlines()[0]
    assert re.match(rf"# {label}\b", first), first


def test_the_index_leads_to_every_page_once():
    links = re.findall(r"\]\(([^)#]+)\.md\)", (ROOT / "notes" / "README.md").read_text(encoding="utf-8"))
    assert sorted(links) == sorted(NOTES)


@pytest.mark.parametrize("page", sorted((ROOT / "notes").glob("*.md")), ids=lambda p: p.name)
def test_addresses_lead_to_functions(page):
    """With or without the package: `theory.herding.reorder_bound`, `counting.total_delay`."""
    for place, name in re.findall(
        r"`(?:theory\.)?(?:asynchrony\.)?(\w+)\.(\w+)`", page.read_text(encoding="utf-8")
    ):
        assert place not in MODULES or hasattr(MODULES[place], name), f"{place}.{name}"


def labels_of_pages():
    pages = [(ROOT / "notes" / f"{name}.md").read_text(encoding="utf-8") for name in NOTES]
    return {re.match(r"# ([A-Z]+\d*[a-z]?'?)", page)[1] for page in pages}


def test_every_label_of_the_check_and_of_the_slopes_has_a_page():
    checked = {label for label, _ in STATEMENTS}
    predicted = {slope.statement for slope in slopes.table()}
    assert checked | predicted <= labels_of_pages()


def test_every_page_is_checked():
    """S collects exponents that stand in the check under the statement they follow from."""
    assert labels_of_pages() - {"S"} <= {label for label, _ in STATEMENTS}
