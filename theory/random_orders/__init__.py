"""Random orders (R): moments, tails and limits of their prefix sums.

m workers hold n >= 2 vectors z_ij of R^d each, with global sum 0. S_k = sum_i sum_{l<=k} z_{i,pi_i(l)} sums
the first k vectors of every worker's order, NOT divided by m; arrays run over k = 1, ..., n, where S_n = 0.
``variance`` is sigma^2, the mean WITHIN-worker variance (1/(mn)) sum_{i,j} ||z_ij - zbar_i||_2^2. Worker
means cancel, as the global sum is 0. In tails ``t`` is the size of a coordinate S_k(c), ``width`` the length
b - a of an interval that holds the coordinate on each worker, and ``delta`` the probability of failure.
"""

from theory.random_orders._drawn import block_second_moment as block_second_moment
from theory.random_orders._drawn import buffer_second_moment as buffer_second_moment
from theory.random_orders._drawn import pairwise_orders as pairwise_orders
from theory.random_orders._drawn import strata_second_moment as strata_second_moment
from theory.random_orders._limits import BRIDGE_AREA_MEAN as BRIDGE_AREA_MEAN
from theory.random_orders._limits import BRIDGE_MAXIMUM_MEAN as BRIDGE_MAXIMUM_MEAN
from theory.random_orders._limits import BRIDGE_MAXIMUM_SECOND_MOMENT as BRIDGE_MAXIMUM_SECOND_MOMENT
from theory.random_orders._limits import bridge_maximum_cdf as bridge_maximum_cdf
from theory.random_orders._limits import maximum_second_moment_bounds as maximum_second_moment_bounds
from theory.random_orders._limits import workers_herding as workers_herding
from theory.random_orders._moments import any_order_bound as any_order_bound
from theory.random_orders._moments import mean_prefix_second_moment as mean_prefix_second_moment
from theory.random_orders._moments import mean_square_prefix as mean_square_prefix
from theory.random_orders._moments import pooled_second_moment as pooled_second_moment
from theory.random_orders._moments import prefix_covariance as prefix_covariance
from theory.random_orders._moments import prefix_second_moment as prefix_second_moment
from theory.random_orders._moments import same_order_second_moment as same_order_second_moment
from theory.random_orders._tails import bernstein_tail as bernstein_tail
from theory.random_orders._tails import empirical_bernstein_radius as empirical_bernstein_radius
from theory.random_orders._tails import hoeffding_serfling_radius as hoeffding_serfling_radius
from theory.random_orders._tails import hoeffding_tail as hoeffding_tail
from theory.random_orders._tails import maximum_inf_bound as maximum_inf_bound

__all__ = [
    "BRIDGE_AREA_MEAN",
    "BRIDGE_MAXIMUM_MEAN",
    "BRIDGE_MAXIMUM_SECOND_MOMENT",
    "any_order_bound",
    "bernstein_tail",
    "block_second_moment",
    "bridge_maximum_cdf",
    "buffer_second_moment",
    "empirical_bernstein_radius",
    "hoeffding_serfling_radius",
    "hoeffding_tail",
    "maximum_inf_bound",
    "maximum_second_moment_bounds",
    "mean_prefix_second_moment",
    "mean_square_prefix",
    "pairwise_orders",
    "pooled_second_moment",
    "prefix_covariance",
    "prefix_second_moment",
    "same_order_second_moment",
    "strata_second_moment",
    "workers_herding",
]
