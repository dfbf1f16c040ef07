"""Vector balancing (V): signs that keep every signed running sum small."""

from theory.balancing._greedy import (
    LAWS,
    greedy_line_bound,
    greedy_norm_sum,
    greedy_prefix_bound,
    greedy_squared_norms,
    greedy_stationary_norm,
    greedy_worst_case,
    mean_projection,
)
from theory.balancing._signs import (
    banaszczyk_prefix_bound,
    barany_grinberg_bound,
    random_signs_inf_bound,
    random_signs_l2_bound,
    random_signs_second_moment,
    spencer_bound,
)
from theory.balancing._walk import (
    alweiss_threshold,
    clip_probabilities,
    kernel_halving_thresholds,
    kernel_halving_variance_bound,
    self_balancing_bound,
    self_balancing_threshold,
    self_balancing_variance_limit,
    self_balancing_variances,
    walk_balance_bound,
)

__all__ = [
    "LAWS",
    "alweiss_threshold",
    "banaszczyk_prefix_bound",
    "barany_grinberg_bound",
    "clip_probabilities",
    "greedy_line_bound",
    "greedy_norm_sum",
    "greedy_prefix_bound",
    "greedy_squared_norms",
    "greedy_stationary_norm",
    "greedy_worst_case",
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
