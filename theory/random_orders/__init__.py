"""Random orders (R): moments, tails and limits of their prefix sums."""

from theory.random_orders._moments import (
    BRIDGE_AREA_MEAN,
    BRIDGE_MAXIMUM_MEAN,
    BRIDGE_MAXIMUM_SECOND_MOMENT,
    any_order_bound,
    bridge_maximum_cdf,
    maximum_second_moment_bounds,
    mean_prefix_second_moment,
    mean_square_prefix,
    pooled_second_moment,
    prefix_covariance,
    prefix_second_moment,
    same_order_second_moment,
    workers_herding,
)
from theory.random_orders._tails import (
    bernstein_tail,
    empirical_bernstein_radius,
    hoeffding_serfling_radius,
    hoeffding_tail,
    maximum_inf_bound,
)

__all__ = [
    "BRIDGE_AREA_MEAN",
    "BRIDGE_MAXIMUM_MEAN",
    "BRIDGE_MAXIMUM_SECOND_MOMENT",
    "any_order_bound",
    "bernstein_tail",
    "bridge_maximum_cdf",
    "empirical_bernstein_radius",
    "hoeffding_serfling_radius",
    "hoeffding_tail",
    "maximum_inf_bound",
    "maximum_second_moment_bounds",
    "mean_prefix_second_moment",
    "mean_square_prefix",
    "pooled_second_moment",
    "prefix_covariance",
    "prefix_second_moment",
    "same_order_second_moment",
    "workers_herding",
]
