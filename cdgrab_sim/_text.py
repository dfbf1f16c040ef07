"""Tables of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def aligned(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the lines of a table under the headings that all rows share, columns below each other.

    Examples
    --------
    >>> aligned([{"name": "rr", "error": "1.5"}, {"name": "cd-grab", "error": "0.2"}])
    ['name     error', '-------  -----', 'rr       1.5', 'cd-grab  0.2']
    """
    cells = [list(rows[0]), *(list(row.values()) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, ["-" * w for w in widths])
    return ["  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in cells]
