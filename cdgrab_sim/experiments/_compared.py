"""The orderings that an experiment compares."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence

from cdgrab_sim.orderings import ORDERINGS


def add_argument(parser: ArgumentParser, default: Sequence[str]) -> None:
    """Add ``--orderings NAME ...``, which becomes the argument ``names`` of the experiment."""
    words = f"what to compare instead of {', '.join(default)}"
    parser.add_argument(
        "--orderings", dest="names", nargs="+", metavar="NAME", default=list(default), help=words
    )


def known(names: Sequence[str]) -> list[str]:
    """Return names of orderings; refuse one that nobody knows, before any work."""
    return [ORDERINGS.named(name) for name in names]
