"""What the benchmarks share: functions that run in turns, and the rows that come out.

A number is a cost, so that less is better, and nearly always a ratio of two functions that ran in turns in
the same process: a slow second of the machine falls on both. `best` compares the minima, `median` the
medians.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

import numpy as np

Contest = dict[str, Callable[[], object]]
Measure = Callable[[bool], Iterable["Row"]]


@dataclass(frozen=True)
class Row:
    """One number.

    Parameters
    ----------
    name : str
    best, median : float, optional
        None where the row was skipped; `note` then says why.
    budget : float, optional
        The most that `best` may be.
    unit : str
        Of best, median and budget; "" for a ratio.
    guarded : bool
        Whether `make bench-check` compares `best` with the committed reference.
    slack : float
        How many times the reference is too much.
    note : str
    """

    name: str
    best: float | None
    median: float | None = None
    budget: float | None = None
    unit: str = ""
    guarded: bool = True
    slack: float = 1.25
    note: str = ""

    @property
    def missed(self) -> bool:
        """Whether the row is over its budget."""
        return self.best is not None and self.budget is not None and self.best > self.budget

    def line(self) -> str:
        """Return the row as a line of a table."""
        if self.best is None:
            return f"{self.name:52s}  {self.note}"
        median = "" if self.median is None else f"{self.median:9.3g}"
        budget = "" if self.budget is None else f"{'MISSED' if self.missed else 'within'} {self.budget:.3g}"
        return f"{self.name:52s}{self.best:9.3g}{median:9s} {self.unit:4s} {budget:15s} {self.note}".rstrip()


HEADER = f"{'':52s}{'best':>9s}{'median':>9s}      budget"


def race(
    contest: Contest, seconds: float, before: Callable[[str], object] | None = None
) -> dict[str, np.ndarray]:
    """Let functions run in turns for about `seconds`, and at least five times each.

    Parameters
    ----------
    contest : dict of functions without arguments
        Each runs once beforehand, uncounted, to be compiled.
    seconds : float
    before : function of the name, optional
        Runs before each function, uncounted.

    Returns
    -------
    dict of arrays (rounds,)
        Seconds.
    """
    times: dict[str, list[float]] = {name: [] for name in contest}
    rounds, stop = -1, np.inf
    while rounds < 5 or time.perf_counter() < stop:
        for name, function in contest.items():
            if before is not None:
                before(name)
            start = time.perf_counter()
            function()
            if rounds >= 0:
                times[name].append(time.perf_counter() - start)
        if rounds < 0:
            stop = time.perf_counter() + seconds
        rounds += 1
    return {name: np.array(taken) for name, taken in times.items()}


def ratio(name: str, ours: np.ndarray, other: np.ndarray, budget: float | None = None, note: str = "") -> Row:
    """Return how much longer `ours` took than `other`."""
    best, median = ours.min() / other.min(), np.median(ours) / np.median(other)
    return Row(name, float(best), float(median), budget, note=note)


def plain(name: str, times: np.ndarray, budget: float | None = None, unit: str = "s", note: str = "") -> Row:
    """Return numbers as they are: they depend on the machine, so that no reference guards them."""
    return Row(name, float(times.min()), float(np.median(times)), budget, unit, guarded=False, note=note)


def skipped(name: str, why: str) -> Row:
    """Return the row of what could not be measured."""
    return Row(name, None, guarded=False, note=f"skipped: {why}")


def geometric_mean(name: str, rows: Iterable[Row], budget: float | None) -> Row:
    """Return the geometric mean of ratios."""
    best, median = np.exp(np.mean(np.log([(row.best, row.median) for row in rows]), axis=0))
    return Row(name, float(best), float(median), budget)


def alone(measure: Measure, doc: str | None) -> None:
    """Run one benchmark as a program."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats, noisier numbers")
    parser.add_argument("--json", action="store_true", help="print one JSON list instead of the table")
    args = parser.parse_args()
    if args.json:
        print(json.dumps([asdict(row) for row in measure(args.quick)], indent=1))
        return
    print(HEADER)
    for row in measure(args.quick):
        print(row.line(), flush=True)
