"""The scorecard as one page that needs nothing else: to read, to print, to put beside a paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from cdgrab_sim._version import __version__
from cdgrab_sim.experiments._experiment import Result, Row
from cdgrab_sim.experiments.score.figure import PANELS
from cdgrab_sim.experiments.score.validity import MAY, MUST

if TYPE_CHECKING:
    from cdgrab_sim.plots import Axes


def page(result: Result) -> str:
    """Return a result of `cdgrab score` as HTML."""
    subject, *others = result.config["orderings"]
    style = files("cdgrab_sim.experiments.score").joinpath("report.css").read_text(encoding="utf-8")
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Scorecard of {escape(subject)}</title><style>\n{style}</style></head><body>",
        f"<h1>Scorecard of {escape(subject)}</h1>",
        f'<p class="quiet">{escape(_about(result))}</p>',
        f"<h2>Findings</h2><ul>{''.join(f'<li>{escape(note)}</li>' for note in result.notes)}</ul>",
        "<h2>Is it an ordering?</h2>",
        _table({name: {"": row} for name, row in _by_quantity(result, {**MUST, **MAY}).items()}, [""]),
    ]
    if result.data:
        parts += _measured(result, subject, others)
    return "\n".join([*parts, "</body></html>\n"])


def _measured(result: Result, subject: str, others: Sequence[str]) -> list[str]:
    compared: dict[str, dict[str, Row]] = {}
    rest: dict[str, dict[str, Row]] = {}
    for row in result.rows:
        what, _, other = row.quantity.rpartition(", over ")
        if what:
            compared.setdefault(what, {})[f"over {other}"] = row
        elif row.quantity not in {**MUST, **MAY}:
            rest.setdefault(row.quantity, {})[row.name] = row
    powers = {what: cells for what, cells in rest.items() if " exponent in " in what}
    costs = {what: cells for what, cells in rest.items() if what not in powers}
    first, *others_drawn = [_drawn(result, panel) for panel in PANELS]
    return [
        f"<h2>Beside the others</h2><p>Ratios of {escape(subject)} to each of the others: below 1 it is "
        "ahead. Each is the geometric mean over seeds, at the largest size, with an interval that holds for "
        "all ratios of a column at once.</p>",
        first,
        _table(compared, [f"over {other}" for other in others]),
        "<h2>Exponents</h2><p>Slopes on logarithmic axes: means over seeds with their 95 % intervals.</p>",
        f'<div class="figures">{"".join(others_drawn)}</div>',
        _table(powers, [subject, *others]),
        "<h2>Cost</h2>",
        _table(costs, [subject, *others]),
    ]


def _about(result: Result) -> str:
    subject, *others = result.config["orderings"]
    beside = f"beside {', '.join(others)}, {result.config['seeds']} seeds from {result.config['seed']}; "
    return f"{beside if result.data else ''}cdgrab_sim {__version__}: cdgrab score {subject}"


def _by_quantity(result: Result, wanted: Mapping[str, object]) -> dict[str, Row]:
    return {row.quantity: row for row in result.rows if row.quantity in wanted}


def _table(rows: Mapping[str, Mapping[str, Row]], columns: Sequence[str]) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in ["", *columns])
    body = "".join(
        f'<tr><th scope="row">{escape(what)}</th>{"".join(_cell(cells.get(one)) for one in columns)}</tr>\n'
        for what, cells in rows.items()
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>'


def _cell(row: Row | None) -> str:
    if row is None:
        return "<td></td>"
    shown = row.cells()
    words = "" if row.verdict == "no prediction" else row.verdict
    text = " ".join(part for part in (shown["measured"], shown["95 % interval"], words) if part)
    return f'<td class="{escape(row.verdict.partition(" ")[0])}">{escape(text)}</td>'


def _drawn(result: Result, panel: Callable[..., Axes]) -> str:
    from cdgrab_sim import plots  # matplotlib is for those who draw

    return f"<figure>{plots.inline_svg(plots.together([partial(panel, result)]))}</figure>"
