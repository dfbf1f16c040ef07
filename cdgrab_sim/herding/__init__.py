"""Herding: errors of orders, and the orders that the orderings find, for vectors that do not move.

Vectors are z (n, d), one worker, or (m, n, d); orders pi (n,) or (m, n) accordingly, local indices. Nothing
is centred or divided here: with vectors whose sum is not zero the last prefix sum is that sum. Divided by m,
a herding error of this module is the H of theory.
"""

from cdgrab_sim.herding._error import error, error_after_every_worker, prefix_sums, reorder
from cdgrab_sim.herding._offline import greedy_order, steinitz_order
from cdgrab_sim.herding._profile import profile, random_profile, worker_errors
from cdgrab_sim.herding._standing import Settled, curve, order, settle

__all__ = [
    "Settled",
    "curve",
    "error",
    "error_after_every_worker",
    "greedy_order",
    "order",
    "prefix_sums",
    "profile",
    "random_profile",
    "reorder",
    "settle",
    "steinitz_order",
    "worker_errors",
]


def __dir__() -> list[str]:
    return __all__
