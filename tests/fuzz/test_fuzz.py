"""Odd arguments at every door: refused by name in one line, or taken; nothing else may come of them.

`python -m tests.fuzz.tries NUMBER ...` repeats single tries. Every kind that was found has a test of its own
in ``tests/test_doors.py``.
"""

import inspect
from types import ModuleType

import pytest

import cdgrab_sim as cg
from cdgrab_sim import asynchronous
from tests.fuzz.calls import CALLS
from tests.fuzz.tries import NAMES, Try, attempt, copied, judged

CHUNK = 500
# Records of what came out, names of what is, classes of others, and a function that is known under two names.
RESULTS = {
    "Run",
    "Replay",
    "Seen",
    "Status",
    "Sweep",
    "AsyncRun",
    "AsyncStatus",
    "Audit",
    "Finding",
    "Flow",
    "MethodState",
    "Region",
}
RESULTS |= {"RateFit", "Tuned", "Verdict", "Balance", "Settled", "Axes", "Figure", "simulate_async"}
RESULTS |= {
    "SignRule",
    "positive_times",
    "based_on",
    "control",
    "replace",
}  # tried elsewhere, or parts of others
SLOW = ("asynchronous.", "job_times.", "methods.", "problems.mlp", "testing.check", "Record")  # to compile


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def public():
    """Yield the name under which the calls know every public function."""
    for name in cg._HOMES:
        value = getattr(cg, name)
        if not isinstance(value, ModuleType):
            yield name, value
            continue
        for part in value.__all__:
            yield f"{name}.{part}", getattr(value, part)
    for module in (asynchronous.job_times, asynchronous.methods):
        for part, value in vars(module).items():
            if inspect.getmodule(value) is not None and (inspect.getdoc(value) or "").startswith("Return"):
                yield f"{module.__name__.rpartition('.')[2]}.{part}", value


@pytest.mark.deep
def test_every_public_function_is_tried():
    functions = {name for name, value in public() if callable(value) and not isinstance(value, ModuleType)}
    asked = {name for name in functions if name.rpartition(".")[2] not in RESULTS}
    assert asked <= CALLS.keys()


@pytest.mark.deep
@pytest.mark.parametrize("name", NAMES)
def test_the_call_itself_works(name):
    valid = {key: copied(value) for key, value in CALLS[name].valid.items()}
    assert judged(Try(name, valid, ())).wrong is None


def wrong(numbers):
    return [f"{number}: {one}" for number in numbers if (one := attempt(number)).wrong is not None]


@pytest.mark.compiled  # plain loops warn where numbers overflow
def test_a_few_hundred_odd_calls():
    assert wrong(k for k in range(450) if not NAMES[k % len(NAMES)].startswith(SLOW)) == []


@pytest.mark.deep
@pytest.mark.parametrize("first", range(0, 20_000, CHUNK))
def test_twenty_thousand_odd_calls(first):
    assert wrong(range(first, first + CHUNK)) == []
