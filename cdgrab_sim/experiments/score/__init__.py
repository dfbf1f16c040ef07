"""The scorecard of an ordering: what a paper on a new one should report, and a reviewer could ask."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cdgrab_sim import _plugins
from cdgrab_sim._records import Ordering
from cdgrab_sim._rng import subseeds
from cdgrab_sim.experiments._cells import run_cells
from cdgrab_sim.experiments._experiment import Options, Result, Row
from cdgrab_sim.experiments._parts import Part, run_parts
from cdgrab_sim.experiments.score import compared, cost, floors, herding, tuned, validity
from cdgrab_sim.experiments.score.settings import FAMILIES
from cdgrab_sim.orderings import ORDERINGS

AGAINST = ("rr", "d-grab-pair", "cd-grab")
SMOOTH = ["skewed", "least-squares", "logistic"]

SIZES: dict[str, Any] = {
    "seeds": 12,
    "herding": {
        "m": [1, 2, 4, 8, 16],
        "n": [64, 256, 1024],
        "d": [4, 16, 64],
        "at": {"m": 4, "n": 256, "d": 16},
        "rounds": 12,
    },
    "floors": {
        "problems": SMOOTH,
        "m": [1, 2, 4, 8, 16],
        "n": 32,
        "alpha_n_L": 0.05,
        "epochs": 800,
        "every": 4,
    },
    "tuned": {"problems": list(FAMILIES), "m": [2, 4, 8], "n": 32, "T": 60},
    "later": {"problems": list(FAMILIES), "m": 4, "n": 32, "T": [30, 60, 120]},
    "updated": {"problems": ["skewed", "logistic", "mlp"], "m": [4], "n": 32, "T": 60},
    "cost": {"m": 4, "n": 64, "d": 32, "epochs": 50, "repeats": 7},
}
QUICK: dict[str, Any] = SIZES | {
    "seeds": 8,
    "herding": SIZES["herding"]
    | {"m": [1, 4, 16], "n": [64, 256], "d": [4, 16], "at": {"m": 4, "n": 64, "d": 4}},
    "floors": SIZES["floors"] | {"problems": ["skewed", "logistic"], "m": [1, 4, 16], "n": 16, "epochs": 240},
    "tuned": SIZES["tuned"] | {"m": [2, 8], "n": 16, "T": 30},
    "later": SIZES["later"] | {"problems": ["skewed"], "n": 16, "T": [20, 40]},
    "updated": SIZES["updated"] | {"problems": ["logistic"], "n": 16, "T": 30},
    "cost": SIZES["cost"] | {"epochs": 10, "repeats": 5},
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add what is scored."""
    words = "a known ordering, or a file with one (default: cd-grab)"
    parser.add_argument(
        "ordering", nargs="?", default="cd-grab", type=_named, metavar="NAME|FILE.py", help=words
    )


def _named(text: str) -> str | Path:
    return Path(text) if text.endswith(".py") else text


def run(
    options: Options, *, ordering: Ordering | str | Path = "cd-grab", against: Sequence[str] = AGAINST
) -> Result:
    """Look at an ordering from all sides, and compare it with known ones.

    Parameters
    ----------
    options : Options
    ordering : Ordering, str or Path
        A record, a known name, or a file with one ordering.
    against : sequence of str
        What it is compared with.

    Returns
    -------
    Result
        Rows of validity, exponents, comparisons and cost; notes with a sentence for each finding; data
        ``<quantity>|<problem>|<ordering>`` (seeds, K). An ordering that is none is not measured: its rows
        and notes say what is wrong.
    """
    with _subject(ordering) as subject:
        return _scored(options, subject, [ORDERINGS.named(name) for name in against])


@contextmanager
def _subject(given: Ordering | str | Path) -> Iterator[str]:
    """Know an ordering by a name."""
    if isinstance(given, Path):
        with _plugins.knowing([given]) as [file]:
            names = list(file.factories["ordering"])
            if len(names) != 1:
                raise ValueError(
                    f"{given}: expected one ordering; got {', '.join(names) or 'none'}; "
                    f"give --load {given} and its name"
                )
            yield names[0]
    elif isinstance(given, Ordering) and given.name not in ORDERINGS:
        with ORDERINGS.also({given.name: lambda: given}):
            yield given.name
    elif isinstance(given, Ordering):
        raise ValueError(f"ordering {given.name!r}: expected a name of its own, as a registered one has this")
    else:
        yield ORDERINGS.named(given)


def _scored(options: Options, subject: str, against: Sequence[str]) -> Result:
    config = (QUICK if options.quick else SIZES) | {"seed": options.seed, "ordering": subject}
    others = [name for name in against if name != subject]
    names, seeds = [subject, *others], subseeds(options.seed, config["seeds"])
    valid = validity.read(subject, run_cells(validity.look, [{"ordering": subject}], options)[0])
    if valid.notes:
        first = "not scored: what follows would mean nothing"
        return Result("score", config | {"orderings": names}, valid.rows, {}, [first, *valid.notes])
    found = run_parts("score", config, sections(config, names, seeds), options)
    rows = [*valid.rows, *found.rows]
    judged, said = differences(subject, others, found.data)
    rows += [*judged, *cost.read(config, names, options).rows]
    notes = [*headlines(subject, rows), *said, _small_print(len(judged), config["seeds"]), _UNSEEN]
    return Result("score", config | {"orderings": names}, rows, found.data, notes)


def sections(config: dict[str, Any], names: Sequence[str], seeds: Sequence[int]) -> list[Part]:
    """Return all that is measured in cells, of all orderings alike."""
    return [part for section in (herding, floors, tuned) for part in section.parts(config, names, seeds)]


def differences(subject: str, others: Sequence[str], data: Any) -> tuple[list[Row], list[str]]:
    """Compare the subject with the others: rows, and sentences; all claims together at one level."""
    rows: list[Row] = []
    said: list[str] = []
    for other in others:
        pairs = compared.pairs(data, subject, other)
        judged = compared.rows(subject, other, pairs, compared.LEVEL / len(others))
        rows += judged
        said += compared.sentences(subject, other, pairs, judged)
    return rows, said


def headlines(subject: str, rows: Sequence[Row]) -> list[str]:
    """Say the exponents that papers claim."""
    said = []
    for row in rows:
        if row.name == subject and row.measured is not None and row.quantity in _CLAIMED:
            what, _, place = row.quantity.partition(" exponent in ")
            variable, _, where = place.partition(", ")
            interval = f"[{row.ci_low:.2f}, {row.ci_high:.2f}]"
            said.append(f"{what}{' on ' if where else ''}{where}: ~ {variable}^{row.measured:.2f} {interval}")
    return said


_UNSEEN = (
    "on skewed and quadratic, workers differ by constants, which cancel in the mean and in differences of "
    "gradients: orders that look at these alone have the numbers of workers alike"
)
_CLAIMED = (
    "herding error exponent in m",
    "herding error exponent in n",
    "herding error exponent in d",
    "floor exponent in m, skewed, workers alike",
    "floor exponent in m, logistic, workers differ",
)


def _small_print(comparisons: int, seeds: int) -> str:
    once = round(1 / compared.LEVEL)
    return (
        f"{comparisons} comparisons, paired over {seeds} seeds, at the largest size of each; where orderings "
        f"differ by chance alone, at most one scorecard in {once} claims any difference"
    )
