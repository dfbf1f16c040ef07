"""Odd arguments at every door: refused by name in one line, or taken; nothing else may come of them.

`python -m tests.fuzz.tries NUMBER ...` repeats single tries. Every kind that was found has a test of its own
in ``tests/test_doors.py``.
"""

import pytest

from tests.fuzz.calls import CALLS, FOUND, unknown
from tests.fuzz.tries import NAMES, Try, attempt, copied, judged

CHUNK = 500
SLOW = ("Record", "asynchronous.", "balancing.SignRule", "compressors.", "experiments.run", "job_times.")
SLOW += ("methods.", "orderings.", "problems.", "testing.", "thinning.", "updates.")  # to compile


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.deep
def test_every_public_function_is_tried():
    untold = {name: unknown(one) for name, one in FOUND.items() if unknown(one)}
    assert untold == {}, "say in tests/fuzz/values.py what these arguments may be"


@pytest.mark.deep
@pytest.mark.parametrize("name", CALLS)
def test_the_call_itself_works(name):
    valid = {key: copied(value) for key, value in CALLS[name].valid.items()}
    assert judged(Try(name, valid, ())).wrong is None


def wrong(numbers):
    return [f"{number}: {one}" for number in numbers if (one := attempt(number)).wrong is not None]


@pytest.mark.compiled  # plain loops warn where numbers overflow
def test_a_few_hundred_odd_calls():
    quick = [place for place, name in enumerate(NAMES) if not name.startswith(SLOW)]
    assert wrong(turn * len(NAMES) + place for turn in range(4) for place in quick) == []


@pytest.mark.deep
@pytest.mark.parametrize("first", range(0, 20_000, CHUNK))
def test_twenty_thousand_odd_calls(first):
    assert wrong(range(first, first + CHUNK)) == []
