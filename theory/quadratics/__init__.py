"""Quadratics (Q, FF, G): exact moments, given orders, floors and biases of SGD."""

from theory.quadratics._biases import (
    fixed_order_bias,
    reshuffling_bias,
    reversed_pair_bias,
)
from theory.quadratics._epoch_maps import (
    affine_maps,
    average_product,
    expected_epoch,
    squares,
    stationary_mean,
)
from theory.quadratics._floors import (
    filtered_errors,
    small_step_floor,
    sorted_floor,
    stationary_covariance,
    two_term_floor,
)
from theory.quadratics._given_orders import (
    changing_orders,
    changing_orders_bound,
    epoch_displacement,
    fixed_order,
    mean_prefix_bound,
    prefix_weights,
)
from theory.quadratics._moments import (
    NOISES,
    ORDERINGS,
    epoch_noise_covariance,
    expected_loss,
    partial_epoch_covariance,
    second_moment,
)

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
