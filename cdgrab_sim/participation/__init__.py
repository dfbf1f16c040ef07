"""Who takes part in a round: everybody, or some; ``cg.simulate(..., participation=...)``.

Rounds are those of the update (its ``steps``), single steps where it has none. What one does not show is not
seen: absent workers skip their examples, and orderings are told who was there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cdgrab_sim.participation._ordered import ordered as ordered
from cdgrab_sim.participation._participation import PARTICIPATION
from cdgrab_sim.participation._participation import Participation as Participation
from cdgrab_sim.participation._uniform import available as available
from cdgrab_sim.participation._uniform import uniform as uniform

PARTICIPATION.arrange()

__all__ = ["PARTICIPATION", "Participation", "make", *PARTICIPATION.functions]


def __dir__() -> list[str]:
    return __all__


def make(participation: Participation | str | Mapping[str, Any], **arguments: Any) -> Participation:
    """Return one from a record, from what describes it, or from a registered name and its arguments.

    Examples
    --------
    >>> make("uniform", cohort=2).describe()
    {'name': 'uniform', 'cohort': 2}
    >>> make({"name": "ordered", "ordering": "ig"}).settings["ordering"]
    'ig'
    """
    if isinstance(participation, Mapping):
        described = dict(participation)
        return PARTICIPATION.make(described.pop("name", ""), **described, **arguments)
    return PARTICIPATION.make(participation, **arguments)
