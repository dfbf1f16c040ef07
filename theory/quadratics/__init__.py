"""Quadratics (Q, FF, G): exact moments, given orders, floors and biases of SGD.

On a shared Hessian (Q, FF) the problem is f_ij(x) = (x - b_ij)' H (x - b_ij) / 2 on m workers with n examples
each, x_star = mean of all b_ij, e = x - x_star, ``e0`` at the start. Everything is expressed in the
eigenbasis of H, where coordinates decouple up to the covariance: ``eigenvalues`` (d,) lambda_p > 0, rho_p = 1
- alpha lambda_p, ``covariance`` (d, d) = Sig, the mean over workers of the WITHIN-worker covariances of the
b_ij (divisor n, not divided by m):

    Sig = (1/m) sum_i (1/n) sum_j (b_ij - b_i)(b_ij - b_i)',    b_i = (1/n) sum_j b_ij.

Sig is the covariance of the centres b, not of the gradients: the gradient covariance is H Sig H, so in one
dimension sigma_g^2 = lambda^2 Sig. Differences between the worker means b_i do not enter any moment here.
A step averages one gradient per worker; an epoch is n steps, and there are T. ``ordering`` is the law of the
orders: "sgd" draws with replacement (n >= 1; all others need n >= 2), "rr" reshuffles, "so" shuffles once,
"flipflop" reverses every second epoch.

A given order is described by ``deviations`` (n, d), u_k = (1/m) sum_i b_{i, pi_i(k)} - x_star, or by the
gradient prefixes at the optimum

    Z_k = (1/m) sum_i sum_{l <= k} grad f_{i, pi_i(l)}(x_star) = -H (u_1 + ... + u_k),    Z_n = 0,

which are 1/m times the unnormalised parallel herding vectors. With h = alpha lambda n, the time constants in
one epoch, floors are the leading terms as h tends to 0.

With different Hessians (G) the problem is f_j(x) = x' A_j x / 2 - c_j' x, with A_ij, c_ij when there are m
workers: ``hessians``, ``linear``. z_j = A_j x_star - c_j, ``gradients``, is the gradient of example j at the
optimum; the z_j sum to zero.
"""

from theory.quadratics._biases import fixed_order_bias as fixed_order_bias
from theory.quadratics._biases import reshuffling_bias as reshuffling_bias
from theory.quadratics._biases import reversed_pair_bias as reversed_pair_bias
from theory.quadratics._epoch_maps import affine_maps as affine_maps
from theory.quadratics._epoch_maps import average_product as average_product
from theory.quadratics._epoch_maps import expected_epoch as expected_epoch
from theory.quadratics._epoch_maps import squares as squares
from theory.quadratics._epoch_maps import stationary_mean as stationary_mean
from theory.quadratics._floors import filtered_errors as filtered_errors
from theory.quadratics._floors import small_step_floor as small_step_floor
from theory.quadratics._floors import sorted_floor as sorted_floor
from theory.quadratics._floors import stationary_covariance as stationary_covariance
from theory.quadratics._floors import two_term_floor as two_term_floor
from theory.quadratics._given_orders import changing_orders as changing_orders
from theory.quadratics._given_orders import changing_orders_bound as changing_orders_bound
from theory.quadratics._given_orders import epoch_displacement as epoch_displacement
from theory.quadratics._given_orders import fixed_order as fixed_order
from theory.quadratics._given_orders import mean_prefix_bound as mean_prefix_bound
from theory.quadratics._given_orders import prefix_weights as prefix_weights
from theory.quadratics._moments import NOISES as NOISES
from theory.quadratics._moments import ORDERINGS as ORDERINGS
from theory.quadratics._moments import epoch_noise_covariance as epoch_noise_covariance
from theory.quadratics._moments import expected_loss as expected_loss
from theory.quadratics._moments import partial_epoch_covariance as partial_epoch_covariance
from theory.quadratics._moments import second_moment as second_moment

__all__ = [
    "NOISES",
    "ORDERINGS",
    "affine_maps",
    "average_product",
    "changing_orders",
    "changing_orders_bound",
    "epoch_displacement",
    "epoch_noise_covariance",
    "expected_epoch",
    "expected_loss",
    "filtered_errors",
    "fixed_order",
    "fixed_order_bias",
    "mean_prefix_bound",
    "partial_epoch_covariance",
    "prefix_weights",
    "reshuffling_bias",
    "reversed_pair_bias",
    "second_moment",
    "small_step_floor",
    "sorted_floor",
    "squares",
    "stationary_covariance",
    "stationary_mean",
    "two_term_floor",
]
