"""Audit: whether the order of a data loader is what it is meant to be.

`record` asks a loader for its orders, or `read` takes them from a file; `examine` looks for the faults that
loaders have: the same order every epoch or on every rank, small buffers, blocks, examples that never come.
What could be chance has a proved bound on its probability.
"""

from cdgrab_sim.audit._examine import examine
from cdgrab_sim.audit._finding import Audit, Finding
from cdgrab_sim.audit._reading import read, record

__all__ = ["Audit", "Finding", "examine", "read", "record"]


def __dir__() -> list[str]:
    return __all__
