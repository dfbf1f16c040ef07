"""Local steps (L): what order does for workers that communicate once in a round.

A round is H steps of every worker by itself, then an average; H divides n. Step k of an epoch is step
j = k mod H of its round, which began at a = k - j. S_i(k) are the prefix sums of worker i's centred
gradients, P(k) their mean over the m workers, D_i = S_i - P what it deviates by. ``variance`` is that of
the centred gradients within workers, per coordinate and on average over the workers; kappa = L / mu.
"""

from theory.local_steps._bounds import local_sgd_lower_bound as local_sgd_lower_bound
from theory.local_steps._bounds import scaffnew_bound as scaffnew_bound
from theory.local_steps._cohorts import cohort_floor as cohort_floor
from theory.local_steps._fixed_points import local_fixed_point as local_fixed_point
from theory.local_steps._fixed_points import local_offset as local_offset
from theory.local_steps._rounds import end_of_speedup as end_of_speedup
from theory.local_steps._rounds import kinked_rest as kinked_rest
from theory.local_steps._rounds import local_floor as local_floor
from theory.local_steps._rounds import reshuffled_rounds as reshuffled_rounds

__all__ = [
    "cohort_floor",
    "end_of_speedup",
    "kinked_rest",
    "local_fixed_point",
    "local_floor",
    "local_offset",
    "local_sgd_lower_bound",
    "reshuffled_rounds",
    "scaffnew_bound",
]
