"""Every public function of theory says where it comes from, in one of three ways."""

import re

import pytest

from theory import _provenance

STATEMENTS = _provenance.statements()
PLACE = r"Theorem|Corollary|Lemma|Eq\.|p\.|pp\.|abstract|introduction|quoted|table"


@pytest.mark.parametrize("function", [pytest.param(value, id=name) for name, value in STATEMENTS.items()])
def test_every_function_is_proved_read_or_recalled(function):
    word, said = _provenance.kind(function), _provenance.text(function)
    if word == "proved here":
        assert re.search(r"notes? ``[A-Z]", said), "a proof has its page"
    if word == "published, read":
        source = re.match(r"published, read \((.*?)\)[.,;:]", said)
        assert source, "what was read names its source in brackets"
        assert re.search(r"arXiv:\d{4}\.\d{4,5}|COLT|NeurIPS|ALT", source[1])
        assert re.search(PLACE, source[1]), "and the place in it"


def test_the_counts_add_up_and_the_proofs_are_the_most():
    counts = _provenance.counts()
    assert sum(counts.values()) == len(STATEMENTS) > 150
    assert counts["proved here"] > 10 * counts["published, recalled"] > 0
    assert counts["published, read"] > counts["published, recalled"]


def test_another_word_is_refused():
    def invented():
        """Return nothing (V1).

        Provenance: folklore.
        """

    with pytest.raises(ValueError, match=r"invented: expected a provenance of proved here, .*'folklore.'"):
        _provenance.kind(invented)
