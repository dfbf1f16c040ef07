"""One try: a call with one or two odd arguments, and everything that may not come of it."""

import copy
import locale
import os
import random
import re
import signal
import sys
import threading
import warnings
import zlib
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np

from cdgrab_sim import orderings, problems, updates
from tests.fuzz.calls import CALLS
from tests.fuzz.odd import odd

NAMES = sorted(name for name, one in CALLS.items() if one.valid)
LONGEST = 20, 200  # seconds of work, and by the clock
BELLS = (
    (signal.SIGPROF, signal.ITIMER_PROF, LONGEST[0]),
    (signal.SIGALRM, signal.ITIMER_REAL, LONGEST[1]),
)
DASK = ("IO loop", "Profile", "Dask-Offload_0", "asyncio_0")  # of its library, once a client was asked for
SECOND = 0.2  # of the tries have a second odd argument
# How much work is asked for: a large number is a long wait and no fault.
WORK = {"rounds", "most", "updates", "until", "runs", "examples", "patience", "window", "bins", "steps"}
WORK |= {"passes", "mixing"}


class Hang(BaseException):
    """A call that does not come back."""


@dataclass(frozen=True)
class Try:
    """A call with its arguments, which of them are odd, and what is wrong with what it did."""

    name: str
    given: dict
    changed: tuple[str, ...]
    wrong: str | None = None

    def __str__(self):
        odd_ones = ", ".join(f"{name}={shown(self.given[name])}" for name in self.changed)
        return f"{self.name}({odd_ones}): {self.wrong}"


def shown(value):
    try:
        return f"{type(value).__name__} {' '.join(repr(value).split())[:100]}"
    except Exception as error:
        return f"{type(value).__name__} without a text ({error})"


def attempt(number):
    """Make the try of this number and judge it: functions take turns, and those of others change none."""
    turn, place = divmod(number, len(NAMES))
    name = NAMES[place]
    rng = np.random.RandomState([turn, zlib.crc32(name.encode())])
    valid = {key: copied(value) for key, value in CALLS[name].valid.items()}
    count = min(len(valid), 1 + (rng.uniform() < SECOND))
    changed = tuple(str(key) for key in rng.choice(sorted(valid), count, replace=False)) if valid else ()
    given = valid | {key: _odd(rng, key, valid[key]) for key in changed}
    return judged(Try(name, given, changed))


def _odd(rng, key, valid):
    while True:
        value = odd(rng, valid)
        if not (key in WORK and isinstance(value, int | float | np.number) and abs(value) > 1000):
            return value


def copied(value):
    return value.copy() if isinstance(value, np.ndarray | dict | list) else value


def judged(one):
    """Call, and say what is wrong, if anything is."""
    before, state, wrong = written(one.given), everywhere(), None
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for bell, timer, seconds in BELLS:
            signal.signal(bell, _hang)
            signal.setitimer(timer, seconds)
        try:
            CALLS[one.name].function(**one.given)
        except Hang:
            wrong = f"takes more than {LONGEST[0]} s of work, or {LONGEST[1]} s"
        except Exception as error:
            wrong = _complaint(one, error)
        finally:
            for _, timer, _ in BELLS:
                signal.setitimer(timer, 0)
    touched = [key for key, value in everywhere().items() if value != state[key]]
    if wrong is None and warned:
        wrong = f"warns: {warned[0].category.__name__}: {warned[0].message}"
    if wrong is None and touched:
        wrong = f"touches {', '.join(touched)}"
    if wrong is None and written(one.given) != before:
        wrong = "changes its input"
    return Try(one.name, one.given, one.changed, wrong)


def _hang(signum, frame):
    raise Hang


def _complaint(one, error):
    """Say what is wrong with an error: its kind, more than a line, or that it names no argument."""
    said = str(error)
    if isinstance(error, CALLS[one.name].promises):
        return None
    if not isinstance(error, ValueError | TypeError) or isinstance(error, UnicodeError):
        return f"raises {type(error).__name__}: {said[:200]}"
    if "\n" in said:
        return f"says more than a line: {said[:200]!r}"
    if not _names(one, said):
        return f"names no argument: {said[:200]!r}"
    return None


# What an argument is called, where its own name says less.
CALLED = {
    "name": ("rule", "curve", "experiment"),
    "configs": ("configuration",),
    "kinds": ("kind",),
    "orderings": ("ordering",),
    "W": ("graph",),
    "state": ("state_dict",),
    "dims": ("dimension",),
    "herding": ("norm",),
    "rule": ("eps",),
    "draw": ("pi",),
    "slow": ("job times by example",),
    "job_times": ("job times by worker",),
}


def _names(one, said):
    """Tell whether an error names an odd argument, a field in it, or in the first place what it must fit."""
    fields = [key for name in one.changed if isinstance(one.given[name], dict) for key in one.given[name]]
    called = [other for name in one.changed for other in (name, *CALLED.get(name, ()))]
    files = [one.given.get(key) for key in ("path", "store", "jobs")]
    if any(isinstance(file, str | os.PathLike) and str(file) in said for file in files):
        return True  # a file is called by its name
    found = any(
        re.search(rf"(?<!\w){re.escape(str(key))}(?!\w)", said) for key in [*called, *fields] if key != ""
    )
    return found or any(re.match(rf"{re.escape(key)}(?!\w)", said) for key in one.given)


def written(value):
    """Return what a value holds, to be compared later."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return (
            value.view(np.ndarray).tobytes(),
            value.shape,
            value.strides,
            str(value.dtype),
            value.flags.writeable,
        )
    if isinstance(value, dict):
        return [(key, written(one)) for key, one in value.items()]
    if type(value) in (list, tuple):
        return [written(one) for one in value]
    return repr(value) if isinstance(value, str | int | float | bytearray | range) else id(value)


def everywhere():
    """Return what belongs to everybody in this process."""
    return {
        "numpy's random state": str(np.random.get_state()),  # noqa: NPY002
        "the random state": hash(random.getstate()),
        "numpy's error state": str(np.geterr()),
        "numpy's print options": str(np.get_printoptions()),
        "the environment": dict(os.environ),
        "the working folder": os.getcwd(),
        "the locale": locale.setlocale(locale.LC_ALL),
        "the handler of Ctrl-C": signal.getsignal(signal.SIGINT),
        "the threads": sorted(one.name for one in threading.enumerate() if one.name not in DASK),
        "the filters of warnings": copy.copy(warnings.filters),
        "the style of figures": {key: str(value) for key, value in dict.items(mpl.rcParams)},
        "the streams": (sys.stdout, sys.stderr),
        "the path": list(sys.path),
        "the registries": (list(orderings.ORDERINGS), list(problems.PROBLEMS), list(updates.UPDATES)),
    }


if __name__ == "__main__":
    for number in map(int, sys.argv[1:]):
        print(number, attempt(number))  # noqa: T201
