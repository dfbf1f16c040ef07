"""Random orders (R): moments, tails and limits of their prefix sums.

m workers hold n >= 2 vectors z_ij of R^d each, with global sum 0. S_k = sum_i sum_{l<=k} z_{i,pi_i(l)} sums
the first k vectors of every worker's order, NOT divided by m; arrays run over k = 1, ..., n, where S_n = 0.
``variance`` is sigma^2, the mean WITHIN-worker variance (1/(mn)) sum_{i,j} ||z_ij - zbar_i||_2^2. Worker
means cancel, as the global sum is 0. In tails ``t`` is the size of a coordinate S_k(c), ``width`` the length
b - a of an interval that holds the coordinate on each worker, and ``delta`` the probability of failure.
"""

from theory.random_orders._limits import (
    BRIDGE_AREA_MEAN,
    BRIDGE_MAXIMUM_MEAN,
    BRIDGE_MAXIMUM_SECOND_MOMENT,
    bridge_maximum_cdf,
    maximum_second_moment_bounds,
    workers_herding,
)
from theory.random_orders._moments import (
    any_order_bound,
    mean_prefix_second_moment,
    mean_square_prefix,
    pooled_second_moment,
    prefix_covariance,
    prefix_second_moment,
    same_order_second_moment,
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
