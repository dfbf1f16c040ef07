"""The citation records are complete, well formed, and cover every identifier the theory package mentions."""

import re
import unicodedata
from pathlib import Path

import pytest

import theory
from theory.citations import CITATIONS, bibtex, cite
from theory.convergence import ORDERS, published_order

ARXIV = re.compile(r"\d{4}\.\d{4,5}")
SOURCES = [p for p in sorted(Path(theory.__file__).parent.rglob("*")) if p.suffix in {".py", ".md", ".toml"}]


@pytest.mark.parametrize("key", CITATIONS)
def test_every_record_is_well_formed(key):
    c = CITATIONS[key]
    assert key == c.key
    family = c.authors[0].split()[-1].lower()
    family = unicodedata.normalize("NFKD", family).encode("ascii", "ignore").decode()
    assert key.startswith(f"{family}{c.year}")
    assert c.arxiv == "" or ARXIV.fullmatch(c.arxiv)
    assert c.venue or c.arxiv
    # A paper appears on arXiv before, or at most a few years after, its venue.
    if c.arxiv:
        assert -6 <= int(c.arxiv[:2]) - c.year % 100 <= 1


@pytest.mark.parametrize("key", CITATIONS)
def test_bibtex_is_balanced_and_carries_every_known_field(key):
    entry, c = bibtex(key), CITATIONS[key]
    assert entry.count("{") == entry.count("}")
    assert entry.startswith("@")
    assert entry.count(" and ") >= len(c.authors) - 1
    for fact in (*c.authors, c.title, str(c.year), c.venue, c.arxiv, c.doi):
        assert fact in entry
    assert ("eprint" in entry) == bool(c.arxiv)


def test_identifiers_are_unique():
    arxiv = [c.arxiv for c in CITATIONS.values() if c.arxiv]
    assert len(set(arxiv)) == len(arxiv)


@pytest.mark.parametrize("source", SOURCES, ids=lambda p: p.name)
def test_every_arxiv_identifier_in_theory_is_cited(source):
    known = {c.arxiv for c in CITATIONS.values()}
    text = source.read_text(encoding="utf-8")
    mentioned = set(re.findall(rf"arXiv[: ]*({ARXIV.pattern})", text, re.IGNORECASE))
    assert mentioned <= known, f"add to theory/citations.toml: {sorted(mentioned - known)}"


def test_cite_lists_each_once_in_order_and_everything_by_default():
    text = cite("safran2020good", "lu2022grab", "safran2020good")
    assert re.findall(r"@\w+\{(\w+),", text) == ["safran2020good", "lu2022grab"]
    assert re.findall(r"@\w+\{(\w+),", cite()) == list(CITATIONS)


def test_unknown_keys_are_refused_with_the_list():
    with pytest.raises(ValueError, match=r"lu2022grab.*got 'knuth1968art'"):
        bibtex("knuth1968art")
    with pytest.raises(ValueError, match="citation"):
        cite("lu2022grab", "nobody")


@pytest.mark.parametrize("name", ORDERS)
def test_published_orders_are_cited_labelled_and_decay_in_T(name):
    entry = ORDERS[name]
    assert entry.citation in CITATIONS
    assert entry.provenance.startswith(("read (", "recalled"))
    assert 0 < published_order(name, m=3, n=7, T=40) < published_order(name, m=3, n=7, T=20)
