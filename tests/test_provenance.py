"""Where formulas come from stands on every record, in the words of `cdgrab list`."""

import re

import pytest

import cdgrab_sim as cg
from cdgrab_sim import cli

REGISTRIES = {
    "orderings": cg.orderings.ORDERINGS,
    "problems": cg.problems.PROBLEMS,
    "updates": cg.updates.UPDATES,
    "participation": cg.participation.PARTICIPATION,
}
RECORDS = {
    (kind, name): make(**({"m": 1, "n": 2} if kind == "problems" else {}))
    for kind, registry in REGISTRIES.items()
    for name, make in registry.items()
}
# What is published is read or recalled, each source by itself; what is nobody's paper needs no source.
PROVED = r"(constants|bounds|moments|rates.*|[A-Z]\d+) proved here"
WORDS = rf"(textbook|made here|.*\d{{4}}.*, (read|recalled)( [a-z ]+)?|{PROVED})"


@pytest.mark.parametrize("key", RECORDS, ids="/".join)
def test_every_record_says_where_it_comes_from(key, capsys):
    parts = re.split(r"; |(?<=made here), ", RECORDS[key].provenance)
    assert all(re.fullmatch(WORDS, part) for part in parts), parts


def test_the_list_shows_it(capsys):
    assert cli.main(["list"]) == 0
    shown = capsys.readouterr().out
    for (_, name), record in RECORDS.items():
        assert re.search(rf"^  {name} .*\({re.escape(record.provenance)}\)$", shown, re.MULTILINE), name


def test_records_of_ones_own_are_the_user_s():
    mine = cg.Ordering("mine", lambda problem, rng: None, None, lambda state, rng: state)
    assert mine.provenance == "user"
    with pytest.raises(TypeError, match="provenance: expected text; got 3"):
        cg.Ordering("mine", mine.init, None, mine.advance, provenance=3)


def test_variants_keep_it():
    assert (
        cg.orderings.cd_grab(rule="self-balancing").provenance == RECORDS["orderings", "cd-grab"].provenance
    )
    assert (
        cg.problems.from_arrays([[1.0], [2.0]], [0, 1], loss="logistic", m=1, ridge=1.0).provenance != "user"
    )
