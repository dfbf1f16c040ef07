"""All experiments, one after the other: what agrees and what does not."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple

from cdgrab_sim.experiments import APART, EXPERIMENTS, FAILED, GOOD, load
from cdgrab_sim.experiments._experiment import Options, Result, Row


def run(options: Options) -> Result:
    """Run every experiment, without arguments of its own, and count its verdicts.

    Returns
    -------
    Result
        One row per experiment, with the number of its rows that fail or are inconclusive; notes quote the
        beginning of each; ``parts`` are the results.
    """
    names = [name for name in EXPERIMENTS if name not in APART]
    parts = [load(name).run(options) for name in names]
    notes = [
        f"cdgrab {part.experiment}: {', '.join(map(str, astuple(row)[:3]))}: {row.verdict}"
        for part in parts
        for row in part.rows
        if row.verdict in FAILED
    ]
    config = {"quick": options.quick, "seed": options.seed, "experiments": names}
    return Result("all", config, [summary(part) for part in parts], {}, notes, parts)


def summary(result: Result) -> Row:
    """Count the verdicts of an experiment: it fails if one row does, and an inconclusive one does not pass.

    Examples
    --------
    >>> good = Row("rr", "exponent", 1.0, 0.9, 1.1, 1.0, 0.2, "agrees")
    >>> row = summary(Result("demo", {}, [good, good], {}))
    >>> row.quantity, row.measured, row.verdict
    ('rows that fail; 2 of 2 judged agree', 0.0, 'holds')
    """
    found = Counter(row.verdict for row in result.rows)
    failed, good = found["disagrees"] + found["fails"], sum(found[word] for word in GOOD)
    open_ = found["inconclusive"]
    text = f"rows that fail; {good} of {good + failed + open_} judged agree"
    text += f", {open_} inconclusive" if open_ else ""
    word = "fails" if failed else "inconclusive" if open_ else "holds"
    return Row(result.experiment, text, float(failed), verdict=word)
