"""Write leaderboard.md: every registered ordering, ranked for each measure by itself.

python docs/leaderboard.py
"""

from __future__ import annotations

from pathlib import Path

from cdgrab_sim.experiments import run
from cdgrab_sim.experiments._experiment import Result, Row

PAGE = Path(__file__).with_name("leaderboard.md")
HEAD = """# Leaderboard

Every registered ordering through the measures of `cdgrab score`, at small sizes, beside random reshuffling.
Each column has ranks of its own; there is no overall rank. In brackets are 95 % intervals over seeds.
`cdgrab leaderboard` measures it, `make leaderboard` rebuilds this page.

"""


def page(result: Result) -> str:
    """Return a result as Markdown: a line for each ordering, a column for each measure."""
    columns = list(dict.fromkeys(row.quantity for row in result.rows))
    cells = {(row.name, row.quantity): _cell(row) for row in result.rows}
    lines = [["ordering", *columns], ["---"] * (len(columns) + 1)]
    lines += [[f"`{name}`", *(cells[name, what] for what in columns)] for name in result.config["orderings"]]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    sizes = f"Sizes: n = {result.config['tuned']['n']}, {result.config['seeds']} seeds."
    return f"{HEAD}{table}\n\n" + "\n".join(f"- {note}" for note in [*result.notes, sizes]) + "\n"


def _cell(row: Row) -> str:
    shown, rank = row.cells(), row.verdict.partition(" of ")[0]
    interval = f" {shown['95 % interval']}" if shown["95 % interval"] else ""
    number = shown["measured"] if interval else f"{row.measured:g}"
    return row.verdict if row.measured is None else f"**{rank}.** {number}{interval}"


if __name__ == "__main__":
    PAGE.write_text(page(run("leaderboard", jobs=2, progress=True)))
