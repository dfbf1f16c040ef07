"""Balancing: signs that keep the prefix sums of vectors small, and how small they are."""

from cdgrab_sim.balancing._signs import RULES, Balance, balance, prefix_discrepancy, signs
from cdgrab_sim.orderings import SignRule

__all__ = [
    "RULES",
    "Balance",
    "SignRule",
    "balance",
    "prefix_discrepancy",
    "signs",
]


def __dir__() -> list[str]:
    return __all__
