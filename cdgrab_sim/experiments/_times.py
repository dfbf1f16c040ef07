"""How long experiments take: what ``python -m benchmarks.experiments`` measured, and nobody wrote by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

PATH = Path(__file__).with_name("run_times.json")


def seconds(names: Sequence[str], size: str) -> float | None:
    """Return the seconds of one core that experiments take together, "quick" or "full".

    None where one of them was not measured.
    """
    times = json.loads(PATH.read_text())["seconds"]
    found = [times.get(name, {}).get(size) for name in names]
    return None if None in found else float(sum(found))


def in_words(*names: str) -> str:
    """Return how long experiments take together, in both sizes; "" where that was not measured."""
    quick, full = (seconds(names, size) for size in ("quick", "full"))
    words = [] if full is None else [_round(full)]
    words += [] if quick is None else [f"{_round(quick)} with --quick"]
    return ", ".join(words)


def _round(x: float) -> str:
    """Return a duration to two digits: more would be another machine's.

    Examples
    --------
    >>> [_round(x) for x in (3.2, 43.4, 89.6, 250.0)]
    ['3 s', '43 s', '90 s', '4 min']
    """
    return f"{x / 60:.0f} min" if x >= 99.5 else f"{max(x, 1.0):.0f} s"
