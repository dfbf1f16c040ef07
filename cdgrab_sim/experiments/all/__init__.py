"""All experiments, one after the other: what agrees and what does not."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple

from cdgrab_sim.experiments import EXPERIMENTS, FAILED, load
from cdgrab_sim.experiments._experiment import Options, Result, Row


def run(options: Options) -> Result:
    """Run every experiment, without arguments of its own, and count its verdicts.

    Returns
    -------
    Result
        One row per experiment, with the number of its rows that fail; notes quote the beginning of each.
    """
    names = [name for name in EXPERIMENTS if name != "all"]
    rows, notes = [], []
    for name in names:
        result = load(name).run(options)
        rows.append(summary(result))
        failed = [row for row in result.rows if row.verdict in FAILED]
        notes += [f"cdgrab {name}: {', '.join(map(str, astuple(row)[:3]))}: {row.verdict}" for row in failed]
    config = {"quick": options.quick, "seed": options.seed, "experiments": names}
    return Result("all", config, rows, {}, notes)


def summary(result: Result) -> Row:
    """Count the verdicts of an experiment: it fails if one row does.

    Examples
    --------
    >>> good = Row("rr", "exponent", 1.0, 0.9, 1.1, 1.0, 0.2, "agrees")
    >>> row = summary(Result("demo", {}, [good, good], {}))
    >>> row.quantity, row.measured, row.verdict
    ('rows that fail; 2 of 2 judged agree', 0.0, 'holds')
    """
    found = Counter(row.verdict for row in result.rows)
    failed, good = sum(found[word] for word in FAILED), found["agrees"] + found["holds"]
    judged = good + failed + found["inconclusive"]
    text = f"rows that fail; {good} of {judged} judged agree"
    return Row.claimed(result.experiment, text, float(failed), failed == 0)
