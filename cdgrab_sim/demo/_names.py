"""What orderings are called on pages for people."""

from __future__ import annotations

# ordering -> its name, and what it does
NAMES = {
    "rr": ("Random reshuffling", "a new random order every epoch"),
    "ig": ("Incremental gradient", "the order of the data, every epoch"),
    "so": ("Shuffle once", "one random order, every epoch"),
    "flipflop": ("FlipFlop", "a random order, then the same backwards"),
    "d-grab": ("D-GraB", "each worker sorts its own examples"),
    "d-grab-pair": ("D-GraB with pairs", "each worker sorts pairs of its own examples"),
    "cd-grab": ("CD-GraB", "one running sum coordinates the workers"),
}


def title(name: str, m: int) -> str:
    """Return the name of an ordering on m workers: alone, D-GraB is GraB.

    Examples
    --------
    >>> title("d-grab", 4), title("d-grab", 1)
    ('D-GraB', 'GraB')
    """
    shown = NAMES[name][0]
    return shown.removeprefix("D-") if m == 1 else shown
