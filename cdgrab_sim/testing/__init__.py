"""For tests of one's own problems, orderings, updates and sign rules: one line each, and their assertions.

>>> from cdgrab_sim import balancing, testing
>>> testing.check_sign_rule(balancing.signs)
>>> testing.check_ordering("cd-grab")
>>> testing.check_update("adam")
>>> testing.check_problem("logistic")

Drawing examples, by the strategies and by `check_sign_rule`, needs the extra ``testing`` (Hypothesis). Every
assertion names the statement of ``theory/notes`` it holds a rule to; a failure shows the smallest example
that Hypothesis found.
"""

from __future__ import annotations

from cdgrab_sim.testing._exact_law import assert_exact_law
from cdgrab_sim.testing._herding import (
    assert_coordinated_pairs_halve,
    assert_pairs_halve,
    assert_reorder_halves,
    assert_rounds_halve,
    assert_stale_mean_costs,
)
from cdgrab_sim.testing._laws import (
    assert_greedy_bound,
    assert_greedy_decisions,
    assert_random_orders,
    assert_sub_gaussian,
    assert_walk_bound,
)
from cdgrab_sim.testing._moves import check_ordering, check_update
from cdgrab_sim.testing._problem import check_problem
from cdgrab_sim.testing._rule import check_sign_rule
from cdgrab_sim.testing._strategies import KINDS, orders, signs, vectors, whole

__all__ = [
    "KINDS",
    "assert_coordinated_pairs_halve",
    "assert_exact_law",
    "assert_greedy_bound",
    "assert_greedy_decisions",
    "assert_pairs_halve",
    "assert_random_orders",
    "assert_reorder_halves",
    "assert_rounds_halve",
    "assert_stale_mean_costs",
    "assert_sub_gaussian",
    "assert_walk_bound",
    "check_ordering",
    "check_problem",
    "check_sign_rule",
    "check_update",
    "orders",
    "signs",
    "vectors",
    "whole",
]


def __dir__() -> list[str]:
    return __all__
