"""Vector balancing (V): signs that keep every signed running sum small.

Signs eps_1, eps_2, ... in {-1, +1} are chosen one after the other for vectors z_1, z_2, ... of R^d; the
signed sums are r_k = eps_1 z_1 + ... + eps_k z_k. V1 to V3 are about the greedy rule, V4 about independent
fair signs, V5 to V8 about the self-balancing walk; V9 collects reference lines of the literature; V10 is
about halves of points.

``norms`` (k,) are the lengths ||z_j||_2, ``B`` bounds the lengths, and ``norm`` ("l2" or "inf") is that of
the signed sums. N or n vectors are signed. A statement fails with probability at most ``delta``, in (0, 1).
"""

from theory.balancing._greedy import LAWS as LAWS
from theory.balancing._greedy import greedy_line_bound as greedy_line_bound
from theory.balancing._greedy import greedy_norm_sum as greedy_norm_sum
from theory.balancing._greedy import greedy_prefix_bound as greedy_prefix_bound
from theory.balancing._greedy import greedy_squared_norms as greedy_squared_norms
from theory.balancing._greedy import greedy_stationary_norm as greedy_stationary_norm
from theory.balancing._greedy import greedy_worst_case as greedy_worst_case
from theory.balancing._greedy import mean_projection as mean_projection
from theory.balancing._halving import halving_discrepancy as halving_discrepancy
from theory.balancing._signs import banaszczyk_prefix_bound as banaszczyk_prefix_bound
from theory.balancing._signs import barany_grinberg_bound as barany_grinberg_bound
from theory.balancing._signs import cd_grab_balance_published as cd_grab_balance_published
from theory.balancing._signs import random_signs_inf_bound as random_signs_inf_bound
from theory.balancing._signs import random_signs_l2_bound as random_signs_l2_bound
from theory.balancing._signs import random_signs_second_moment as random_signs_second_moment
from theory.balancing._signs import spencer_bound as spencer_bound
from theory.balancing._walk import alweiss_threshold as alweiss_threshold
from theory.balancing._walk import clip_probabilities as clip_probabilities
from theory.balancing._walk import kernel_halving_thresholds as kernel_halving_thresholds
from theory.balancing._walk import kernel_halving_variance_bound as kernel_halving_variance_bound
from theory.balancing._walk import self_balancing_bound as self_balancing_bound
from theory.balancing._walk import self_balancing_threshold as self_balancing_threshold
from theory.balancing._walk import self_balancing_variance_limit as self_balancing_variance_limit
from theory.balancing._walk import self_balancing_variances as self_balancing_variances
from theory.balancing._walk import walk_balance_bound as walk_balance_bound

__all__ = [
    "LAWS",
    "alweiss_threshold",
    "banaszczyk_prefix_bound",
    "barany_grinberg_bound",
    "cd_grab_balance_published",
    "clip_probabilities",
    "greedy_line_bound",
    "greedy_norm_sum",
    "greedy_prefix_bound",
    "greedy_squared_norms",
    "greedy_stationary_norm",
    "greedy_worst_case",
    "halving_discrepancy",
    "kernel_halving_thresholds",
    "kernel_halving_variance_bound",
    "mean_projection",
    "random_signs_inf_bound",
    "random_signs_l2_bound",
    "random_signs_second_moment",
    "self_balancing_bound",
    "self_balancing_threshold",
    "self_balancing_variance_limit",
    "self_balancing_variances",
    "spencer_bound",
    "walk_balance_bound",
]
